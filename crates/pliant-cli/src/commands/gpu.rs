//! `pliant gpu`, and what `--gpu` means for other commands.

pub(crate) use device::{check, moved, run};

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
#[cfg_attr(not(feature = "gpu"), allow(dead_code, reason = "nothing is left to do with them"))]
pub(crate) struct Arguments {
    /// Test the adapter whose name contains this, in any case, instead of the fastest kind.
    #[arg(long, value_name = "NAME")]
    adapter: Option<String>,
    /// Only list the adapters.
    #[arg(long, conflicts_with = "adapter")]
    list: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "Examples:
  pliant gpu                          list the adapters and test the first one
  pliant gpu --adapter nvidia         test another one
  pliant gpu --list --json | jq -r .adapters[].name

The test solves a linear system and steps a cloth and a solid, and compares them with the CPU.
Exit codes: 0 if the adapter computes what the CPU does, 1 if it does not, 2 if there is none or for other errors.";

/// In a build without the feature, everything is refused with how to build with it.
#[cfg(not(feature = "gpu"))]
mod device {
    use std::error::Error;

    use pliant::solve::SolverChoice;

    use super::Arguments;
    use crate::Outcome;

    pub(crate) fn run(_arguments: &Arguments) -> Result<Outcome, Box<dyn Error>> {
        Err(pliant_scene::NO_GPU.into())
    }

    pub(crate) fn check(_adapter: Option<&str>) -> Result<(), Box<dyn Error>> {
        Err(pliant_scene::NO_GPU.into())
    }

    pub(crate) fn moved(
        _name: &str,
        _choice: &SolverChoice,
        _adapter: Option<&str>,
    ) -> Result<SolverChoice, Box<dyn Error>> {
        Err(pliant_scene::NO_GPU.into())
    }
}

#[cfg(feature = "gpu")]
mod device {
    use std::error::Error;

    use pliant::solve::SolverChoice;
    use pliant_gpu::device::{Adapter, Device, DeviceChoice};
    use pliant_gpu::{GpuParams, SelfCheck, SelfTest, self_test};
    use serde_json::{Value, json};

    use super::Arguments;
    use crate::Outcome;
    use crate::output::say;

    fn named(adapter: Option<&str>) -> DeviceChoice {
        DeviceChoice { name: adapter.map(str::to_owned), ..DeviceChoice::default() }
    }

    /// Opens an adapter: an error that is found later would point into the scene, which does not name it.
    pub(crate) fn check(adapter: Option<&str>) -> Result<(), Box<dyn Error>> {
        Device::open(&named(adapter))?;
        Ok(())
    }

    /// A solver of the command line on a GPU.
    pub(crate) fn moved(
        name: &str,
        choice: &SolverChoice,
        adapter: Option<&str>,
    ) -> Result<SolverChoice, Box<dyn Error>> {
        let gpu = GpuParams { device: named(adapter), ..GpuParams::default() };
        let moved = gpu.running(choice).map(SolverChoice::from);
        moved.ok_or_else(|| {
            format!("the solver {name} does not run on a GPU; auto, plain, chebyshev, two-metric, pbd and xpbd do")
                .into()
        })
    }

    pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, Box<dyn Error>> {
        let adapters = Device::adapters();
        if !arguments.json {
            adapters.iter().for_each(|adapter| say!("{}", described(adapter)));
        }
        let found = match arguments.list {
            true => None,
            false => Some(self_test(&named(arguments.adapter.as_deref()))?),
        };
        if arguments.json {
            let adapters: Vec<Value> = adapters.iter().map(adapter_json).collect();
            say!("{}", json!({ "adapters": adapters, "test": found.as_ref().map(test_json) }));
        } else if let Some(found) = &found {
            say!("\ntest of {}, opened in {:.2} s", found.adapter.name, found.seconds_to_open);
            found.checks.iter().for_each(|check| say!("{}", line(check)));
        } else if adapters.is_empty() {
            say!("no adapter of Vulkan, Metal or DirectX 12 was found");
        }
        Ok(if found.is_none_or(|found| found.passes()) { Outcome::Good } else { Outcome::ExpectationFailed })
    }

    /// An adapter in two lines.
    fn described(adapter: &Adapter) -> String {
        let software = if adapter.is_software { ", software: it computes on the CPU" } else { "" };
        let clock = if adapter.has_timestamps { ", a clock" } else { "" };
        format!(
            "{} ({}, {}{software})\n  buffers of {} MiB, of which a kernel sees {} MiB; {} KiB of shared memory, {} threads in a workgroup{clock}",
            adapter.name,
            adapter.backend,
            adapter.driver,
            adapter.buffer_size >> 20,
            adapter.binding_size >> 20,
            adapter.shared_memory >> 10,
            adapter.workgroup_threads,
        )
    }

    /// A check in a line.
    fn line(check: &SelfCheck) -> String {
        let verdict = if check.passes() { "ok    " } else { "FAILED" };
        match &check.outcome {
            Err(problem) => format!("{verdict} {:<16} {problem}", check.name),
            Ok(found) => {
                let cpu = found.seconds_cpu.map_or(String::new(), |s| format!(", CPU {:.3} ms", 1e3 * s));
                let number = |value: f64| if value == 0.0 { "0".to_owned() } else { format!("{value:.1e}") };
                let (error, limit, gpu) = (number(found.error), number(found.limit), 1e3 * found.seconds_gpu);
                format!("{verdict} {:<16} error {error}, at most {limit}; GPU {gpu:.3} ms{cpu}", check.name)
            }
        }
    }

    fn adapter_json(adapter: &Adapter) -> Value {
        json!({
            "name": adapter.name,
            "backend": adapter.backend,
            "driver": adapter.driver,
            "is_software": adapter.is_software,
            "buffer_size": adapter.buffer_size,
            "binding_size": adapter.binding_size,
            "shared_memory": adapter.shared_memory,
            "workgroup_threads": adapter.workgroup_threads,
            "has_timestamps": adapter.has_timestamps,
        })
    }

    fn test_json(test: &SelfTest) -> Value {
        let check = |check: &SelfCheck| {
            let mut entry = json!({ "name": check.name, "passes": check.passes() });
            match &check.outcome {
                Err(problem) => entry["problem"] = json!(problem),
                Ok(found) => {
                    entry["error"] = json!(found.error);
                    entry["limit"] = json!(found.limit);
                    entry["seconds_gpu"] = json!(found.seconds_gpu);
                    entry["seconds_cpu"] = json!(found.seconds_cpu);
                }
            }
            entry
        };
        json!({
            "adapter": test.adapter.name,
            "passes": test.passes(),
            "seconds_to_open": test.seconds_to_open,
            "checks": test.checks.iter().map(check).collect::<Vec<_>>(),
        })
    }
}
