//! `[solver.gpu]`: scenes run on both sides with one key changed, and what a GPU does not have is refused at its key. Without the feature `gpu`, all of it is.
#![allow(clippy::unwrap_used)]

use pliant::StepError;
use pliant::solve::SolveError;
use pliant_scene::{HAS_GPU, NO_GPU, Scene};

const CLOTH: &str = "[[body]]\nname = \"cloth\"\nmaterial.cloth = {}\n\
                     shape.sheet = { width = 1, height = 1, columns = 4, rows = 4 }\n\
                     pin = [{ select = { side = \"top\" } }]\n";

/// Whether there is something to run on; says so if not.
pub(crate) fn has_adapter() -> bool {
    #[cfg(feature = "gpu")]
    if !pliant_gpu::device::Device::adapters().is_empty() {
        return true;
    }
    eprintln!(
        "skipped: there is no GPU here, nor a program in place of one (on Debian: mesa-vulkan-drivers), or the feature `gpu` is off"
    );
    false
}

fn parse(text: &str) -> Scene {
    Scene::parse("scene.toml", text, &[]).unwrap()
}

/// Line and column of the error of a scene, and what it says.
fn refused(text: &str) -> (usize, usize, String) {
    let error = Scene::parse("scene.toml", text, &[]).and_then(|scene| scene.build().map(drop)).unwrap_err();
    let (line, column) = error.place.unwrap();
    (line, column, error.message)
}

#[test]
fn a_builtin_scene_runs_on_both_with_one_key_changed() {
    if !has_adapter() {
        return;
    }
    let run = |solver: &str| {
        let changes = ["world.frames=20".to_owned(), solver.to_owned()];
        let mut run = Scene::open("curtain", &changes).unwrap().build().unwrap_or_else(|error| panic!("{error}"));
        (0..20).for_each(|_| drop(run.next_frame().unwrap()));
        run
    };
    let cpu = run("solver.projective={ iterations = 10, acceleration.none = {} }");
    let gpu = run("solver.gpu.projective={ iterations = 10, acceleration.none = {} }");
    let gaps = cpu.sim.positions().iter().zip(gpu.sim.positions()).map(|(a, b)| a.distance(*b));
    let (furthest, diagonal) = (gaps.fold(0.0, f64::max), cpu.sim.model().diagonal());
    assert!(furthest < 1e-4 * diagonal, "{furthest} m apart in a world of {diagonal} m");
    let fallen = cpu.sim.positions().iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
    assert!(fallen < -0.1, "it has moved: {fallen}");
}

#[test]
fn a_scene_goes_to_a_gpu_and_back() {
    let moved = |solver: &str| parse(&format!("{solver}\n{CLOTH}")).on_gpu(None);
    let error = moved("[solver.newton]").unwrap_err();
    assert_eq!(error.place, Some((1, 1)));
    assert_eq!(
        error.message,
        "[solver.newton] does not run on a GPU; auto, projective, two-metric, position-based and follow-leader do"
    );
    for solver in ["", "[solver.auto]", "[solver.projective]\niterations = 5", "[solver.two-metric]", "[solver.gpu]"] {
        let there = moved(solver).unwrap();
        if has_adapter() {
            there.build().unwrap_or_else(|error| panic!("{solver}: {error}")).next_frame().unwrap();
        }
        let back = there.on_cpu().build().unwrap_or_else(|error| panic!("{solver}: {error}"));
        assert_ne!(back.sim.solver_choice().to_string(), "GPU", "{solver}");
    }
}

#[test]
fn what_a_gpu_does_not_have_is_pointed_at() {
    for (keys, column, message) in [
        ("projective.acceleration.lbfgs.history = 5", 12, "no L-BFGS on a GPU"),
        ("projective.precision = \"double\"", 24, "single precision"),
        ("projective = {}\ntwo-metric = {}", 14, "not both"),
        ("adapter = \" \"", 11, "adapter is empty"),
    ] {
        let (line, found, said) = refused(&format!("[solver.gpu]\n{keys}\n{CLOTH}"));
        assert!(said.contains(message), "{keys}: {said}");
        assert_eq!(line, 1 + keys.lines().count(), "{keys}: {said}");
        assert!(found <= column, "{keys}: column {found}");
    }
    if HAS_GPU {
        let (line, _, said) = refused(&format!("[solver.gpu]\ntwo-metric.linear_tolerance = 2\n{CLOTH}"));
        assert!(line == 2 && said == "linear_tolerance is 2, but must be at least 0 and below 1", "{said}");
    }
}

#[test]
fn an_adapter_that_is_not_there_is_told_at_the_key_of_the_solver() {
    let (line, column, said) = refused(&format!("title = \"a\"\n[solver.gpu]\nadapter = \"Voodoo 2\"\n{CLOTH}"));
    assert_eq!((line, column), (2, 1), "{said}");
    if HAS_GPU {
        assert!(said.contains("looked for an adapter whose name contains \"Voodoo 2\", found"), "{said}");
    } else {
        assert_eq!(said, NO_GPU);
    }
    let (line, column, said) = refused(&format!("{CLOTH}solver.gpu.adapter = \"Voodoo 2\"\n"));
    assert_eq!((line, column <= 22), (6, true), "{column}: {said}");
}

#[test]
fn bodies_on_one_gpu_are_one_group() {
    if !has_adapter() {
        return;
    }
    let body = |name: &str, gpu: &str| {
        let place = "transform.translate = [0, 0, 3]";
        format!("{}\n{place}\nsolver.gpu = {gpu}\n", CLOTH.replace("\"cloth\"", &format!("{name:?}")))
    };
    let count = |second: &str| {
        let text = body("a", "{ projective.iterations = 5 }") + &body("b", second);
        parse(&text).build().unwrap_or_else(|error| panic!("{error}")).sim.solver_count()
    };
    assert_eq!(count("{ projective.iterations = 5 }"), 1);
    assert_eq!(count("{ projective.iterations = 6 }"), 2);
}

#[test]
fn a_gpu_that_fails_in_a_step_is_told_at_the_key_of_the_solver() {
    let lost = SolveError::Other { solver: "GPU".to_owned(), problem: "the device was lost".to_owned() };
    let lost = StepError::Solve { step: 3, error: lost };
    let place = |text: &str| parse(text).fault_of_step(&lost).unwrap().place;
    assert_eq!(place(&format!("title = \"a\"\n[solver.gpu]\n{CLOTH}")), Some((2, 1)));
    assert_eq!(place(&format!("{CLOTH}solver.gpu = {{}}\n")).unwrap().0, 6);
    let other = StepError::Solve { step: 3, error: SolveError::NonFiniteObjective { value: f64::NAN } };
    assert!(parse(CLOTH).fault_of_step(&other).is_none());
}

#[cfg(not(feature = "gpu"))]
#[test]
fn a_build_without_it_says_how_to_build_with_it() {
    let (line, _, said) = refused(&format!("[solver.gpu]\n{CLOTH}"));
    assert!(line == 1 && said.contains("feature `gpu`"), "{said}");
}
