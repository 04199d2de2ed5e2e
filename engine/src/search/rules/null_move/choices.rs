//! Choices with names.

/// For a type with a table `ALL` of names and values: reads a name, and refuses those that are none.
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

/// From `enum Name { "name" Variant, ... }` makes the enum and its names, which options and files write.
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
            /// All variants, in order, with their names.
            pub const ALL: &[(&str, Self)] = &[$(($name, Self::$variant),)*];

            /// The name of the variant.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }

        read_by_name!($choice, $what);
    };
}
