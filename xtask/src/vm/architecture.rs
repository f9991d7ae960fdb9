//! The machines that can be emulated: architectures with their CPUs, and releases of Debian.

use std::env::consts::ARCH;
use std::fs::OpenOptions;

use xtask::install::Program;

/// A CPU of an emulated machine.
#[derive(Debug)]
pub(crate) struct Cpu {
    pub(crate) name: &'static str,
    /// The argument of qemu's `-cpu`.
    argument: &'static str,
}

/// An architecture of Debian.
#[derive(Debug)]
pub(crate) struct Architecture {
    /// Debian's name.
    pub(crate) name: &'static str,
    /// The target of rustc.
    pub(crate) target: &'static str,
    /// The name of the architecture in targets.
    arch: &'static str,
    /// The linker of programs for it.
    pub(crate) linker: Program,
    /// The program that emulates it.
    pub(crate) qemu: Program,
    /// The argument of qemu's `-accel` without KVM.
    emulator: &'static str,
    /// True if KVM can show programs another CPU than this machine's.
    has_cpus_with_kvm: bool,
    /// The arguments for a machine with PCI Express.
    machine: &'static [&'static str],
    /// The name of the first serial console.
    pub(crate) console: &'static str,
    /// Debian's kernel for virtual machines. The driver of `NVMe` has to be a part of it.
    pub(crate) kernel: &'static str,
    /// The CPUs; the first one is the default.
    pub(crate) cpus: &'static [Cpu],
}

/// All architectures; the first one is the default.
pub(crate) const ARCHITECTURES: &[Architecture] = &[
    Architecture {
        name: "arm64",
        target: "aarch64-unknown-linux-gnu",
        arch: "aarch64",
        linker: Program {
            name: "aarch64-linux-gnu-gcc",
            packages: "gcc-aarch64-linux-gnu libc6-dev-arm64-cross",
        },
        qemu: Program { name: "qemu-system-aarch64", packages: "qemu-system-arm" },
        emulator: "tcg,thread=multi",
        has_cpus_with_kvm: false,
        machine: &["-machine", "virt"],
        console: "ttyAMA0",
        kernel: "linux-image-cloud-arm64",
        cpus: &[
            Cpu { name: "neoverse-n1", argument: "neoverse-n1" },
            // Without LSE atomics
            Cpu { name: "cortex-a72", argument: "cortex-a72" },
            // With SVE, PAC and BTI; qemu's own algorithm for PAC takes a fraction of the time
            Cpu { name: "max", argument: "max,pauth-impdef=on" },
        ],
    },
    Architecture {
        name: "amd64",
        target: "x86_64-unknown-linux-gnu",
        arch: "x86_64",
        linker: Program { name: "x86_64-linux-gnu-gcc", packages: "gcc libc6-dev" },
        qemu: Program { name: "qemu-system-x86_64", packages: "qemu-system-x86" },
        // With a thread for each CPU, the kernel panicked in an allocation under qemu 7.2
        emulator: "tcg,thread=single",
        has_cpus_with_kvm: true,
        machine: &["-machine", "q35"],
        console: "ttyS0",
        kernel: "linux-image-cloud-amd64",
        cpus: &[
            Cpu { name: "max", argument: "max" },
            // Without AVX
            Cpu { name: "nehalem", argument: "Nehalem" },
        ],
    },
];

/// The use of KVM, which runs a machine with the speed of this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kvm {
    IfPossible,
    Never,
}

/// A release of Debian, named by its Valgrind.
#[derive(Debug)]
pub(crate) struct Release {
    pub(crate) valgrind: &'static str,
    pub(crate) suite: &'static str,
}

/// All releases; the first one is the default.
pub(crate) const RELEASES: &[Release] = &[
    Release { valgrind: "3.24", suite: "trixie" },
    Release { valgrind: "3.19", suite: "bookworm" },
];

impl Architecture {
    /// Returns the architecture with this name of Debian.
    pub(crate) fn find(name: &str) -> Option<&'static Self> {
        ARCHITECTURES.iter().find(|architecture| architecture.name == name)
    }

    /// Returns the CPU with this name, or the default.
    pub(crate) fn cpu(&self, name: Option<&str>) -> Result<&Cpu, String> {
        let name = name.unwrap_or(self.cpus[0].name);
        self.cpus.iter().find(|cpu| cpu.name == name).ok_or_else(|| {
            let names: Vec<_> = self.cpus.iter().map(|cpu| cpu.name).collect();
            format!("no CPU {name}: {} has {}", self.name, names.join(", "))
        })
    }

    /// Returns qemu's arguments for a machine with this CPU.
    pub(crate) fn arguments(&self, cpu: &Cpu, kvm: Kvm) -> Vec<&'static str> {
        let can_open = || OpenOptions::new().read(true).write(true).open("/dev/kvm").is_ok();
        let is_possible = self.has_cpus_with_kvm && self.arch == ARCH && can_open();
        let accelerator = if kvm == Kvm::IfPossible && is_possible { "kvm" } else { self.emulator };
        [self.machine, &["-accel", accelerator, "-cpu", cpu.argument]].concat()
    }
}

impl Release {
    /// Returns the release with this version of Valgrind.
    pub(crate) fn find(valgrind: &str) -> Option<&'static Self> {
        RELEASES.iter().find(|release| release.valgrind == valgrind)
    }
}
