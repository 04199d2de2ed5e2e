use nullarbor::params::Params;

/// Which search a scheme is tried in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum EngineKind {
    /// All of it, as it plays.
    #[default]
    Full,
    /// What the papers had: principal variation search, table, history, quiescence of captures, check extension at the
    /// leaves.
    Plain,
}

impl EngineKind {
    /// The parameters of that search.
    pub fn params(self) -> Params {
        match self {
            Self::Full => Params::default(),
            Self::Plain => Params::plain(),
        }
    }

    /// As the command line calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Plain => "plain",
        }
    }
}
