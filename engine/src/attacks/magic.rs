//! Magic bitboards (P. Kannan, "Magic Move-Bitboard Generation in Computer Chess", 2007).
//!
//! The engine and the build script, which searches for the factors, share this definition of the
//! index.

/// The magic of one slider type on one square.
pub struct Magic {
    /// The relevant squares: those whose occupancy changes the attacks.
    pub mask: u64,
    /// The magic factor, which maps each relevant occupancy to its own index.
    pub factor: u64,
    /// 64 minus the number of index bits.
    pub shift: u32,
    /// The start of this square's part of the shared attack table.
    pub offset: usize,
}

impl Magic {
    /// Returns the index into the shared attack table for an occupancy.
    pub const fn index(&self, occupied: u64) -> usize {
        self.offset + ((occupied & self.mask).wrapping_mul(self.factor) >> self.shift) as usize
    }
}
