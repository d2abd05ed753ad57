//! `pliant reproduce` as a user runs it.
#![allow(clippy::unwrap_used)]

use std::process::{Command, Output};

fn pliant(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pliant")).args(arguments).output().unwrap()
}

#[test]
fn an_experiment_leaves_tables_plots_pictures_and_a_verdict() {
    let out = std::env::temp_dir().join(format!("pliant-reproduce-{}", std::process::id()));
    let output = pliant(&["reproduce", "bouaziz2014-fig5", "--reduced", "--out", out.to_str().unwrap()]);
    assert!(output.status.success(), "{output:?}");
    let folder = out.join("bouaziz2014-fig5");
    for file in ["drops.csv", "profile.svg", "profile.png", "drapes.png", "README.md"] {
        assert!(std::fs::metadata(folder.join(file)).unwrap().len() > 100, "{file}");
    }
    let verdict: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.join("verdict.json")).unwrap()).unwrap();
    assert_eq!(verdict["holds"], true);
    assert!(verdict["verdicts"][0]["measured"].as_f64().unwrap() < 0.03);
    assert!(!verdict["chosen"].as_array().unwrap().is_empty());
    std::fs::remove_dir_all(out).unwrap();
}

#[test]
fn without_a_name_experiments_are_listed_and_an_unknown_one_is_an_error_that_names_them() {
    let listed = pliant(&["reproduce"]);
    let text = String::from_utf8(listed.stdout).unwrap();
    assert!(listed.status.success());
    assert_eq!(text.lines().count(), pliant_reproduce::ALL.len(), "{text}");
    let unknown = pliant(&["reproduce", "liu2013-fig99"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(String::from_utf8(unknown.stderr).unwrap().contains("liu2013-fig2, "));
}
