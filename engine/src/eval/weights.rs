//! The numbers of the evaluation, all in centipawns.

use super::tapered::{Tapered, s};

/// What a man is worth by its kind.
pub const MATERIAL: [Tapered; 6] =
    [s(85, 105), s(335, 310), s(350, 325), s(455, 555), s(980, 1010), s(0, 0)];

/// What a man gains on its square: by kind, by rank from its owner's side, by distance of the file from
/// the edge (0 is the a- and the h-file).
pub const SQUARES: [[Tapered; 32]; 6] = [
    [
        s(0, 0),
        s(0, 0),
        s(0, 0),
        s(0, 0),
        s(0, -2),
        s(0, -3),
        s(0, -4),
        s(-10, -5),
        s(-2, 0),
        s(2, -1),
        s(6, -2),
        s(10, -3),
        s(4, 8),
        s(8, 7),
        s(12, 6),
        s(28, 5),
        s(12, 22),
        s(16, 21),
        s(20, 20),
        s(24, 19),
        s(26, 50),
        s(30, 49),
        s(34, 48),
        s(38, 47),
        s(56, 95),
        s(60, 94),
        s(64, 93),
        s(68, 92),
        s(0, 0),
        s(0, 0),
        s(0, 0),
        s(0, 0),
    ],
    [
        s(-48, -36),
        s(-34, -24),
        s(-20, -12),
        s(-6, 0),
        s(-28, -24),
        s(-14, -12),
        s(0, 0),
        s(14, 12),
        s(-14, -12),
        s(0, 0),
        s(14, 12),
        s(28, 24),
        s(0, 0),
        s(14, 12),
        s(28, 24),
        s(42, 36),
        s(8, 0),
        s(22, 12),
        s(36, 24),
        s(50, 36),
        s(-6, -12),
        s(8, 0),
        s(22, 12),
        s(36, 24),
        s(-28, -24),
        s(-14, -12),
        s(0, 0),
        s(14, 12),
        s(-52, -36),
        s(-38, -24),
        s(-24, -12),
        s(-10, 0),
    ],
    [
        s(-22, -12),
        s(-17, -8),
        s(-12, -4),
        s(-7, 0),
        s(-5, -8),
        s(0, -4),
        s(5, 0),
        s(10, 4),
        s(0, -4),
        s(5, 0),
        s(10, 4),
        s(15, 8),
        s(1, 0),
        s(6, 4),
        s(11, 8),
        s(16, 12),
        s(1, 0),
        s(6, 4),
        s(11, 8),
        s(16, 12),
        s(-4, -4),
        s(1, 0),
        s(6, 4),
        s(11, 8),
        s(-9, -8),
        s(-4, -4),
        s(1, 0),
        s(6, 4),
        s(-14, -12),
        s(-9, -8),
        s(-4, -4),
        s(1, 0),
    ],
    [
        s(-8, 0),
        s(-4, 0),
        s(0, 0),
        s(4, 0),
        s(-12, 0),
        s(-8, 0),
        s(-4, 0),
        s(0, 0),
        s(-12, 0),
        s(-8, 0),
        s(-4, 0),
        s(0, 0),
        s(-12, 0),
        s(-8, 0),
        s(-4, 0),
        s(0, 0),
        s(-8, 6),
        s(-4, 6),
        s(0, 6),
        s(4, 6),
        s(-8, 6),
        s(-4, 6),
        s(0, 6),
        s(4, 6),
        s(6, 12),
        s(10, 12),
        s(14, 12),
        s(18, 12),
        s(-4, 6),
        s(0, 6),
        s(4, 6),
        s(8, 6),
    ],
    [
        s(-6, -28),
        s(-4, -19),
        s(-2, -10),
        s(0, -1),
        s(-4, -19),
        s(-2, -10),
        s(0, -1),
        s(2, 8),
        s(-2, -10),
        s(0, -1),
        s(2, 8),
        s(4, 17),
        s(0, -1),
        s(2, 8),
        s(4, 17),
        s(6, 26),
        s(0, 7),
        s(2, 16),
        s(4, 25),
        s(6, 34),
        s(-6, -2),
        s(-4, 7),
        s(-2, 16),
        s(0, 25),
        s(-8, -11),
        s(-6, -2),
        s(-4, 7),
        s(-2, 16),
        s(-10, -20),
        s(-8, -11),
        s(-6, -2),
        s(-4, 7),
    ],
    [
        s(32, -44),
        s(40, -30),
        s(18, -16),
        s(4, -2),
        s(22, -30),
        s(30, -16),
        s(8, -2),
        s(-6, 12),
        s(-8, -16),
        s(0, -2),
        s(-22, 12),
        s(-36, 26),
        s(-31, -2),
        s(-23, 12),
        s(-45, 26),
        s(-59, 40),
        s(-46, -2),
        s(-38, 12),
        s(-60, 26),
        s(-74, 40),
        s(-46, -16),
        s(-38, -2),
        s(-60, 12),
        s(-74, 26),
        s(-46, -30),
        s(-38, -16),
        s(-60, -2),
        s(-74, 12),
        s(-46, -44),
        s(-38, -30),
        s(-60, -16),
        s(-74, -2),
    ],
];

/// Squares a knight, bishop, rook or queen can go to that no enemy pawn attacks, per square.
pub const MOBILITY: [Tapered; 4] = [s(5, 5), s(5, 5), s(3, 5), s(2, 4)];
/// The number of such squares that is neither good nor bad.
pub const USUAL_MOBILITY: [i32; 4] = [4, 6, 7, 13];

/// A passed pawn by rank.
pub const PASSED: [Tapered; 8] =
    [s(0, 0), s(0, 8), s(0, 12), s(6, 28), s(22, 52), s(52, 95), s(90, 150), s(0, 0)];
/// A passed pawn's next square is free.
pub const PASSED_FREE: Tapered = s(4, 14);
/// Distance of the enemy king from the square ahead of a passed pawn, per square.
pub const PASSED_ENEMY_KING: Tapered = s(0, 9);
/// Distance of the own king from it, per square.
pub const PASSED_OWN_KING: Tapered = s(0, -6);

/// A pawn with an own pawn ahead on its file.
pub const DOUBLED: Tapered = s(-8, -18);
/// A pawn with no own pawn on the files beside it.
pub const ISOLATED: Tapered = s(-12, -10);
/// A pawn that a pawn protects.
pub const PROTECTED: Tapered = s(12, 8);

/// Two bishops.
pub const BISHOP_PAIR: Tapered = s(24, 52);
/// A rook on a file without pawns.
pub const ROOK_OPEN_FILE: Tapered = s(34, 8);
/// A rook on a file without own pawns.
pub const ROOK_HALF_OPEN_FILE: Tapered = s(14, 8);

/// A piece that a pawn attacks.
pub const ATTACKED_BY_PAWN: Tapered = s(-48, -42);
/// A rook or queen that a minor piece attacks.
pub const ATTACKED_BY_MINOR: Tapered = s(-36, -32);
/// A man that is attacked and not protected.
pub const HANGING: Tapered = s(-16, -18);

/// A pawn in front of the king, one rank or two ranks ahead.
pub const SHELTER: Tapered = s(13, 0);
/// A file beside the king, or its own, without own pawns.
pub const OPEN_KING_FILE: Tapered = s(-18, 2);
/// An attack on a square beside the king by a knight, bishop, rook or queen.
pub const KING_ATTACK: [i32; 4] = [7, 6, 8, 9];
/// A square from which a knight, bishop, rook or queen could check safely.
pub const SAFE_CHECK: [i32; 4] = [14, 8, 16, 11];
/// Danger squared over this is lost in the middlegame.
pub const DANGER_DIVISOR: i32 = 28;

/// The right to move.
pub const TEMPO: i32 = 16;
