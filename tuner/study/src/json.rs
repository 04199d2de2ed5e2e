//! JSON of records: an object has a line for each of its values, and an array is one line as far as it holds no objects.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{Formatter, PrettyFormatter};

/// Returns a value as JSON.
///
/// # Errors
/// If it has no form in JSON.
pub fn text(value: &impl Serialize) -> serde_json::Result<String> {
    let mut bytes = Vec::new();
    let lines = Lines(PrettyFormatter::new());
    value.serialize(&mut serde_json::Serializer::with_formatter(&mut bytes, lines))?;
    bytes.push(b'\n');
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

struct Lines(PrettyFormatter<'static>);

impl Formatter for Lines {
    fn begin_array_value<W: ?Sized + Write>(&mut self, to: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { to.write_all(b", ") }
    }

    fn begin_object<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        self.0.begin_object(to)
    }

    fn end_object<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        self.0.end_object(to)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, to: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_object_key(to, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        self.0.begin_object_value(to)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        self.0.end_object_value(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn arrays_are_lines() {
        let value = json!({ "cells": [{ "nodes": 1 }, { "nodes": 2 }], "nodes": [[1, 2], [3]] });
        let expected = "{\n  \"cells\": [{\n    \"nodes\": 1\n  }, {\n    \"nodes\": 2\n  }],\n  \"nodes\": [[1, 2], [3]]\n}\n";
        assert_eq!(text(&value).expect("JSON"), expected);
        assert_eq!(serde_json::from_str::<serde_json::Value>(expected).expect("JSON"), value);
    }
}
