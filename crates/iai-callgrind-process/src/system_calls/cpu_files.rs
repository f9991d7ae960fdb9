//! The files that say which CPUs a machine has.

use std::fmt::Write;

/// Features of all CPUs, as the kernel names them.
#[cfg(target_arch = "x86_64")]
const FEATURES: &str = "fpu vme de pse tsc msr pae mce cx8 apic sep mtrr pge mca cmov pat pse36 clflush mmx fxsr sse sse2 \
                        ht syscall nx rdtscp lm constant_tsc rep_good nopl cpuid";
#[cfg(target_arch = "aarch64")]
const FEATURES: &str = "fp asimd";

/// Returns the list of the CPUs, such as `0-3`.
pub(super) fn list(cpus: u16) -> String {
    match cpus {
        0 | 1 => "0".to_owned(),
        _ => format!("0-{}", cpus - 1),
    }
}

/// Returns the set of the CPUs in hexadecimal, as `/proc/PID/status` has it.
pub(super) fn mask(cpus: u16) -> String {
    let mut words = Vec::new();
    let mut left = cpus.max(1);
    while left > 0 {
        let bits = left.min(32);
        words.push(if bits == 32 { u32::MAX } else { (1 << bits) - 1 });
        left -= bits;
    }
    let mut words = words.into_iter().rev();
    let first = words.next().map(|word| format!("{word:x}")).unwrap_or_default();
    words.fold(first, |text, word| format!("{text},{word:08x}"))
}

/// Returns `/proc/cpuinfo`: CPUs of one kind, with the features of this one that Valgrind knows.
pub(super) fn information(cpus: u16) -> String {
    let mut text = String::new();
    for cpu in 0..cpus {
        let _ = write!(text, "{}\n\n", block(cpu, cpus));
    }
    text
}

#[cfg(target_arch = "x86_64")]
fn block(cpu: u16, cpus: u16) -> String {
    format!(
        "processor\t: {cpu}\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 63\nmodel name\t: CPU at \
         2.00GHz\nstepping\t: 0\nmicrocode\t: 0x1\ncpu MHz\t\t: 2000.000\ncache size\t: 8192 KB\nphysical id\t: \
         0\nsiblings\t: {cpus}\ncore id\t\t: {cpu}\ncpu cores\t: {cpus}\napicid\t\t: {cpu}\ninitial apicid\t: \
         {cpu}\nfpu\t\t: yes\nfpu_exception\t: yes\ncpuid level\t: 13\nwp\t\t: yes\nflags\t\t: {}\nbugs\t\t:\nbogomips\t: \
         4000.00\nclflush size\t: 64\ncache_alignment\t: 64\naddress sizes\t: 46 bits physical, 48 bits virtual\npower \
         management:",
        features().join(" ")
    )
}

#[cfg(target_arch = "aarch64")]
fn block(cpu: u16, _: u16) -> String {
    format!(
        "processor\t: {cpu}\nBogoMIPS\t: 50.00\nFeatures\t: {}\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU \
         variant\t: 0x0\nCPU part\t: 0xd08\nCPU revision\t: 3",
        features().join(" ")
    )
}

#[cfg(target_arch = "x86_64")]
fn features() -> Vec<&'static str> {
    let features = [
        ("pni", is_x86_feature_detected!("sse3")),
        ("pclmulqdq", is_x86_feature_detected!("pclmulqdq")),
        ("ssse3", is_x86_feature_detected!("ssse3")),
        ("fma", is_x86_feature_detected!("fma")),
        ("cx16", is_x86_feature_detected!("cmpxchg16b")),
        ("sse4_1", is_x86_feature_detected!("sse4.1")),
        ("sse4_2", is_x86_feature_detected!("sse4.2")),
        ("movbe", is_x86_feature_detected!("movbe")),
        ("popcnt", is_x86_feature_detected!("popcnt")),
        ("aes", is_x86_feature_detected!("aes")),
        ("avx", is_x86_feature_detected!("avx")),
        ("f16c", is_x86_feature_detected!("f16c")),
        ("rdrand", is_x86_feature_detected!("rdrand")),
        ("abm", is_x86_feature_detected!("lzcnt")),
        ("bmi1", is_x86_feature_detected!("bmi1")),
        ("avx2", is_x86_feature_detected!("avx2")),
        ("bmi2", is_x86_feature_detected!("bmi2")),
    ];
    with_detected(&features)
}

#[cfg(target_arch = "aarch64")]
fn features() -> Vec<&'static str> {
    let features = [
        ("aes", std::arch::is_aarch64_feature_detected!("aes")),
        ("sha2", std::arch::is_aarch64_feature_detected!("sha2")),
        ("crc32", std::arch::is_aarch64_feature_detected!("crc")),
        ("atomics", std::arch::is_aarch64_feature_detected!("lse")),
    ];
    with_detected(&features)
}

fn with_detected(features: &[(&'static str, bool)]) -> Vec<&'static str> {
    let detected = features.iter().filter_map(|(name, is_detected)| is_detected.then_some(*name));
    FEATURES.split(' ').chain(detected).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpus_have_numbers_from_zero() {
        assert_eq!((list(1), list(4), list(128)), ("0".into(), "0-3".into(), "0-127".into()));
        assert_eq!((mask(1), mask(4), mask(32)), ("1".into(), "f".into(), "ffffffff".into()));
        assert_eq!(mask(33), "1,ffffffff");
        let information = information(4);
        assert_eq!(information.matches("processor\t: ").count(), 4);
        assert!(information.ends_with("\n\n"));
    }
}
