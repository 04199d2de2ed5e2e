//! Macros for enums whose variants have names that options and files write.

/// Implements [`FromStr`](std::str::FromStr) for a type with a table `ALL` of names and values.
macro_rules! read_by_name {
    ($choice:ident, $what:literal) => {
        impl std::str::FromStr for $choice {
            type Err = super::UnknownName;

            fn from_str(name: &str) -> Result<Self, super::UnknownName> {
                let known = Self::ALL.iter().find(|(known, _)| *known == name);
                known.map(|(_, value)| *value).ok_or_else(|| {
                    let names = Self::ALL.iter().map(|(name, _)| *name);
                    super::UnknownName::new($what, name, names)
                })
            }
        }
    };
}

/// Declares an enum together with the names of its variants: `Enum, "what it is" { "name" Variant,
/// ... }`.
macro_rules! choices {
    ($(#[$doc:meta])* $choice:ident, $what:literal {
        $($(#[$variant_doc:meta])* $name:literal $variant:ident,)*
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $choice {
            $($(#[$variant_doc])* $variant,)*
        }

        impl $choice {
            /// All variants with their names, in order.
            pub const ALL: &[(&str, Self)] = &[$(($name, Self::$variant),)*];

            /// Returns the name of the variant.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }

        read_by_name!($choice, $what);
    };
}
