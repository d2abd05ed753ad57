//! Builds the page into a folder that any web server can serve: `cargo run -p pliant-web --release -- FOLDER`. `pliant web` does that.

#[cfg(not(target_arch = "wasm32"))]
mod build;

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let [folder] = arguments.as_slice() else {
        eprintln!("usage: pliant-web FOLDER   builds the page into a folder");
        return std::process::ExitCode::from(2);
    };
    match build::page(folder.as_ref()) {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            std::process::ExitCode::FAILURE
        }
    }
}

#[cfg(target_arch = "wasm32")]
fn main() {}
