//! A board diagram in ASCII.

use super::Position;
use crate::types::{File, Piece, Rank, Square};

impl Position {
    /// Returns a diagram of the board with White below, followed by the FEN, the key and the
    /// checkers.
    pub fn to_ascii(&self) -> String {
        const LINE: &str = " +---+---+---+---+---+---+---+---+\n";
        let mut text = format!("\n{LINE}");
        for rank in Rank::all().rev() {
            for file in File::all() {
                let piece = self.piece_on(Square::at(file, rank));
                text += &format!(" | {}", piece.map_or(' ', Piece::letter));
            }
            text += &format!(" | {}\n{LINE}", rank.index() + 1);
        }
        let checkers: Vec<String> = self.checkers.map(|square| square.to_string()).collect();
        text += "   a   b   c   d   e   f   g   h\n\n";
        text + &format!("Fen: {self}\nKey: {:016X}\nCheckers: {}", self.key, checkers.join(" "))
    }
}
