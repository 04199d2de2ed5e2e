//! Kinds of nodes, told apart when the program is compiled.

/// What kind of node it is.
pub trait NodeKind {
    /// On the principal variation: the window is open.
    const PV: bool;
    /// The first node.
    const ROOT: bool;
}

/// The root.
pub struct Root;
/// A node with an open window.
pub struct Pv;
/// A node that is asked for a bound.
pub struct NonPv;

impl NodeKind for Root {
    const PV: bool = true;
    const ROOT: bool = true;
}

impl NodeKind for Pv {
    const PV: bool = true;
    const ROOT: bool = false;
}

impl NodeKind for NonPv {
    const PV: bool = false;
    const ROOT: bool = false;
}
