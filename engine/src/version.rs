//! What this build is called.

/// The version, with the commit in builds between releases.
pub const VERSION: &str = env!("NULLARBOR_VERSION");

/// Name and version of the engine.
pub const NAME: &str = concat!("Nullarbor ", env!("NULLARBOR_VERSION"));
