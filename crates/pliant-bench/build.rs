//! Compiles the C++ that Pliant is compared with, where the feature `reference` asks for it.

fn main() {
    println!("cargo::rerun-if-changed=src/reference");
    println!("cargo::rerun-if-changed=build.rs");
    #[cfg(feature = "reference")]
    reference();
}

/// The references get the compiler's best, and say in the results what that was.
#[cfg(feature = "reference")]
fn reference() {
    const FLAGS: [&str; 3] = ["-O3", "-march=native", "-std=c++17"];
    let mut build = cc::Build::new();
    build.cpp(true).opt_level(3).warnings(false).define("NDEBUG", None).include("/usr/include/eigen3");
    FLAGS.iter().for_each(|flag| {
        build.flag(flag);
    });
    for file in ["eigen.cpp", "cholmod.cpp", "matching.cpp", "pbd.cpp", "energies.cpp"] {
        build.file(format!("src/reference/{file}"));
    }
    let compiler = build.get_compiler();
    build.compile("pliant_bench_reference");
    println!("cargo::rustc-link-lib=cholmod");

    let version = compiler.to_command().arg("--version").output().ok();
    let version = version.and_then(|output| String::from_utf8(output.stdout).ok()).unwrap_or_default();
    let name = version.lines().next().unwrap_or("unknown compiler").to_owned();
    println!("cargo::rustc-env=PLIANT_BENCH_CXX={name}, {} -DNDEBUG", FLAGS.join(" "));
}
