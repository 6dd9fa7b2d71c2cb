//! The system that a run goes on.

use crate::record::System;

/// As much of it as the system tells without a program being started.
pub(super) fn system() -> System {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    System {
        name: read("/etc/os-release")
            .or_else(|| read("/usr/lib/os-release"))
            .and_then(|text| pretty_name(&text)),
        kernel: read("/proc/sys/kernel/osrelease").and_then(|text| word(&text)),
        cpus: std::thread::available_parallelism()
            .ok()
            .and_then(|n| u32::try_from(n.get()).ok()),
        memory_gib: read("/proc/meminfo").and_then(|text| memory(&text)),
    }
}

/// The system's name for people in an `os-release` file (os-release(5)).
fn pretty_name(text: &str) -> Option<String> {
    let value = text.lines().find_map(|l| l.strip_prefix("PRETTY_NAME="))?;
    word(value.trim().trim_matches(['"', '\'']))
}

/// The machine's memory in `/proc/meminfo`, in GiB, to the nearest power of two: a part is kept
/// by firmware and kernel, differently on each machine.
fn memory(text: &str) -> Option<u32> {
    let total = text.lines().find_map(|l| l.strip_prefix("MemTotal:"))?;
    let kib: u64 = total.trim().strip_suffix("kB")?.trim().parse().ok()?;
    let mib = kib >> 10;
    let mut class: u32 = 1;
    // Up to the middle between two powers it is the smaller one.
    while mib > u64::from(class) * 1536 && class < 1 << 20 {
        class *= 2;
    }
    Some(class)
}

fn word(text: &str) -> Option<String> {
    let text: String = text.trim().chars().filter(|c| !c.is_control()).collect();
    (!text.is_empty()).then(|| text.chars().take(200).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_is_called_what_it_calls_itself() {
        let text = "ID=debian\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nNAME=x\n";
        let name = pretty_name(text);
        assert_eq!(name.as_deref(), Some("Debian GNU/Linux 12 (bookworm)"));
        assert_eq!(pretty_name("ID=x\n"), None);
        assert_eq!(pretty_name("PRETTY_NAME=\"\"\n"), None);
    }

    #[test]
    fn memory_is_told_by_class() {
        let of = |kib: u64| memory(&format!("MemFree: 1 kB\nMemTotal:   {kib} kB\n"));
        assert_eq!(of(16_314_000), Some(16));
        assert_eq!(of(16 << 20), Some(16));
        assert_eq!(of(500 << 10), Some(1));
        assert_eq!(of(3 << 20), Some(2));
        assert_eq!(of((3 << 20) + (1 << 10)), Some(4));
        assert_eq!(memory("MemTotal: many kB"), None);
        assert_eq!(memory(""), None);
    }
}
