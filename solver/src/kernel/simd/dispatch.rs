//! Which instructions the machine has, and how a loop gets them.

#[cfg(target_arch = "x86_64")]
use super::avx512::Avx512Bytes;
use super::bytes::{Bytes, PortableBytes};

/// A set of instructions that the kernel is compiled for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Isa {
    /// What every machine has.
    Portable,
    /// 256-bit vectors.
    Avx2,
    /// 512-bit vectors with masked stores and compression of bytes (`avx512f`, `bw`, `vl`, `vbmi2`).
    Avx512,
}

impl Isa {
    /// The best that this machine has.
    #[must_use]
    pub fn best() -> Isa {
        Isa::all().last().copied().unwrap_or(Isa::Portable)
    }

    /// All that this machine has, the best last.
    #[must_use]
    pub fn all() -> Vec<Isa> {
        let mut all = vec![Isa::Portable];
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::is_x86_feature_detected as has;
            if has!("avx2") && has!("bmi1") && has!("bmi2") && has!("popcnt") && has!("lzcnt") {
                all.push(Isa::Avx2);
                if has!("avx512f") && has!("avx512bw") && has!("avx512vl") && has!("avx512vbmi2") {
                    all.push(Isa::Avx512);
                }
            }
        }
        all
    }
}

/// A loop that is compiled for every set of instructions.
pub trait Work {
    /// What it returns.
    type Output;

    /// The loop. Mark it `#[inline(always)]`, and all that it calls for each row or word: only what is inlined is compiled with
    /// the instructions. So a loop that is divided among threads is divided outside, and each part of it is a work of its own.
    fn run(self, bytes: impl Bytes) -> Self::Output;
}

/// Instructions that this machine has.
#[derive(Clone, Copy, Debug)]
pub struct Instructions(Isa);

impl Instructions {
    /// Those that are asked for, or the portable ones where the machine has not got them.
    pub fn new(wanted: Isa) -> Instructions {
        Instructions(if Isa::all().contains(&wanted) { wanted } else { Isa::Portable })
    }

    /// Does some work with these instructions.
    pub fn run<T: Work>(self, work: T) -> T::Output {
        match self.0 {
            Isa::Portable => work.run(PortableBytes),
            // SAFETY: `new` is the only way to a value of this type, and has asked the machine for the instructions.
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => unsafe { run_avx2(work) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => unsafe { run_avx512(work) },
            #[cfg(not(target_arch = "x86_64"))]
            Isa::Avx2 | Isa::Avx512 => work.run(PortableBytes),
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
fn run_avx2<T: Work>(work: T) -> T::Output {
    work.run(PortableBytes)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi2,avx2,bmi1,bmi2,popcnt,lzcnt")]
fn run_avx512<T: Work>(work: T) -> T::Output {
    // SAFETY: this function is only called where the machine has its instructions.
    let bytes = unsafe { Avx512Bytes::new() };
    work.run(bytes)
}
