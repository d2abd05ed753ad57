//! Builds the JavaScript package into a folder: `cargo run --release -p pliant-js --bin pack -- out/npm`.

#[cfg(not(target_arch = "wasm32"))]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    native::main()
}

#[cfg(target_arch = "wasm32")]
fn main() {}

#[cfg(not(target_arch = "wasm32"))]
mod native {
    use std::error::Error;
    use std::io::Write;
    use std::path::{Path, PathBuf};
    use std::process::Command;
    use std::{env, fs};

    use wasm_bindgen_cli_support::Bindgen;

    type Result<T> = std::result::Result<T, Box<dyn Error>>;

    pub(crate) fn main() -> Result<()> {
        let out = env::args().nth(1).map(PathBuf::from).ok_or("usage: pack FOLDER")?;
        fs::create_dir_all(&out)?;
        build_module("pliant-js", "pliant", &out)?;
        // The package's own half is called like the generated one.
        fs::rename(out.join("pliant.js"), out.join("core.js"))?;
        let source = Path::new(env!("CARGO_MANIFEST_DIR"));
        for file in ["pliant.js", "pliant.d.ts", "README.md"] {
            fs::copy(source.join("package").join(file), out.join(file))?;
        }
        for file in ["LICENSE-APACHE", "LICENSE-MIT"] {
            fs::copy(source.join("../..").join(file), out.join(file))?;
        }
        let description = fs::read_to_string(source.join("package/package.json"))?;
        fs::write(
            out.join("package.json"),
            description.replace("\"0.0.0\"", concat!("\"", env!("CARGO_PKG_VERSION"), "\"")),
        )?;
        for file in ["pliant_bg.wasm", "core.js", "pliant.js"] {
            println!("{}", sizes(&out.join(file))?);
        }
        Ok(())
    }

    /// Compiles a crate for browsers, with vector instructions, and makes the module `NAME.js` with `NAME_bg.wasm` of it.
    fn build_module(package: &str, name: &str, out: &Path) -> Result<()> {
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let target = "wasm32-unknown-unknown";
        let built = Command::new(cargo)
            .args(["rustc", "--locked", "--lib", "--crate-type", "cdylib", "--profile", "npm", "--target", target])
            .args(["--package", package, "--message-format", "json-render-diagnostics"])
            .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", "-C target-feature=+simd128")
            .stderr(std::process::Stdio::inherit())
            .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
            .output()?;
        if !built.status.success() {
            return Err(
                format!("{package} could not be compiled: is the target there? rustup target add {target}").into()
            );
        }
        // Cargo says where it put the module, in lines of JSON.
        let lines = String::from_utf8(built.stdout)?;
        let file = format!("{}.wasm", package.replace('-', "_"));
        let module = lines.split('"').rfind(|text| text.ends_with(&file));
        let module = module.ok_or_else(|| format!("cargo did not say where {file} is"))?;
        let mut bindgen = Bindgen::new();
        bindgen
            .input_path(module)
            .out_name(name)
            .typescript(false)
            .remove_name_section(true)
            .remove_producers_section(true);
        bindgen.web(true)?.generate(out)?;
        Ok(())
    }

    /// The sizes of a file: as it is, and as servers compress it.
    fn sizes(path: &Path) -> Result<String> {
        let bytes = fs::read(path)?;
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        gzip.write_all(&bytes)?;
        let mut brotli = Vec::new();
        brotli::CompressorWriter::new(&mut brotli, 1 << 16, 11, 22).write_all(&bytes)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let kilobytes = |count: usize| count.div_ceil(1000);
        let (raw, gzip, brotli) = (kilobytes(bytes.len()), kilobytes(gzip.finish()?.len()), kilobytes(brotli.len()));
        Ok(format!("{name}: {raw} kB, {gzip} kB by gzip, {brotli} kB by brotli"))
    }
}
