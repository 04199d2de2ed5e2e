//! The legal move generator.
//!
//! The generator passes sets of target squares to a [`Sink`]. One sink writes moves to a list, the
//! other one only counts bits, which makes perft fast (bulk counting).

use super::{Position, Threats};
use crate::attacks;
use crate::types::{
    Bitboard, CastlingSide, Colour, Move, MoveFlag, MoveList, PieceType, Rank, Square,
};

/// The moves to generate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GenType {
    /// All moves.
    All,
    /// Captures and promotions to a queen: see [`Move::is_noisy`].
    Noisy,
    /// All other moves.
    Quiet,
}

impl GenType {
    fn includes_noisy(self) -> bool {
        self != Self::Quiet
    }

    fn includes_quiet(self) -> bool {
        self != Self::Noisy
    }
}

/// Receives the generated moves.
trait Sink {
    /// Adds the moves of one piece to each of `targets`.
    fn add_moves(&mut self, from: Square, targets: Bitboard, flag: MoveFlag);
    /// Adds a pawn move to each of `targets`; `step` is the target square minus the from square.
    fn add_pawn_moves(&mut self, targets: Bitboard, step: i32, flag: MoveFlag);
}

impl Sink for MoveList {
    fn add_moves(&mut self, from: Square, targets: Bitboard, flag: MoveFlag) {
        for to in targets {
            self.push(Move::new(from, to, flag));
        }
    }

    fn add_pawn_moves(&mut self, targets: Bitboard, step: i32, flag: MoveFlag) {
        for to in targets {
            let from = Square::new((to.index() as i32 - step) as usize);
            self.push(Move::new(from, to, flag));
        }
    }
}

/// Counts moves.
struct Count(usize);

impl Sink for Count {
    fn add_moves(&mut self, _: Square, targets: Bitboard, _: MoveFlag) {
        self.0 += targets.count();
    }

    fn add_pawn_moves(&mut self, targets: Bitboard, _: i32, _: MoveFlag) {
        self.0 += targets.count();
    }
}

impl Position {
    /// Returns all legal moves.
    pub fn legal_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        self.generate(GenType::All, &mut list);
        list
    }

    /// Appends the legal moves of a type to `list`.
    ///
    /// ```
    /// use nullarbor_chess::board::{GenType, Position};
    /// use nullarbor_chess::types::MoveList;
    ///
    /// let position = Position::from_fen("4k3/1P6/8/3p4/4P3/8/8/4K3 w - - 0 1")?;
    /// let mut noisy = MoveList::new();
    /// position.generate(GenType::Noisy, &mut noisy);
    /// let mut texts: Vec<String> = noisy.iter().map(|&mv| position.san(mv)).collect();
    /// texts.sort();
    /// assert_eq!(texts, ["b8=Q+", "exd5"]);
    ///
    /// let mut quiet = MoveList::new();
    /// position.generate(GenType::Quiet, &mut quiet);
    /// // Five moves of the king, one of the pawn, three other promotions.
    /// assert_eq!(quiet.len(), 5 + 1 + 3);
    /// assert_eq!(position.count_moves(), noisy.len() + quiet.len());
    /// # Ok::<(), nullarbor_chess::board::FenError>(())
    /// ```
    #[inline]
    pub fn generate(&self, gen_type: GenType, list: &mut MoveList) {
        Generator::new(self, gen_type).run(list);
    }

    /// The same with the [`threats`](Self::threats) of the position, which save time.
    #[inline]
    pub fn generate_with(&self, gen_type: GenType, threats: &Threats, list: &mut MoveList) {
        // A slider that gives check also attacks the squares behind the king.
        let attacked = (!self.in_check()).then_some(threats.all);
        Generator { attacked, ..Generator::new(self, gen_type) }.run(list);
    }

    /// Returns the number of legal moves.
    pub fn count_moves(&self) -> usize {
        let mut count = Count(0);
        Generator::new(self, GenType::All).run(&mut count);
        count.0
    }

    /// Returns whether there is a legal move.
    pub fn has_moves(&self) -> bool {
        // Counting is cheap: it writes no moves.
        self.count_moves() != 0
    }
}

struct Generator<'a> {
    position: &'a Position,
    gen_type: GenType,
    us: Colour,
    king: Square,
    occupied: Bitboard,
    enemies: Bitboard,
    /// Squares to which pieces other than the king may move.
    check_mask: Bitboard,
    /// Squares to which the king may not move, if they are known.
    attacked: Option<Bitboard>,
}

impl<'a> Generator<'a> {
    fn new(position: &'a Position, gen_type: GenType) -> Self {
        let us = position.side_to_move;
        Self {
            position,
            gen_type,
            us,
            king: position.king(us),
            occupied: position.occupied(),
            enemies: position.occupied_by(!us),
            check_mask: position.check_mask(),
            attacked: None,
        }
    }

    fn run(&self, sink: &mut impl Sink) {
        self.king_moves(sink);
        if self.position.checkers.more_than_one() {
            return;
        }
        self.castling(sink);
        self.pawn_moves(sink);
        for kind in [PieceType::Knight, PieceType::Bishop, PieceType::Rook, PieceType::Queen] {
            self.piece_moves(kind, sink);
        }
    }

    /// Adds the captures and quiet moves among some targets.
    fn emit(&self, from: Square, targets: Bitboard, sink: &mut impl Sink) {
        if self.gen_type.includes_noisy() {
            sink.add_moves(from, targets & self.enemies, MoveFlag::Capture);
        }
        if self.gen_type.includes_quiet() {
            sink.add_moves(from, targets.without(self.occupied), MoveFlag::Quiet);
        }
    }

    /// Returns the squares that moves of the type can end on.
    fn target_squares(&self) -> Bitboard {
        match self.gen_type {
            GenType::All => !self.position.occupied_by(self.us),
            GenType::Noisy => self.enemies,
            GenType::Quiet => !self.occupied,
        }
    }

    fn king_moves(&self, sink: &mut impl Sink) {
        let targets = attacks::king(self.king) & self.target_squares();
        let safe = match self.attacked {
            Some(attacked) => targets.without(attacked),
            None => targets
                .filter(|&to| !self.position.is_unsafe_for_king(to))
                .fold(Bitboard::EMPTY, |set, to| set | Bitboard::of(to)),
        };
        self.emit(self.king, safe, sink);
    }

    fn castling(&self, sink: &mut impl Sink) {
        if !self.gen_type.includes_quiet() {
            return;
        }
        for castling_side in CastlingSide::ALL {
            let rook = self.position.castling.rook(self.us, castling_side);
            if let Some(rook) = rook.filter(|&rook| self.position.can_castle(castling_side, rook)) {
                sink.add_moves(self.king, Bitboard::of(rook), MoveFlag::Castle);
            }
        }
    }

    fn piece_moves(&self, kind: PieceType, sink: &mut impl Sink) {
        let check_mask = self.check_mask & self.target_squares();
        let pieces = self.position.pieces(self.us, kind);
        for from in pieces.without(self.position.pinned) {
            self.emit(from, attacks::piece(kind, from, self.occupied) & check_mask, sink);
        }
        for from in pieces & self.position.pinned {
            let line = attacks::line(self.king, from);
            self.emit(from, attacks::piece(kind, from, self.occupied) & check_mask & line, sink);
        }
    }

    fn pawn_moves(&self, sink: &mut impl Sink) {
        let pawns = self.position.pieces(self.us, PieceType::Pawn);
        self.pawn_pushes(pawns, sink);
        if self.gen_type.includes_noisy() {
            self.pawn_captures(pawns, sink);
            self.en_passant(pawns, sink);
        }
    }

    /// Returns the difference of square indices for one rank forward and `files` files towards h.
    fn step(&self, files: i32) -> i32 {
        match self.us {
            Colour::White => 8 + files,
            Colour::Black => -8 + files,
        }
    }

    fn last_rank(&self) -> Bitboard {
        Bitboard::rank(Rank::new(7).relative_to(self.us))
    }

    fn pawn_pushes(&self, pawns: Bitboard, sink: &mut impl Sink) {
        // A pinned pawn can advance only if it is pinned along its file.
        let stuck = self.position.pinned.without(Bitboard::file(self.king.file()));
        let once = pawns.without(stuck).forward(self.us).without(self.occupied);
        let third = Bitboard::rank(Rank::new(2).relative_to(self.us));
        let twice = (once & third).forward(self.us).without(self.occupied) & self.check_mask;
        let once = once & self.check_mask;
        let (step, last) = (self.step(0), self.last_rank());
        let [knight, bishop, rook, queen] = MoveFlag::promotions(false);
        if self.gen_type.includes_noisy() {
            sink.add_pawn_moves(once & last, step, queen);
        }
        if self.gen_type.includes_quiet() {
            for flag in [knight, bishop, rook] {
                sink.add_pawn_moves(once & last, step, flag);
            }
            sink.add_pawn_moves(once.without(last), step, MoveFlag::Quiet);
            sink.add_pawn_moves(twice, 2 * step, MoveFlag::DoublePush);
        }
    }

    fn pawn_captures(&self, pawns: Bitboard, sink: &mut impl Sink) {
        let targets = self.enemies & self.check_mask;
        let free = pawns.without(self.position.pinned).forward(self.us);
        self.emit_pawn_captures(free.east() & targets, 1, sink);
        self.emit_pawn_captures(free.west() & targets, -1, sink);
        for from in pawns & self.position.pinned {
            let targets = targets & attacks::line(self.king, from);
            let ahead = Bitboard::of(from).forward(self.us);
            self.emit_pawn_captures(ahead.east() & targets, 1, sink);
            self.emit_pawn_captures(ahead.west() & targets, -1, sink);
        }
    }

    fn emit_pawn_captures(&self, targets: Bitboard, files: i32, sink: &mut impl Sink) {
        let last = self.last_rank();
        sink.add_pawn_moves(targets.without(last), self.step(files), MoveFlag::Capture);
        let promotions = targets & last;
        if promotions.is_any() {
            for flag in MoveFlag::promotions(true) {
                sink.add_pawn_moves(promotions, self.step(files), flag);
            }
        }
    }

    fn en_passant(&self, pawns: Bitboard, sink: &mut impl Sink) {
        let Some(to) = self.position.en_passant else {
            return;
        };
        for from in attacks::pawn(!self.us, to) & pawns {
            if self.position.en_passant_is_safe(from, to) {
                sink.add_moves(from, Bitboard::of(to), MoveFlag::EnPassant);
            }
        }
    }
}
