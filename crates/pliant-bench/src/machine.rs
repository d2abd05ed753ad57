//! The machine that timings belong to: its processor, its pages, and how fast it reads memory.

use std::time::Instant;

use serde::{Deserialize, Serialize};

/// What a timing depends on besides the program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// Name of the processor.
    pub processor: String,
    /// Threads that the system offers.
    pub threads: usize,
    /// Programs that wanted to run when measuring began, the mean of a minute; without others it is near 0.
    pub load: Option<f64>,
    /// Whether the system backs large arrays by large pages: its own words.
    pub huge_pages: String,
    /// Version of Pliant.
    pub version: String,
    /// The C++ compiler of the references and its flags, and the BLAS that CHOLMOD uses.
    pub reference: Option<String>,
    /// Reading an array again and again: its bytes, and \[GB/s\] on one and on two threads.
    pub read_bandwidth: Vec<ReadBandwidth>,
}

/// How fast an array of some size is read again and again.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ReadBandwidth {
    /// Size of the array.
    pub bytes: u64,
    /// On one thread \[GB/s\].
    pub one_thread: f64,
    /// On two threads, each with a half \[GB/s\].
    pub two_threads: f64,
}

impl Machine {
    /// Looks at this machine; reading memory takes a second or two.
    pub fn measure() -> Self {
        Self {
            processor: processor(),
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            load: load(),
            huge_pages: huge_pages(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            reference: reference(),
            read_bandwidth: [1, 4, 8, 16, 32, 64, 256].iter().filter_map(|mib| read_bandwidth(mib << 20)).collect(),
        }
    }

    /// How fast it reads an array of this size, between the sizes measured \[GB/s\].
    pub fn bandwidth_at(&self, bytes: u64, threads: usize) -> Option<f64> {
        let speed = |entry: &ReadBandwidth| if threads > 1 { entry.two_threads } else { entry.one_thread };
        let above = self.read_bandwidth.iter().position(|entry| entry.bytes >= bytes);
        let Some(above) = above else { return self.read_bandwidth.last().map(speed) };
        let high = &self.read_bandwidth[above];
        let Some(low) = above.checked_sub(1).map(|below| &self.read_bandwidth[below]) else { return Some(speed(high)) };
        let along = (bytes as f64 / low.bytes as f64).ln() / (high.bytes as f64 / low.bytes as f64).ln();
        Some(speed(low) + along * (speed(high) - speed(low)))
    }
}

/// Name of the processor.
pub fn processor() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let line = info.lines().find(|line| line.starts_with(name))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    match (field("model name"), field("cpu family"), field("model\t")) {
        (Some(name), Some(family), Some(model)) => format!("{name} (family {family}, model {model})"),
        (Some(name), ..) => name,
        _ => std::env::consts::ARCH.to_owned(),
    }
}

/// Load by all programs in the last minute, where the system tells.
pub fn load() -> Option<f64> {
    std::fs::read_to_string("/proc/loadavg").ok()?.split_whitespace().next()?.parse().ok()
}

/// Has the system give this process no large pages of memory, whatever it asks for. Says whether it will.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)] // A call into the system that sets a flag of this process.
pub fn forbid_huge_pages() -> bool {
    // SAFETY: the call takes numbers and writes to no memory.
    unsafe { libc::prctl(libc::PR_SET_THP_DISABLE, 1, 0, 0, 0) == 0 }
}

/// Has the system give this process no large pages of memory; known on Linux only.
#[cfg(not(target_os = "linux"))]
pub fn forbid_huge_pages() -> bool {
    false
}

fn huge_pages() -> String {
    let setting = std::fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled").unwrap_or_default();
    // The chosen word stands in brackets.
    let chosen = setting.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
    let word = chosen.map_or_else(|| "unknown".to_owned(), |(word, _)| word.to_owned());
    // Of this process alone: it may have been told to do without.
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let enabled = status.lines().find_map(|line| line.strip_prefix("THP_enabled:")).map(str::trim);
    if enabled == Some("0") { format!("{word}, switched off for this run") } else { word }
}

#[cfg(feature = "reference")]
fn reference() -> Option<String> {
    let blas = crate::reference::blas().map_or_else(|| "unknown BLAS".to_owned(), |blas| format!("BLAS {blas}"));
    Some(format!("{}; {blas}", crate::reference::COMPILER))
}

#[cfg(not(feature = "reference"))]
fn reference() -> Option<String> {
    None
}

/// Reading an array of this size, on large pages where the system grants them: the factor lies on such pages too, and ordinary ones
/// are slower to read. None where there is no room for it.
fn read_bandwidth(bytes: usize) -> Option<ReadBandwidth> {
    let mut memory = memmap2::MmapMut::map_anon(bytes.next_multiple_of(8)).ok()?;
    // Advice may be refused; then these are ordinary pages.
    #[cfg(target_os = "linux")]
    let _ = memory.advise(memmap2::Advice::HugePage);
    (0..).zip(bytemuck::cast_slice_mut::<u8, u64>(&mut memory)).for_each(|(k, number)| *number = k);
    let numbers: &[u64] = bytemuck::cast_slice(&memory);
    let speed = |threads: usize| best_seconds(numbers, threads).recip() * bytes as f64 / 1e9;
    Some(ReadBandwidth { bytes: bytes as u64, one_thread: speed(1), two_threads: speed(2) })
}

/// Least time of a pass over the numbers, each thread reading its own part throughout \[s\].
fn best_seconds(numbers: &[u64], threads: usize) -> f64 {
    let share = numbers.len().div_ceil(threads);
    // Small arrays are read several times between looks at the clock.
    let passes = (1 << 23) / numbers.len() + 1;
    let barrier = std::sync::Barrier::new(threads);
    let read = |part: &[u64]| {
        let mut best = f64::INFINITY;
        for _ in 0..12 {
            barrier.wait();
            let start = Instant::now();
            for _ in 0..passes {
                std::hint::black_box(sum(std::hint::black_box(part)));
            }
            barrier.wait();
            best = best.min(start.elapsed().as_secs_f64() / passes as f64);
        }
        best
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = numbers.chunks(share).map(|part| scope.spawn(|| read(part))).collect();
        let times = workers.into_iter().map(|worker| worker.join().unwrap_or(f64::INFINITY));
        times.fold(0.0, f64::max)
    })
}

/// Sum of all numbers, through the widest registers that this machine has.
fn sum(numbers: &[u64]) -> u64 {
    pulp::Arch::new().dispatch(|| {
        // Independent sums, so that the loop waits for memory and not for additions.
        let mut sums = [0u64; 32];
        let chunks = numbers.chunks_exact(32);
        let rest: u64 = chunks.remainder().iter().fold(0, |sum, &n| sum.wrapping_add(n));
        for chunk in chunks {
            sums.iter_mut().zip(chunk).for_each(|(sum, &n)| *sum = sum.wrapping_add(n));
        }
        sums.iter().fold(rest, |sum, &n| sum.wrapping_add(n))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_that_measures_memory_adds_every_number() {
        for count in [0, 1, 31, 32, 33, 1000] {
            let numbers: Vec<u64> = (0..count).collect();
            assert_eq!(sum(&numbers), (0..count).sum::<u64>());
        }
    }

    #[test]
    fn bandwidth_between_two_sizes_lies_between_theirs() {
        let entry = |bytes, speed| ReadBandwidth { bytes, one_thread: speed, two_threads: 2.0 * speed };
        let machine = Machine {
            processor: String::new(),
            threads: 2,
            load: None,
            huge_pages: String::new(),
            version: String::new(),
            reference: None,
            read_bandwidth: vec![entry(100, 80.0), entry(10_000, 20.0)],
        };
        assert_eq!(machine.bandwidth_at(50, 1), Some(80.0));
        assert_eq!(machine.bandwidth_at(1000, 1), Some(50.0));
        assert_eq!(machine.bandwidth_at(1000, 2), Some(100.0));
        assert_eq!(machine.bandwidth_at(1_000_000, 1), Some(20.0));
    }
}
