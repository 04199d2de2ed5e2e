//! Values that follow from the parameters, worked out once and never out of step with them.

use std::ops::Deref;

use super::Params;

/// The unit of parameters that are shares or reductions: they count 1024ths.
pub const UNIT: i32 = 1024;
/// One ply in the unit of reductions.
pub const ONE_PLY: i32 = UNIT;

/// Returns `value` times a share in 1024ths.
pub const fn scaled(value: i32, share: i32) -> i32 {
    value * share / UNIT
}

/// Depths and move numbers from here on have the last entry of the reduction table.
const SIZE: usize = 64;

type ReductionTable = [[i32; SIZE]; SIZE];

/// Parameters together with the tables made from them.
#[derive(Clone, Debug)]
pub struct TunedParams {
    params: Params,
    quiet_reductions: Box<ReductionTable>,
    noisy_reductions: Box<ReductionTable>,
    eval_scales: [i32; 8],
}

impl TunedParams {
    /// Works the tables out.
    pub fn new(params: Params) -> Self {
        let quiet_reductions = table(params.lmr_quiet_base, params.lmr_quiet_divisor);
        let noisy_reductions = table(params.lmr_noisy_base, params.lmr_noisy_divisor);
        let eval_scales = [
            params.eval_scale_0,
            params.eval_scale_1,
            params.eval_scale_2,
            params.eval_scale_3,
            params.eval_scale_4,
            params.eval_scale_5,
            params.eval_scale_6,
            params.eval_scale_7,
        ];
        Self { params, quiet_reductions, noisy_reductions, eval_scales }
    }

    /// Returns the share of the evaluation that counts with a number of pieces (2 to 32) on the
    /// board, in 1024ths.
    pub fn eval_scale(&self, pieces: usize) -> i32 {
        self.eval_scales[(pieces - 2) / 4]
    }

    /// Returns the late move reduction before any adjustment, in 1024ths of a ply: a base plus ln
    /// `depth` times ln `moves` over a divisor.
    pub fn base_reduction(&self, quiet: bool, depth: i32, moves: usize) -> i32 {
        let table = if quiet { &self.quiet_reductions } else { &self.noisy_reductions };
        table[(depth.max(0) as usize).min(SIZE - 1)][moves.min(SIZE - 1)]
    }
}

impl Default for TunedParams {
    fn default() -> Self {
        Self::new(Params::default())
    }
}

impl Deref for TunedParams {
    type Target = Params;

    fn deref(&self) -> &Params {
        &self.params
    }
}

fn table(base: i32, divisor: i32) -> Box<ReductionTable> {
    let mut table = Box::new([[0; SIZE]; SIZE]);
    for (depth, row) in table.iter_mut().enumerate().skip(1) {
        for (moves, entry) in row.iter_mut().enumerate().skip(1) {
            let product = ln(depth) * ln(moves) * f64::from(ONE_PLY * ONE_PLY);
            *entry = base + (product / f64::from(divisor)) as i32;
        }
    }
    table
}

/// Returns the natural logarithm in software: those of systems differ in the last bit, and then the signature would differ from
/// machine to machine.
fn ln(number: usize) -> f64 {
    libm::log(number as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_eval_scale_follows_the_number_of_pieces() {
        let params =
            Params { eval_scale_0: 900, eval_scale_7: 800, ..Params::default().unscaled() };
        let tuned = TunedParams::new(params);
        let scales = [2, 5, 6, 29, 30, 32].map(|pieces| tuned.eval_scale(pieces));
        assert_eq!(scales, [900, 900, UNIT, UNIT, 800, 800]);
    }

    #[test]
    fn reductions_grow_with_depth_and_moves() {
        let tuned = TunedParams::default();
        for quiet in [false, true] {
            assert!(tuned.base_reduction(quiet, 20, 30) > tuned.base_reduction(quiet, 10, 30));
            assert!(tuned.base_reduction(quiet, 20, 30) > tuned.base_reduction(quiet, 20, 10));
            assert_eq!(tuned.base_reduction(quiet, 99, 99), tuned.base_reduction(quiet, 63, 63));
        }
    }
}
