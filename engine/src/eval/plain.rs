//! The plain evaluation: material and piece-square tables, as the programs of the papers on null
//! moves had. It is the baseline of the null-move study, and must never change: so nothing else uses
//! it, and it uses nothing that is tuned or trained.
//!
//! The values were fitted once, in November 2026, to 2,112,117 positions of 134,656 games of this engine
//! against itself (250 nodes per move, `datagen --seed 603 --nodes 250`; quiet positions from the ninth
//! ply on with a score of at most 1500 centipawns, one in four, of those with six pieces or fewer one
//! in sixteen). The logistic function of the evaluation was fitted to the mean of the game's result
//! and the logistic function of the score, by Adam on the squared error (24 passes; error on positions
//! held out 0.0364). Then all values were scaled so that the mean pawn is 100 centipawns.

use nullarbor_chess::board::{Bitboards, Position};

use crate::types::{Bitboard, Colour, MAX_PLY, Piece, Ply, Square};

/// Middlegame and endgame value of a piece type on each square in centipawns, as White sees the
/// board in print: a8 first.
type PieceTable = [(i16, i16); 64];

/// Weights of the piece types in the phase of the game.
const PHASES: [i32; 6] = [0, 1, 1, 2, 4, 0];
/// The phase of all pieces: the middlegame.
const FULL_PHASE: i32 = 24;
/// If more squares differ from the parent's position, the sums are computed from scratch.
const MAX_DIFFERENCES: usize = 8;

/// Sums over the pieces on the board; values are White's less Black's.
#[derive(Clone, Copy, Default)]
struct Sums {
    middlegame: i32,
    endgame: i32,
    phase: i32,
}

/// A position of the line that is being searched.
#[derive(Clone)]
struct Entry {
    pieces: Bitboards,
    sums: Sums,
}

/// Evaluates positions along the line that is being searched, move by move.
pub struct Evaluator {
    /// Entries by ply.
    stack: Box<[Entry]>,
}

impl Evaluator {
    /// Creates an evaluator of empty boards.
    pub fn new() -> Self {
        let empty = Entry { pieces: Bitboards::EMPTY, sums: Sums::default() };
        Self { stack: vec![empty; MAX_PLY + 1].into() }
    }

    /// Returns the value of a position for the side to move, in centipawns.
    ///
    /// The result does not depend on what was evaluated before. It is fastest if the position at
    /// the previous ply is the parent.
    pub fn evaluate(&mut self, position: &Position, ply: Ply) -> i32 {
        if self.stack[ply].pieces.differences(position.bitboards()).is_any() {
            self.update(position.bitboards(), ply);
        }
        let for_white = self.stack[ply].sums.tapered();
        if position.side_to_move() == Colour::White { for_white } else { -for_white }
    }

    fn update(&mut self, pieces: &Bitboards, ply: Ply) {
        let (before, rest) = self.stack.split_at_mut(ply);
        let empty = (&Bitboards::EMPTY, Sums::default());
        let (base, mut sums) = before
            .last()
            .filter(|parent| parent.pieces.differences(pieces).count() <= MAX_DIFFERENCES)
            .map_or(empty, |parent| (&parent.pieces, parent.sums));
        sums.change(base.differences(pieces), base, pieces);
        rest[0].pieces.clone_from(pieces);
        rest[0].sums = sums;
    }
}

impl Default for Evaluator {
    fn default() -> Self {
        Self::new()
    }
}

impl Sums {
    /// Changes the sums from those of one board to those of another that differs on these squares.
    fn change(&mut self, squares: Bitboard, old: &Bitboards, new: &Bitboards) {
        for square in squares {
            if let Some(piece) = new.piece_on(square) {
                self.add(piece, square, 1);
            }
            if let Some(piece) = old.piece_on(square) {
                self.add(piece, square, -1);
            }
        }
    }

    /// Adds a piece, or takes it away if `times` is -1.
    fn add(&mut self, piece: Piece, square: Square, times: i32) {
        // The tables begin with a8, squares with a1.
        let (flip, sign) = if piece.colour == Colour::White { (56, times) } else { (0, -times) };
        let (middlegame, endgame) = TABLES[piece.kind.index()][square.index() ^ flip];
        self.middlegame += sign * i32::from(middlegame);
        self.endgame += sign * i32::from(endgame);
        self.phase += times * PHASES[piece.kind.index()];
    }

    /// Returns the value for White, between middlegame and endgame by the pieces left.
    fn tapered(self) -> i32 {
        let phase = self.phase.min(FULL_PHASE);
        (self.middlegame * phase + self.endgame * (FULL_PHASE - phase)) / FULL_PHASE
    }
}

/// Pawn, knight, bishop, rook, queen, king.
#[rustfmt::skip]
const TABLES: [PieceTable; 6] = [
    // Pawn
    [
        (0, 0), (0, 0), (0, 0), (0, 0), (0, 0), (0, 0), (0, 0), (0, 0),
        (197, 297), (152, 329), (176, 304), (239, 259), (198, 271), (117, 316), (75, 311), (138, 295),
        (73, 232), (111, 247), (109, 232), (126, 210), (126, 215), (123, 212), (110, 227), (74, 207),
        (55, 179), (83, 181), (80, 168), (91, 159), (90, 159), (85, 165), (86, 175), (52, 169),
        (44, 152), (71, 158), (69, 143), (85, 138), (85, 139), (75, 146), (79, 154), (43, 142),
        (40, 143), (73, 153), (67, 142), (73, 144), (77, 145), (75, 143), (91, 147), (43, 136),
        (33, 158), (67, 166), (61, 157), (58, 161), (60, 164), (84, 157), (87, 162), (38, 149),
        (0, 0), (0, 0), (0, 0), (0, 0), (0, 0), (0, 0), (0, 0), (0, 0),
    ],
    // Knight
    [
        (177, 286), (309, 302), (268, 358), (351, 317), (355, 331), (242, 343), (279, 278), (264, 240),
        (320, 300), (303, 333), (372, 317), (373, 355), (352, 354), (394, 322), (328, 334), (309, 303),
        (316, 333), (366, 352), (367, 370), (397, 358), (419, 336), (377, 369), (359, 359), (349, 310),
        (328, 344), (328, 369), (353, 367), (355, 387), (345, 394), (374, 372), (337, 370), (349, 333),
        (304, 336), (311, 348), (330, 376), (333, 374), (338, 365), (335, 367), (342, 342), (318, 332),
        (294, 319), (315, 339), (313, 351), (325, 366), (328, 359), (320, 351), (324, 339), (299, 313),
        (280, 295), (311, 313), (308, 320), (304, 342), (309, 341), (317, 323), (299, 313), (303, 287),
        (275, 266), (287, 281), (286, 307), (300, 306), (296, 313), (302, 302), (292, 289), (288, 219),
    ],
    // Bishop
    [
        (291, 375), (280, 379), (307, 371), (245, 385), (310, 371), (223, 390), (337, 353), (297, 376),
        (344, 357), (342, 365), (346, 374), (330, 382), (344, 380), (359, 362), (357, 373), (327, 345),
        (336, 364), (374, 371), (367, 379), (404, 360), (401, 372), (419, 368), (385, 369), (381, 340),
        (348, 355), (351, 383), (381, 361), (388, 376), (386, 378), (381, 366), (362, 367), (359, 351),
        (347, 344), (347, 376), (356, 380), (368, 378), (369, 368), (356, 377), (355, 360), (353, 343),
        (350, 363), (357, 364), (356, 370), (352, 378), (352, 377), (357, 368), (358, 352), (347, 359),
        (342, 338), (351, 354), (347, 350), (339, 359), (341, 358), (349, 350), (353, 354), (351, 334),
        (336, 331), (327, 330), (329, 317), (339, 322), (332, 329), (325, 340), (321, 332), (324, 332),
    ],
    // Rook
    [
        (512, 620), (526, 628), (527, 628), (548, 615), (530, 613), (544, 615), (562, 614), (517, 622),
        (494, 642), (487, 650), (528, 636), (548, 631), (558, 620), (569, 616), (517, 632), (513, 626),
        (446, 652), (472, 646), (483, 643), (496, 640), (527, 624), (529, 625), (487, 640), (482, 636),
        (425, 647), (443, 644), (451, 646), (464, 635), (462, 631), (482, 627), (469, 630), (445, 634),
        (415, 626), (416, 634), (437, 629), (434, 635), (443, 617), (441, 622), (460, 610), (428, 608),
        (414, 596), (425, 617), (419, 615), (437, 614), (428, 611), (422, 613), (447, 592), (423, 582),
        (406, 600), (419, 603), (426, 608), (428, 609), (427, 610), (434, 599), (440, 594), (403, 592),
        (422, 608), (429, 614), (437, 616), (446, 616), (453, 605), (436, 605), (433, 611), (423, 592),
    ],
    // Queen
    [
        (1095, 958), (1114, 1018), (1123, 1056), (1108, 1071), (1176, 1026), (1158, 1020), (1127, 1030), (1136, 959),
        (1078, 1037), (1068, 1094), (1090, 1105), (1080, 1115), (1090, 1117), (1107, 1089), (1099, 1089), (1114, 1059),
        (1066, 1062), (1093, 1063), (1094, 1073), (1105, 1102), (1117, 1106), (1132, 1095), (1125, 1084), (1115, 1061),
        (1082, 1006), (1071, 1057), (1073, 1087), (1080, 1085), (1093, 1096), (1097, 1096), (1080, 1073), (1099, 1051),
        (1074, 988), (1062, 1050), (1069, 1052), (1069, 1065), (1081, 1046), (1078, 1059), (1074, 1044), (1082, 1035),
        (1072, 969), (1077, 976), (1072, 1015), (1079, 1001), (1077, 995), (1077, 1008), (1085, 1004), (1088, 981),
        (1068, 936), (1075, 959), (1083, 942), (1075, 953), (1079, 960), (1088, 949), (1112, 873), (1091, 955),
        (1068, 981), (1075, 917), (1068, 932), (1075, 922), (1078, 931), (1069, 922), (1076, 898), (1065, 929),
    ],
    // King
    [
        (42, 25), (-11, 126), (-37, 93), (-4, 77), (59, 62), (15, 81), (32, 101), (10, 9),
        (-10, 57), (-49, 82), (-49, 60), (-50, 45), (-33, 37), (-24, 56), (-62, 113), (10, 32),
        (13, 25), (70, 19), (11, 29), (12, 16), (14, 9), (0, 35), (62, 27), (13, 23),
        (19, -5), (-2, 13), (-22, 15), (-4, -3), (2, -7), (-62, 22), (53, -9), (-39, 1),
        (-30, -14), (-16, -6), (-21, -17), (-22, -23), (-13, -25), (-46, 0), (-68, 5), (-42, -21),
        (-20, -22), (-4, -26), (-56, -6), (-38, -14), (-63, -1), (-50, -5), (-21, -19), (-16, -24),
        (42, -33), (24, -28), (14, -30), (-26, -21), (-34, -19), (-5, -21), (11, -24), (23, -37),
        (9, -27), (55, -50), (28, -47), (-14, -58), (6, -64), (-15, -52), (43, -46), (43, -69),
    ],
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn fresh(position: &Position) -> i32 {
        Evaluator::new().evaluate(position, 0)
    }

    proptest! {
        #[test]
        fn evaluation_move_by_move_equals_evaluation_from_scratch(
            choices in proptest::collection::vec(0_usize..256, 1..80),
        ) {
            let mut evaluator = Evaluator::new();
            let mut position = Position::start();
            for (ply, choice) in choices.into_iter().enumerate() {
                prop_assert_eq!(evaluator.evaluate(&position, ply), fresh(&position));
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                position = position.make(moves[choice % moves.len()]);
            }
        }
    }

    #[test]
    fn colours_are_symmetric() {
        let value = |fen| fresh(&Position::from_fen(fen).expect(fen));
        assert_eq!(fresh(&Position::start()), 0);
        let white = value("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1");
        let black = value("r3k2r/pppbbppp/2n2q1P/1P2p3/3pn3/BN2PNP1/P1PPQPB1/R3K2R b KQkq - 0 1");
        assert_eq!(white, black);
    }

    #[test]
    fn more_queens_than_a_game_begins_with_are_no_more_than_a_middlegame() {
        let value =
            fresh(&Position::from_fen("QQQQ4/QQQQ4/8/8/8/8/7k/K7 b - - 0 1").expect("legal"));
        assert!((-12_000..-7000).contains(&value), "{value}");
    }
}
