//! The wasm modules of the page.

use std::error::Error;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use wasm_bindgen_cli_support::Bindgen;

/// The modules, by their features.
pub(crate) const NAMES: [&str; 2] = ["view", "simulation"];
const TARGET: &str = "wasm32-unknown-unknown";
/// What engines of browsers can do that all of them have had since 2023.
const FEATURES: &str = "-Ctarget-feature=+simd128";
/// The profile in the workspace's Cargo.toml.
const PROFILE: &str = "web";

/// What rustc is told. Messages of panics name files, but not where they are on the machine that builds.
fn flags(root: &Path) -> Vec<String> {
    let mut flags = vec![FEATURES.to_owned()];
    let home = std::env::var_os("HOME").or_else(|| std::env::var_os("USERPROFILE")).map(PathBuf::from);
    let cargo = std::env::var_os("CARGO_HOME").map(PathBuf::from).or_else(|| Some(home.as_ref()?.join(".cargo")));
    // Of several that fit the last is taken.
    let places = [(home.as_deref(), "~"), (cargo.as_deref(), "cargo"), (Some(root), "pliant")];
    let named =
        places.into_iter().filter_map(|(path, name)| Some(format!("--remap-path-prefix={}={name}", path?.display())));
    flags.extend(named);
    flags
}

/// Compiles a module, and writes it with its JavaScript into a folder.
pub(crate) fn build(root: &Path, name: &str, folder: &Path) -> Result<(), Box<dyn Error>> {
    // The cargo that runs this program; by hand it is the one of the path.
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let status = Command::new(cargo)
        .current_dir(root)
        .args(["rustc", "--locked", "--package", "pliant-web", "--lib", "--crate-type", "cdylib", "--target", TARGET])
        .args(["--profile", PROFILE, "--features", name])
        .arg("--target-dir")
        .arg(&target)
        // With a separator that paths do not have.
        .env("CARGO_ENCODED_RUSTFLAGS", flags(root).join("\u{1f}"))
        .status()?;
    if !status.success() {
        return Err(format!("cargo could not build the module {name} for {TARGET}; `rustup target add {TARGET}` installs what that needs").into());
    }
    let module = target.join(TARGET).join(PROFILE).join("pliant_web.wasm");
    let mut bindgen = Bindgen::new();
    bindgen.web(true).map_err(|error| error.to_string())?;
    bindgen
        .input_bytes(name, std::fs::read(module)?)
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true);
    bindgen
        .generate(folder)
        .map_err(|error| format!("the module {name} cannot be prepared for JavaScript: {error:#}"))?;
    Ok(())
}
