//! What can be stored with serde comes back as it was. Compiled with the feature `serde`, as in a test of the whole workspace.
#![allow(clippy::unwrap_used)]

use pliant::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

fn back<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: &T) {
    let text = serde_json::to_string(value).unwrap();
    assert_eq!(serde_json::from_str::<T>(&text).unwrap(), *value, "{text}");
}

#[test]
fn descriptions_come_back_as_they_were() {
    let limit =
        StrainLimit { set: StrainSet::Fibres { direction: Vec3::X, limits: [[0.9, 1.1]; 2] }, youngs_modulus: 1e7 };
    back(&ClothMaterial { strain_limit: Some(limit), ..pliant::presets::cloth("silk").unwrap() });
    back(&SolidMaterial::default());
    back(&RodMaterial::default());
    back(&FluidMaterial::default());
    back(&HairMaterial { correction: 0.5, ..HairMaterial::default() });
    for solver in [
        SolverChoice::Auto,
        ProjectiveParams { acceleration: Acceleration::Lbfgs { history: 3 }, ..ProjectiveParams::default() }.into(),
        NewtonParams::default().into(),
        PositionBasedParams::classic(7, 0.3).into(),
        FollowLeaderParams::default().into(),
    ] {
        back(&solver);
    }
    back(&Damping { drag: 0.3, ..Damping::default() });
    back(&SelfCollision::default());
    back(&StrainLimiting::global(1.05));
    back(&Sheet { columns: 3, rows: 4, ..Sheet::default() }.mesh().unwrap());
    back(&TetBox::default().mesh().unwrap());
}

#[test]
fn a_state_and_a_checkpoint_come_back_to_the_last_bit() {
    let line = rope(Vec3::ZERO, Vec3::X, 6).unwrap();
    let rod = || Body::rods(&line, &RodMaterial::default()).unwrap().pin([0, 1]);
    let mut sim = Simulation::builder().body(rod()).build().unwrap();
    sim.step().unwrap();
    assert!(serde_json::to_string(sim.state()).unwrap().contains("orientations"));
    let text = serde_json::to_string(&sim.checkpoint()).unwrap();
    let mut resumed = Simulation::builder().body(rod()).build().unwrap();
    resumed.restore(&serde_json::from_str(&text).unwrap()).unwrap();
    for sim in [&mut sim, &mut resumed] {
        sim.step().unwrap();
    }
    assert_eq!(sim.positions(), resumed.positions());
}
