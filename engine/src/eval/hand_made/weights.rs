//! The numbers of the evaluation, all in centipawns, fitted to the engine's own games.

use super::tapered::{Tapered, s};

/// What a man is worth by its kind.
pub const MATERIAL: [Tapered; 6] =
    [s(63, 84), s(304, 306), s(321, 326), s(423, 556), s(962, 989), s(0, 0)];

/// What a man gains on its square: by kind, by rank from its owner's side, by distance of the file from
/// the edge (0 is the a- and the h-file).
#[rustfmt::skip]
pub const SQUARES: [[Tapered; 32]; 6] = [
    [
        s(0, 0), s(0, 0), s(0, 0), s(0, 0),
        s(4, 7), s(7, -3), s(10, 7), s(3, 21),
        s(-2, 6), s(2, -4), s(3, 4), s(0, 5),
        s(1, 9), s(-1, 8), s(10, 2), s(16, 0),
        s(22, 23), s(-2, 15), s(12, 8), s(22, 9),
        s(22, 34), s(21, 39), s(20, 38), s(52, 18),
        s(40, 84), s(71, 72), s(70, 85), s(66, 86),
        s(0, 0), s(0, 0), s(0, 0), s(0, 0),
    ],
    [
        s(-46, -31), s(1, -7), s(-14, -3), s(-11, 0),
        s(-10, -16), s(-9, -22), s(-12, 10), s(-3, -4),
        s(-7, -4), s(-4, 3), s(-2, 3), s(16, 14),
        s(8, 3), s(29, -4), s(21, 31), s(13, 24),
        s(33, 16), s(11, 16), s(41, 12), s(29, 31),
        s(-30, -10), s(20, 0), s(12, 7), s(56, 18),
        s(-27, -19), s(-22, 8), s(16, 4), s(3, 9),
        s(-52, -40), s(-39, -18), s(-35, -16), s(-14, -10),
    ],
    [
        s(8, -6), s(1, -1), s(-6, 2), s(-12, 2),
        s(13, 7), s(1, -14), s(2, -2), s(-6, -8),
        s(8, -24), s(6, -4), s(-2, 1), s(4, 2),
        s(14, -12), s(12, -8), s(4, 8), s(21, 2),
        s(-14, -8), s(6, -2), s(18, 10), s(8, 6),
        s(-15, 11), s(2, 8), s(-3, 13), s(18, 8),
        s(-10, 10), s(-19, 2), s(-22, 20), s(-19, -1),
        s(-15, -9), s(-6, 1), s(-16, 2), s(1, -5),
    ],
    [
        s(-14, -6), s(-8, -23), s(-8, -11), s(-3, -16),
        s(-11, 4), s(-36, -5), s(1, -6), s(3, -14),
        s(-6, -8), s(-19, -8), s(-21, 1), s(-8, -3),
        s(-16, 10), s(-3, 2), s(-11, 13), s(-13, 3),
        s(3, 14), s(-19, 11), s(35, 2), s(0, 5),
        s(1, 17), s(22, 10), s(19, 6), s(36, 2),
        s(-13, 25), s(-14, 19), s(19, 16), s(21, 9),
        s(-10, 32), s(8, 20), s(12, 15), s(-5, 12),
    ],
    [
        s(-13, -34), s(-8, -28), s(-2, -42), s(2, -31),
        s(-11, -24), s(-2, -12), s(5, -7), s(8, -16),
        s(10, -7), s(3, 2), s(-2, 6), s(-2, 20),
        s(-2, -15), s(2, -4), s(-6, 18), s(-4, 13),
        s(0, 14), s(2, 31), s(7, 11), s(6, 39),
        s(-6, -11), s(9, 23), s(5, 19), s(-20, 23),
        s(-12, 2), s(-28, 13), s(-4, 38), s(-10, 20),
        s(5, -5), s(4, -4), s(-10, 5), s(8, 16),
    ],
    [
        s(30, -61), s(38, -33), s(15, -29), s(24, -30),
        s(3, -30), s(17, -14), s(1, -11), s(-2, -5),
        s(-15, -18), s(-15, 0), s(-18, 2), s(-15, 5),
        s(-29, 1), s(-39, 6), s(-54, 18), s(-61, 26),
        s(-44, -3), s(-32, 26), s(-62, 24), s(-77, 37),
        s(-43, 2), s(-33, 36), s(-52, 40), s(-71, 40),
        s(-47, -26), s(-35, 3), s(-58, 32), s(-71, 25),
        s(-48, -60), s(-35, -19), s(-58, 0), s(-74, 11),
    ],
];

/// Mobility by piece and by the number of squares it can go to that no enemy pawn attacks and no own
/// pawn holds.
#[rustfmt::skip]
pub const MOBILITY: [&[Tapered]; 4] = [
    &[
        s(-24, -37), s(-30, -29), s(-21, -12), s(-12, 4), s(-5, 9), s(2, 13), s(8, 12),
        s(13, 12), s(15, 8),
    ],
    &[
        s(-28, -33), s(-28, -33), s(-16, -29), s(-13, -15), s(-8, -4), s(-5, 7), s(2, 5),
        s(-1, 13), s(-1, 17), s(-3, 15), s(4, 18), s(10, 16), s(18, 21), s(22, 22),
    ],
    &[
        s(-30, -49), s(-27, -42), s(-11, -30), s(-1, -20), s(-7, -14), s(-7, -2), s(-8, 5),
        s(-6, 5), s(1, 10), s(2, 16), s(9, 16), s(9, 21), s(7, 27), s(16, 24),
        s(24, 22),
    ],
    &[
        s(-26, -54), s(-25, -51), s(-22, -48), s(-16, -45), s(-20, -44), s(-16, -38), s(-11, -30),
        s(-10, -24), s(-4, -16), s(-3, -8), s(-3, -3), s(-3, 5), s(1, 5), s(2, 10),
        s(4, 11), s(4, 18), s(1, 17), s(-1, 18), s(2, 17), s(9, 22), s(12, 21),
        s(11, 20), s(11, 22), s(12, 25), s(16, 32), s(19, 39), s(23, 46), s(25, 51),
    ],
];

/// A passed pawn by rank.
pub const PASSED: [Tapered; 8] =
    [s(0, 0), s(-3, 14), s(-13, 22), s(0, 20), s(15, 45), s(48, 65), s(88, 114), s(0, 0)];
/// A passed pawn's next square is free.
pub const PASSED_FREE: Tapered = s(8, 15);
/// No man stands on its way to promotion and no enemy attacks it.
pub const PASSED_CLEAR: Tapered = s(-35, 39);
/// Distance of the enemy king from the square ahead of a passed pawn, per square, by the pawn's rank.
pub const PASSED_ENEMY_KING: [Tapered; 8] =
    [s(0, 0), s(0, 0), s(0, 0), s(-4, 9), s(-8, 20), s(-4, 28), s(1, 34), s(0, 0)];
/// Distance of the own king from it, likewise.
pub const PASSED_OWN_KING: [Tapered; 8] =
    [s(0, 0), s(0, 0), s(0, 0), s(7, -6), s(4, -13), s(-2, -12), s(-1, -25), s(0, 0)];

/// A pawn with an own pawn ahead on its file.
pub const DOUBLED: Tapered = s(-11, -12);
/// A pawn with no own pawn on the files beside it.
pub const ISOLATED: Tapered = s(-8, -8);
/// A pawn that a pawn protects.
pub const PROTECTED: Tapered = s(10, 10);
/// A pawn with an own pawn beside it, by rank.
pub const PHALANX: [Tapered; 8] =
    [s(0, 0), s(1, 1), s(2, 1), s(7, 7), s(18, 27), s(11, 44), s(5, 11), s(0, 0)];

/// Two bishops.
pub const BISHOP_PAIR: Tapered = s(9, 52);
/// A knight or bishop right behind a pawn.
pub const SHIELDED_MINOR: Tapered = s(6, 10);
/// A rook on a file without pawns.
pub const ROOK_OPEN_FILE: Tapered = s(23, -2);
/// A rook on a file without own pawns.
pub const ROOK_HALF_OPEN_FILE: Tapered = s(8, 10);

/// A piece that a pawn attacks.
pub const ATTACKED_BY_PAWN: Tapered = s(-42, -25);
/// A rook or queen that a minor piece attacks.
pub const ATTACKED_BY_MINOR: Tapered = s(-47, -12);
/// A piece that a pawn could attack with a safe push.
pub const PUSH_THREAT: Tapered = s(-9, -16);
/// A man that is attacked and not protected.
pub const HANGING: Tapered = s(-12, -31);

/// A pawn in front of the king, one rank or two ranks ahead.
pub const SHELTER: Tapered = s(17, -7);
/// A file beside the king, or its own, without own pawns.
pub const OPEN_KING_FILE: Tapered = s(-8, -7);
/// An attack on a square beside the king by a knight, bishop, rook or queen.
pub const KING_ATTACK: [i32; 4] = [14, 27, 21, 25];
/// A square from which a knight, bishop, rook or queen could check safely.
pub const SAFE_CHECK: [i32; 4] = [55, 21, 56, 45];
/// Danger squared over this is lost in the middlegame.
pub const DANGER_DIVISOR: i32 = 256;

/// The share, in 64ths, of an endgame advantage that can be won with so many pawns.
pub const WINNING_CHANCES: [i32; 9] = [64, 58, 76, 82, 87, 88, 84, 87, 81];
/// The same without pawns and with no more than a minor piece ahead.
pub const WINNING_CHANCES_BARE: i32 = 4;
/// The same where each side has but a bishop, on squares of opposite colours.
pub const WINNING_CHANCES_OPPOSITE_BISHOPS: i32 = 49;
/// Distance of a bare king from the centre, per square: it is mated on the edge.
pub const BARE_KING_FROM_CENTRE: Tapered = s(30, 30);
/// Distance of the own king from it, per square.
pub const BARE_KING_OWN_KING: Tapered = s(-18, -18);

/// The right to move.
pub const TEMPO: i32 = 12;
