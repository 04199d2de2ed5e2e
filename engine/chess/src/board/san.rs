//! Moves in standard algebraic notation (SAN), as in PGN.

use super::Position;
use super::notation::MoveError;
use crate::types::{Bitboard, CastlingSide, Move, MoveFlag, PieceType};

impl Position {
    /// Returns the move in SAN, with `+` for check and `#` for checkmate.
    ///
    /// ```
    /// use nullarbor_chess::board::Position;
    ///
    /// let position = Position::from_fen("6k1/5ppp/8/8/8/8/8/R3K2R w KQ - 0 1").expect("a position");
    /// let san = |text| position.san(position.parse_uci(text).expect("a legal move"));
    /// assert_eq!([san("e1g1"), san("a1a8"), san("h1h7")], ["O-O", "Ra8#", "Rxh7"]);
    /// ```
    pub fn san(&self, mv: Move) -> String {
        let next = self.make(mv);
        let check = match (next.in_check(), next.has_moves()) {
            (true, false) => "#",
            (true, true) => "+",
            _ => "",
        };
        format!("{}{check}", self.san_without_check(mv))
    }

    fn san_without_check(&self, mv: Move) -> String {
        if mv.is(MoveFlag::Castle) {
            return match CastlingSide::of(mv.from(), mv.to()) {
                CastlingSide::King => "O-O",
                CastlingSide::Queen => "O-O-O",
            }
            .to_owned();
        }
        let kind = self.moved(mv).kind;
        let origin = if kind == PieceType::Pawn {
            if mv.is_capture() { mv.from().file().letter().to_string() } else { String::new() }
        } else {
            format!("{}{}", kind.letter().to_ascii_uppercase(), self.disambiguation(mv, kind))
        };
        let takes = if mv.is_capture() { "x" } else { "" };
        let promotion = mv
            .promotion()
            .map_or(String::new(), |kind| format!("={}", kind.letter().to_ascii_uppercase()));
        format!("{origin}{takes}{}{promotion}", mv.to())
    }

    /// Returns the disambiguation: the file, the rank or both of the from square, if needed.
    fn disambiguation(&self, mv: Move, kind: PieceType) -> String {
        let rivals: Bitboard = self
            .legal_moves()
            .iter()
            .filter(|other| other.to() == mv.to() && !other.is(MoveFlag::Castle))
            .filter(|other| self.piece_type_on(other.from()) == Some(kind))
            .fold(Bitboard::EMPTY, |found, other| found | Bitboard::of(other.from()))
            .without(Bitboard::of(mv.from()));
        let on_file = (rivals & Bitboard::file(mv.from().file())).is_any();
        let on_rank = (rivals & Bitboard::rank(mv.from().rank())).is_any();
        match (rivals.is_any(), on_file, on_rank) {
            (false, ..) => String::new(),
            (true, false, _) => mv.from().file().letter().to_string(),
            (true, true, false) => mv.from().to_string()[1..].to_owned(),
            (true, true, true) => mv.from().to_string(),
        }
    }

    /// Parses a legal move in SAN. The signs `+`, `#`, `!`, `?`, `x` and `=` are optional, castling
    /// may be written with zeros, and the disambiguation may be longer than needed.
    ///
    /// # Errors
    /// If no legal move, or more than one, matches.
    ///
    /// ```
    /// use nullarbor_chess::board::Position;
    ///
    /// let position = Position::from_fen("4k3/P7/8/8/8/8/8/R3K2R w KQ - 0 1").expect("a position");
    /// assert_eq!(position.parse_san("0-0")?, position.parse_uci("e1g1")?);
    /// assert_eq!(position.parse_san("a8Q")?, position.parse_uci("a7a8q")?);
    /// assert!(position.parse_san("Rf1").is_ok() && position.parse_san("Nf3").is_err());
    /// # Ok::<(), nullarbor_chess::board::MoveError>(())
    /// ```
    pub fn parse_san(&self, text: &str) -> Result<Move, MoveError> {
        let wanted = without_optional_signs(text);
        let illegal = || MoveError::Illegal { text: shortened(text), fen: self.to_string() };
        if wanted.is_empty() {
            return Err(MoveError::Malformed(shortened(text)));
        }
        let moves = self.legal_moves();
        let exact =
            moves.iter().find(|&&mv| without_optional_signs(&self.san_without_check(mv)) == wanted);
        if let Some(&mv) = exact {
            return Ok(mv);
        }
        let mut loose = moves.iter().filter(|&&mv| self.is_overspecified(mv, &wanted));
        match (loose.next(), loose.next()) {
            (Some(&mv), None) => Ok(mv),
            _ => Err(illegal()),
        }
    }

    /// Returns whether a text is the move with a longer disambiguation than needed.
    fn is_overspecified(&self, mv: Move, wanted: &str) -> bool {
        if mv.is(MoveFlag::Castle) {
            return false;
        }
        let kind = self.moved(mv).kind;
        let letter = if kind == PieceType::Pawn {
            String::new()
        } else {
            kind.letter().to_ascii_uppercase().to_string()
        };
        let promotion =
            mv.promotion().map_or(String::new(), |kind| kind.letter().to_ascii_uppercase().into());
        let (from, to) = (mv.from().to_string(), mv.to());
        [&from[..1], &from[1..], &from[..]]
            .iter()
            .any(|origin| wanted == format!("{letter}{origin}{to}{promotion}"))
    }
}

/// Removes the optional signs.
fn without_optional_signs(text: &str) -> String {
    let text = text.trim_end_matches(['+', '#', '!', '?']);
    if text.starts_with(['0', 'O']) && text.contains('-') {
        return text.replace('0', "O");
    }
    text.chars().filter(|letter| !matches!(letter, 'x' | '=' | '-')).collect()
}

/// Shortens a text for an error message.
fn shortened(text: &str) -> String {
    text.chars().take(16).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(fen: &str) -> Position {
        Position::from_fen(fen).expect("a valid position")
    }

    #[test]
    fn every_legal_move_is_parsed_back() {
        let fens = [
            Position::START_FEN,
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "3r4/kP6/8/8/4Q2Q/8/8/K6Q w - - 0 1",
            "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1",
            "1k6/8/8/8/8/8/8/RK1R4 w DA - 0 1",
        ];
        for fen in fens {
            let position = position(fen);
            let mut texts: Vec<String> = Vec::new();
            for &mv in position.legal_moves().iter() {
                let text = position.san(mv);
                assert_eq!(position.parse_san(&text), Ok(mv), "{text} in {fen}");
                texts.push(text);
            }
            let all = texts.len();
            texts.sort_unstable();
            texts.dedup();
            assert_eq!(texts.len(), all, "two moves have the same notation in {fen}");
        }
    }

    #[test]
    fn moves_are_written_in_san() {
        let cases = [
            (Position::START_FEN, "g1f3", "Nf3"),
            (Position::START_FEN, "e2e4", "e4"),
            ("4k3/8/8/8/8/8/4K3/R6R w - - 0 1", "a1d1", "Rad1"),
            ("4k3/8/8/8/R7/8/4K3/R7 w - - 0 1", "a1a3", "R1a3"),
            ("8/k7/8/8/4Q2Q/8/8/K6Q w - - 0 1", "h4e1", "Qh4e1"),
            ("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1", "O-O-O"),
            ("7k/P7/8/8/8/8/8/K7 w - - 0 1", "a7a8q", "a8=Q+"),
            ("6k1/5ppp/8/8/8/8/8/K3R3 w - - 0 1", "e1e8", "Re8#"),
            ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", "exd6"),
        ];
        for (fen, uci, san) in cases {
            let position = position(fen);
            let mv = position.parse_uci(uci).expect("a legal move");
            assert_eq!(position.san(mv), san);
        }
    }

    #[test]
    fn variants_of_san_are_accepted() {
        let position = position("r3k3/1P6/8/8/8/8/8/R3K2R w KQq - 0 1");
        for (text, uci) in [
            ("0-0", "e1g1"),
            ("O-O-O!?", "e1c1"),
            ("bxa8Q", "b7a8q"),
            ("ba8=N", "b7a8n"),
            ("Rh1g1", "h1g1"),
        ] {
            let mv = position.parse_san(text).expect(text);
            assert_eq!(position.uci(mv, false), uci);
        }
        for text in ["", "Ra9", "Nf3", "e4", "O-O-O-O", "é"] {
            assert!(position.parse_san(text).is_err(), "{text}");
        }
    }
}
