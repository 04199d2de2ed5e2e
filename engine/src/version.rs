//! The name and version of this build.

/// The version, with the commit in builds between releases.
pub const VERSION: &str = env!("NULLARBOR_VERSION");

/// Name and version of the engine.
pub const NAME: &str = concat!("Nullarbor ", env!("NULLARBOR_VERSION"));

macro_rules! with {
    ($instructions:literal) => {
        concat!(env!("NULLARBOR_VERSION"), " (", $instructions, ")")
    };
}

/// The version, with the instruction set that the engine is compiled for.
pub const WITH_INSTRUCTIONS: &str =
    if cfg!(all(target_feature = "avx512bw", target_feature = "avx512vl")) {
        with!("AVX-512")
    } else if cfg!(target_feature = "avx2") {
        with!("AVX2")
    } else if cfg!(target_feature = "sse4.1") {
        with!("SSE4.1")
    } else if cfg!(target_feature = "sse2") {
        with!("SSE2")
    } else if cfg!(target_feature = "neon") {
        with!("NEON")
    } else {
        VERSION
    };
