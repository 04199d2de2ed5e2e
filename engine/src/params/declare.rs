//! The macro behind the list.

/// From `group { name: default in min..=max, step, "unit", "meaning"; }` makes the struct `Params`, its
/// defaults, `SPECS`, and `get` and `set` by name.
macro_rules! declare {
    ($($group:ident {
        $($name:ident: $default:literal in $min:literal ..= $max:literal,
            $step:literal, $unit:literal, $meaning:literal;)*
    })*) => {
        /// The values that one search plays with. A plain value: two settings can play each other in
        /// one process.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Params {
            $($(#[doc = concat!($meaning, " (", $unit, ")")] pub $name: i32,)*)*
        }

        impl Default for Params {
            fn default() -> Self {
                Self { $($($name: $default,)*)* }
            }
        }

        /// All parameters in the order of the list.
        pub const SPECS: &[Spec] = &[$($(Spec {
            group: stringify!($group),
            name: stringify!($name),
            default: $default,
            min: $min,
            max: $max,
            step: $step,
            unit: $unit,
            meaning: $meaning,
        },)*)*];

        impl Params {
            /// The value of the parameter with this name.
            pub fn get(&self, name: &str) -> Option<i32> {
                match name {
                    $($(stringify!($name) => Some(self.$name),)*)*
                    _ => None,
                }
            }

            fn slot(&mut self, name: &str) -> Option<&mut i32> {
                match name {
                    $($(stringify!($name) => Some(&mut self.$name),)*)*
                    _ => None,
                }
            }
        }
    };
}
