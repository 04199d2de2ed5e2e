//! From what was learnt to a network of the engine.

use nullarbor::eval::network::{Header, QA, QB, file};
use nullarbor::types::Score;
use nullarbor_openings::Opening;

use super::example::Example;
use super::gradient::output;
use super::model::Model;

/// The greatest output weight that the engine can compute with.
const MOST_OUTPUT: f32 = 127.0;

/// The bytes of a network file: whole numbers instead of fractions.
pub fn network(model: &Model, scale: u32, facts: &str) -> Vec<u8> {
    let parts = model.parts();
    let whole = |unit: i32, most: f32| {
        move |number: &f32| (number * unit as f32).round().clamp(-most, most) as i16
    };
    let first = parts.inputs.iter().chain(parts.biases).map(whole(QA, f32::from(i16::MAX)));
    let numbers: Vec<i16> = first.chain(parts.outputs.iter().map(whole(QB, MOST_OUTPUT))).collect();
    let bias = |bias: &f32| (bias * (QA * QB) as f32).round() as i32;
    let output_biases: Vec<i32> = parts.output_biases.iter().map(bias).collect();
    let header = Header {
        hidden: model.shape.hidden as u32,
        king_buckets: model.shape.king_buckets as u32,
        output_buckets: model.shape.output_buckets as u32,
        scale,
        facts: 0,
        crc32: 0,
    };
    file::bytes(header, facts, &numbers, &output_biases)
}

/// Centipawns that an output of one must stand for, so that on the mean positions are worth as much as they always were: the
/// margins of the search are in these units. `known` are positions and what they are worth, in centipawns.
pub fn scale(model: &Model, known: &[(Opening, i32)]) -> u32 {
    let mut neurons = [(); 2].map(|()| vec![0.0; model.shape.hidden]);
    let (mut outputs, mut values) = (0.0, 0.0);
    for (opening, value) in known {
        let (position, _) = opening.end();
        let example = Example::of(&position, Score(0), 0.5);
        outputs += f64::from(output(model, &example.inputs(model.shape), &mut neurons).abs());
        values += f64::from(value.abs());
    }
    (values / outputs.max(f64::MIN_POSITIVE)).round().clamp(1.0, 10_000.0) as u32
}
