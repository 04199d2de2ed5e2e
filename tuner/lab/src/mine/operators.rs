//! The operators of conditions: those of C, with its rules of precedence.

use exmex::{BinOp, MakeOperators, Operator, ops_factory};

/// Integers; as in C, 0 is false and all else is true.
pub type Number = i64;
const fn binary(prio: i64, apply: fn(Number, Number) -> Number) -> BinOp<Number> {
    BinOp { apply, prio, is_commutative: false }
}

ops_factory!(
    Operators,
    Number,
    Operator::make_bin("||", binary(0, |a, b| Number::from(a != 0 || b != 0))),
    Operator::make_bin("&&", binary(1, |a, b| Number::from(a != 0 && b != 0))),
    Operator::make_bin("==", binary(2, |a, b| Number::from(a == b))),
    Operator::make_bin("!=", binary(2, |a, b| Number::from(a != b))),
    Operator::make_bin(">", binary(3, |a, b| Number::from(a > b))),
    Operator::make_bin("<", binary(3, |a, b| Number::from(a < b))),
    Operator::make_bin(">=", binary(3, |a, b| Number::from(a >= b))),
    Operator::make_bin("<=", binary(3, |a, b| Number::from(a <= b))),
    Operator::make_bin("+", binary(4, Number::wrapping_add)),
    Operator::make_bin_unary("-", binary(4, Number::wrapping_sub), Number::wrapping_neg),
    Operator::make_bin("*", binary(5, Number::wrapping_mul)),
    Operator::make_bin("/", binary(5, |a, b| a.checked_div(b).unwrap_or(0))),
    Operator::make_bin("%", binary(5, |a, b| a.checked_rem(b).unwrap_or(0))),
    Operator::make_unary("!", |a| Number::from(a == 0))
);
