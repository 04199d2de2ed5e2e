//! The macro that declares the parameters.

/// Makes the struct `Params`, its defaults, the table `SPECS` and access by name from rows
/// `group { name: default in min..=max, step, "unit", "meaning"; }`.
macro_rules! declare {
    ($($group:ident {
        $($name:ident: $default:literal in $min:literal ..= $max:literal,
            $step:literal, $unit:literal, $meaning:literal;)*
    })*) => {
        /// The parameters of a search: a plain value, so two engines in one process may have
        /// different ones.
        ///
        /// ```
        /// use nullarbor::params::{ParamError, Params, Spec};
        ///
        /// let mut params = Params::default();
        /// params.set("lmp_base", 6)?;
        /// assert_eq!((params.get("lmp_base"), params.lmp_base), (Some(6), 6));
        ///
        /// let spec = Spec::find("lmp_base").expect("a row of the list");
        /// assert_eq!((spec.group, spec.unit), ("late_moves", "moves"));
        /// let refused = params.set("lmp_base", spec.max + 1);
        /// assert!(matches!(refused, Err(ParamError::OutOfRange { .. })));
        /// # Ok::<(), ParamError>(())
        /// ```
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Params {
            $($(#[doc = concat!($meaning, " (", $unit, ")")] pub $name: i32,)*)*
        }

        impl Default for Params {
            fn default() -> Self {
                Self { $($($name: $default,)*)* }
            }
        }

        /// The specification of all parameters, in the order of the list.
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
            /// Returns the value of the parameter with this name.
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
