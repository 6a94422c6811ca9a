//! Subnormal numbers as zero while machine code runs.
//!
//! A processor needs a hundred times as long for numbers below the smallest normal one, and a front that runs through a
//! long chain has thousands of them ahead of it. No result of a simulation depends on them.

/// Until it is dropped, arithmetic on this thread takes and gives zero in place of a subnormal number.
///
/// Rust's own arithmetic relies on the usual state: only machine code may run in the meantime.
pub struct TinyIsZero {
    before: Control,
}

impl TinyIsZero {
    /// # Safety
    /// Until the value is dropped nothing but generated code computes with floating-point numbers on this thread.
    #[inline]
    pub unsafe fn begin() -> TinyIsZero {
        let before = get();
        // SAFETY: by the contract of this function.
        unsafe { set(before | TINY) };
        TinyIsZero { before }
    }
}

impl Drop for TinyIsZero {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: this is the state that was found.
        unsafe { set(self.before) };
    }
}

#[cfg(target_arch = "x86_64")]
mod processor {
    pub type Control = u32;
    /// Flush to zero, and denormals are zero.
    pub const TINY: Control = 0x8040;

    #[inline]
    pub fn get() -> Control {
        let mut control: Control = 0;
        // SAFETY: the instruction stores 32 bits at the address.
        unsafe {
            std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut control, options(nostack, preserves_flags));
        }
        control
    }

    /// # Safety
    /// See [`super::TinyIsZero`].
    #[inline]
    pub unsafe fn set(control: Control) {
        // SAFETY: the instruction reads 32 bits, which were read from the register before, up to the bits above.
        unsafe {
            std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const control, options(nostack, preserves_flags));
        }
    }
}

#[cfg(target_arch = "aarch64")]
mod processor {
    pub type Control = u64;
    /// Flush to zero, inputs included.
    pub const TINY: Control = 1 << 24;

    #[inline]
    pub fn get() -> Control {
        let control: Control;
        // SAFETY: reading the register has no effect.
        unsafe {
            std::arch::asm!("mrs {}, fpcr", out(reg) control, options(nomem, nostack, preserves_flags));
        }
        control
    }

    /// # Safety
    /// See [`super::TinyIsZero`].
    #[inline]
    pub unsafe fn set(control: Control) {
        // SAFETY: the value was read from the register before, up to the bit above.
        unsafe {
            std::arch::asm!("msr fpcr, {}", in(reg) control, options(nostack, preserves_flags));
        }
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod processor {
    pub type Control = u32;
    pub const TINY: Control = 0;

    pub fn get() -> Control {
        0
    }

    /// # Safety
    /// There is nothing to it.
    pub unsafe fn set(_: Control) {}
}

use processor::{Control, TINY, get, set};
