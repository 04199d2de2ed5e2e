//! The instructions of the processor.

/// Returns whether the processor lacks instructions that this build was compiled for. What the standard library would say is
/// settled while compiling.
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
pub fn is_too_old() -> bool {
    use std::arch::x86_64::{__cpuid, __cpuid_count};
    let (basic, extended) = (__cpuid(1), __cpuid_count(7, 0));
    let has = |register: u32, bit: u32| register >> bit & 1 == 1;
    let (has_fma, has_avx2, has_bmi2) =
        (has(basic.ecx, 12), has(extended.ebx, 5), has(extended.ebx, 8));
    !(has_fma && has_avx2 && has_bmi2)
}

/// Returns whether the processor lacks instructions that this build was compiled for.
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
pub fn is_too_old() -> bool {
    false
}
