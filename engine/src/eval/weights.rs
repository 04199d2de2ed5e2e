//! The numbers of the evaluation, all in centipawns, fitted to the engine's own games.

use super::tapered::{Tapered, s};

/// What a man is worth by its kind.
pub const MATERIAL: [Tapered; 6] =
    [s(70, 102), s(318, 336), s(336, 364), s(456, 616), s(1034, 1064), s(0, 0)];

/// What a man gains on its square: by kind, by rank from its owner's side, by distance of the file from
/// the edge (0 is the a- and the h-file).
#[rustfmt::skip]
pub const SQUARES: [[Tapered; 32]; 6] = [
    [
        s(0, 0), s(0, 0), s(0, 0), s(0, 0),
        s(3, 10), s(5, -2), s(8, 8), s(2, 25),
        s(-2, 9), s(2, -6), s(4, 5), s(3, 6),
        s(2, 12), s(1, 12), s(14, 4), s(20, 1),
        s(22, 30), s(-5, 20), s(9, 14), s(20, 14),
        s(27, 28), s(28, 36), s(21, 42), s(46, 27),
        s(48, 81), s(73, 73), s(69, 92), s(65, 88),
        s(0, 0), s(0, 0), s(0, 0), s(0, 0),
    ],
    [
        s(-46, -26), s(10, -9), s(-14, 0), s(-10, 1),
        s(-4, -13), s(-4, -22), s(-8, 14), s(0, -6),
        s(-6, -3), s(-5, 4), s(-2, 1), s(19, 14),
        s(8, 2), s(24, -4), s(18, 34), s(12, 29),
        s(32, 18), s(8, 21), s(36, 17), s(30, 36),
        s(-24, -10), s(21, 3), s(14, 12), s(56, 22),
        s(-30, -24), s(-22, 4), s(18, 6), s(4, 8),
        s(-53, -42), s(-40, -15), s(-36, -20), s(-17, -13),
    ],
    [
        s(9, -4), s(5, 2), s(-3, 2), s(-10, 0),
        s(21, 14), s(4, -8), s(5, -1), s(-3, -9),
        s(8, -27), s(6, -3), s(-2, 5), s(6, 5),
        s(10, -13), s(10, -8), s(1, 10), s(21, 3),
        s(-12, -6), s(0, 0), s(16, 15), s(7, 11),
        s(-10, 16), s(7, 9), s(2, 16), s(19, 10),
        s(-10, 10), s(-18, 3), s(-19, 22), s(-16, 1),
        s(-13, -12), s(-8, -2), s(-14, 4), s(0, -5),
    ],
    [
        s(-15, 2), s(-8, -18), s(-8, -6), s(-4, -12),
        s(-10, 7), s(-35, -4), s(-1, -5), s(6, -15),
        s(-6, -6), s(-18, -12), s(-22, 1), s(-7, -4),
        s(-17, 13), s(-6, 0), s(-13, 13), s(-16, 5),
        s(4, 14), s(-24, 14), s(32, 2), s(0, 7),
        s(5, 20), s(28, 9), s(27, 6), s(39, 3),
        s(-5, 28), s(-9, 24), s(25, 20), s(25, 13),
        s(-9, 36), s(10, 23), s(15, 16), s(-2, 10),
    ],
    [
        s(-11, -35), s(-10, -28), s(-3, -42), s(4, -31),
        s(-12, -20), s(-1, -9), s(8, -8), s(11, -18),
        s(9, -8), s(4, 7), s(1, 9), s(1, 27),
        s(0, -13), s(0, -3), s(-6, 24), s(-6, 22),
        s(4, 16), s(4, 36), s(9, 19), s(10, 47),
        s(-4, -9), s(14, 26), s(8, 27), s(-14, 28),
        s(-8, 3), s(-22, 14), s(3, 40), s(-6, 25),
        s(4, -9), s(3, -6), s(-9, 4), s(9, 16),
    ],
    [
        s(19, -61), s(29, -31), s(8, -28), s(20, -34),
        s(-1, -28), s(10, -8), s(0, -12), s(0, -10),
        s(-12, -18), s(-15, 4), s(-11, -1), s(-9, 2),
        s(-23, -3), s(-38, 4), s(-48, 15), s(-54, 24),
        s(-43, -4), s(-22, 22), s(-60, 16), s(-73, 26),
        s(-44, 1), s(-30, 31), s(-47, 32), s(-67, 32),
        s(-48, -25), s(-33, 9), s(-58, 30), s(-72, 24),
        s(-47, -53), s(-32, -9), s(-58, 2), s(-73, 14),
    ],
];

/// Mobility by piece and by the number of squares it can go to that no enemy pawn attacks and no own
/// pawn holds.
#[rustfmt::skip]
pub const MOBILITY: [&[Tapered]; 4] = [
    &[
        s(-16, -46), s(-35, -35), s(-21, -8), s(-10, 12), s(-3, 17), s(4, 25), s(13, 24),
        s(18, 24), s(21, 12),
    ],
    &[
        s(-26, -33), s(-28, -40), s(-12, -36), s(-12, -14), s(-6, 0), s(-3, 16), s(6, 9),
        s(2, 21), s(1, 28), s(1, 24), s(9, 26), s(15, 22), s(21, 30), s(20, 28),
    ],
    &[
        s(-32, -51), s(-29, -50), s(-11, -27), s(-2, -19), s(-6, -14), s(-7, 5), s(-7, 13),
        s(-5, 13), s(4, 18), s(4, 28), s(13, 24), s(11, 32), s(7, 40), s(19, 32),
        s(47, 13),
    ],
    &[
        s(-26, -52), s(-26, -49), s(-22, -47), s(-5, -41), s(-22, -52), s(-14, -44), s(-9, -26),
        s(-10, -27), s(-2, -14), s(-2, -3), s(-1, 1), s(-2, 16), s(4, 8), s(3, 23),
        s(10, 15), s(7, 34), s(6, 26), s(-1, 33), s(5, 21), s(16, 31), s(26, 26),
        s(13, 18), s(12, 25), s(12, 16), s(15, 33), s(20, 37), s(25, 49), s(27, 53),
    ],
];

/// A passed pawn by rank.
pub const PASSED: [Tapered; 8] =
    [s(0, 0), s(-4, 20), s(-12, 28), s(-7, 19), s(13, 48), s(66, 30), s(96, 114), s(0, 0)];
/// A passed pawn's next square is free.
pub const PASSED_FREE: Tapered = s(13, 29);
/// Distance of the enemy king from the square ahead of a passed pawn, per square, by the pawn's rank.
pub const PASSED_ENEMY_KING: [Tapered; 8] =
    [s(0, 0), s(0, 0), s(0, 0), s(-5, 13), s(-8, 26), s(-9, 41), s(3, 42), s(0, 0)];
/// Distance of the own king from it, likewise.
pub const PASSED_OWN_KING: [Tapered; 8] =
    [s(0, 0), s(0, 0), s(0, 0), s(8, -9), s(4, -16), s(-3, -10), s(-1, -28), s(0, 0)];

/// A pawn with an own pawn ahead on its file.
pub const DOUBLED: Tapered = s(-14, -13);
/// A pawn with no own pawn on the files beside it.
pub const ISOLATED: Tapered = s(-10, -13);
/// A pawn that a pawn protects.
pub const PROTECTED: Tapered = s(8, 7);

/// Two bishops.
pub const BISHOP_PAIR: Tapered = s(11, 63);
/// A rook on a file without pawns.
pub const ROOK_OPEN_FILE: Tapered = s(22, 0);
/// A rook on a file without own pawns.
pub const ROOK_HALF_OPEN_FILE: Tapered = s(8, 12);

/// A piece that a pawn attacks.
pub const ATTACKED_BY_PAWN: Tapered = s(-42, -27);
/// A rook or queen that a minor piece attacks.
pub const ATTACKED_BY_MINOR: Tapered = s(-48, -11);
/// A man that is attacked and not protected.
pub const HANGING: Tapered = s(-13, -40);

/// A pawn in front of the king, one rank or two ranks ahead.
pub const SHELTER: Tapered = s(19, -11);
/// A file beside the king, or its own, without own pawns.
pub const OPEN_KING_FILE: Tapered = s(-7, -9);
/// An attack on a square beside the king by a knight, bishop, rook or queen.
pub const KING_ATTACK: [i32; 4] = [15, 27, 22, 26];
/// A square from which a knight, bishop, rook or queen could check safely.
pub const SAFE_CHECK: [i32; 4] = [68, 19, 65, 45];
/// Danger squared over this is lost in the middlegame.
pub const DANGER_DIVISOR: i32 = 256;

/// The right to move.
pub const TEMPO: i32 = 12;
