//! The self-test that users run.
#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use pliant_gpu::device::DeviceChoice;
use pliant_gpu::{Comparison, GpuError, SelfCheck, self_test};

#[test]
fn the_adapter_of_the_tests_passes() {
    let Some(_) = common::device() else { return };
    let found = self_test(&common::choice()).unwrap();
    assert!(found.passes(), "{found:#?}");
    assert_eq!(found.checks.len(), 4);
}

#[test]
fn an_adapter_that_is_not_there_is_named_with_those_that_are() {
    let choice = DeviceChoice { name: Some("Voodoo 2".to_owned()), ..DeviceChoice::default() };
    let error = self_test(&choice).unwrap_err();
    assert!(matches!(error, GpuError::NoAdapter { .. }) && error.to_string().contains("Voodoo 2"), "{error}");
}

#[test]
fn what_is_not_a_number_does_not_pass() {
    let check = |error| {
        let outcome = Ok(Comparison { error, limit: 1e-5, seconds_gpu: 0.0, seconds_cpu: None });
        SelfCheck { name: "cloth", outcome }
    };
    assert!(check(1e-6).passes() && !check(1e-4).passes() && !check(f64::NAN).passes());
    assert!(!SelfCheck { name: "cloth", outcome: Err("the device was lost".to_owned()) }.passes());
}
