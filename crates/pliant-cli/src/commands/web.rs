//! `pliant web`: the live view as a page, served here or built into a folder.

mod serve;

use std::error::Error;
use std::ffi::OsString;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Outcome;
use crate::output::{finish, say};
use serve::Site;

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Build the page into a folder that any web server can serve, and serve nothing.
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["folder", "port", "no_open", "address"])]
    build: Option<PathBuf>,
    /// Serve a page that was built before; without this, it is built first.
    #[arg(long, value_name = "BUILT")]
    folder: Option<PathBuf>,
    /// Port to serve it on; 0 takes any that is free.
    #[arg(long, default_value_t = 8686)]
    port: u16,
    /// Address to serve it on: others than this machine reach it only if you name an address that they reach.
    #[arg(long, default_value = "127.0.0.1")]
    address: IpAddr,
    /// Do not open a browser.
    #[arg(long)]
    no_open: bool,
    /// Open this scene of those that come with Pliant.
    scene: Option<String>,
}

/// The profile of the program that builds the page: that of the command, whose parts are compiled already.
const PROFILE: &str = if cfg!(debug_assertions) { "dev" } else { "release" };

const EXAMPLES: &str = "Examples:
  pliant web                      builds the page, serves it on this machine, and opens it
  pliant web hammock              the same, and opens a scene
  pliant web --build site         a folder to put on any host; nothing runs on the server
  pliant web --folder site --port 9000 --no-open

Building needs a checkout of Pliant, Rust, and its target wasm32-unknown-unknown; some minutes the first time.";

pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, Box<dyn Error>> {
    if let Some(folder) = &arguments.build {
        build(folder)?;
        return Ok(Outcome::Good);
    }
    if let Some(name) = &arguments.scene {
        pliant_scene::Builtin::find(name)
            .ok_or_else(|| format!("there is no scene {name:?} that comes with Pliant; `pliant scenes` lists them"))?;
    }
    let folder = match &arguments.folder {
        Some(folder) => folder.clone(),
        None => {
            let root = checkout()?;
            let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
            let folder = target.join("page");
            build(&folder)?;
            folder
        }
    };
    let site = Site::open(&folder, arguments.address, arguments.port)?;
    let fragment = arguments.scene.as_ref().map_or(String::new(), |name| format!("#scene={name}"));
    let address = format!("http://{}/{fragment}", site.address());
    say!("{address}\nserves {} until it is interrupted", folder.display());
    finish()?;
    if !arguments.no_open && open::that_detached(&address).is_err() {
        say!("no browser could be opened: open the address by hand");
        finish()?;
    }
    site.serve();
    Ok(Outcome::Good)
}

/// The checkout of Pliant around the folder in which the command runs.
fn checkout() -> Result<PathBuf, Box<dyn Error>> {
    let here = std::env::current_dir()?;
    let found = here.ancestors().find(|folder| folder.join("crates/pliant-web/Cargo.toml").is_file());
    found.map(Path::to_path_buf).ok_or_else(|| {
        "the page is built from the source of Pliant, but this folder is not in a checkout of it: go into one, which needs Rust with the target wasm32-unknown-unknown, \
         or give --folder with a page that was built by `pliant web --build`"
            .into()
    })
}

/// Builds the page, which the program of `pliant-web` does.
fn build(folder: &Path) -> Result<(), Box<dyn Error>> {
    let root = checkout()?;
    let folder = std::path::absolute(folder)?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let status = Command::new(&cargo)
        .current_dir(root)
        .args(["run", "--quiet", "--locked", "--package", "pliant-web", "--profile", PROFILE, "--"])
        .arg(folder)
        .status()
        .map_err(|error| format!("{} cannot be run: {error}; Rust is needed to build the page", cargo.display()))?;
    if status.success() { Ok(()) } else { Err("the page could not be built".into()) }
}
