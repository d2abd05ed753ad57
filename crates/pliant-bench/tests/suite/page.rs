//! The page on performance is what the generator makes of the results beside it: nobody edits a number.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use pliant_bench::report;
use pliant_bench::results::Results;

#[test]
fn the_page_and_its_plots_are_made_from_the_results_beside_them() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let made = Path::new(env!("CARGO_TARGET_TMPDIR")).join("page");
    std::fs::create_dir_all(&made).unwrap();
    report::write(&docs.join("performance.json"), &made).unwrap();
    for file in ["performance.md", "images/performance-solve.svg", "images/performance-frame.svg"] {
        let [kept, made] = [&docs, &made].map(|folder| std::fs::read_to_string(folder.join(file)).unwrap());
        assert!(kept == made, "docs/{file} differs from what `pliant-bench report` makes of docs/performance.json");
    }
}

#[test]
fn a_file_without_results_is_named_in_the_error() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("no-results.json");
    std::fs::write(&path, "{\"machine\": 1}").unwrap();
    let error = Results::load(&path).unwrap_err().to_string();
    assert!(error.contains("no-results.json") && error.contains("results of `peers`"), "{error}");
}
