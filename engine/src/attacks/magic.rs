//! Magic bitboards: the one definition of the index, shared by the lookup and by the build script
//! that searches for the factors (P. Kannan, "Magic Move-Bitboard Generation", 2007).

/// How one slider on one square finds its attacks in the common table.
pub struct Magic {
    /// The squares whose occupation matters.
    pub mask: u64,
    /// Spreads every occupation of the mask to its own index.
    pub factor: u64,
    /// 64 less the number of index bits.
    pub shift: u32,
    /// Where the square's part of the table begins.
    pub offset: usize,
}

impl Magic {
    /// Where the attacks for these occupied squares stand in the common table.
    pub const fn index(&self, occupied: u64) -> usize {
        self.offset + ((occupied & self.mask).wrapping_mul(self.factor) >> self.shift) as usize
    }
}
