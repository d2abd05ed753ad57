//! What cannot tear or be cut is refused by name.

use pliant::prelude::*;
use pliant::{Seam, TearThreshold, TopologyError};

use super::common::{Outcome, sheet};

#[test]
fn what_cannot_tear_is_refused_by_name() -> Outcome {
    let mesh = sheet(4, 4, 1.0, 1.0);
    let cloth = || Body::cloth(&mesh, &ClothMaterial::default()).map(|body| body.named("cloth"));
    let refused = |body: Body| Simulation::builder().body(body).build().unwrap_err().to_string();
    let strong = || Tearing::at_stretch(2.0);
    assert_eq!(
        refused(cloth()?.with_tearing(Tearing::at_stretch(0.9))),
        "the stretch to tear at is 0.9, but must be finite and above 1"
    );
    assert!(refused(cloth()?.with_tearing(strong().with_noise(1.5, 0))).contains("noise"));
    let seams = vec![Seam { edges: vec![[0, 24]], strength: 0.5 }];
    let odd = Tearing { seams, ..strong() };
    assert_eq!(
        refused(cloth()?.with_tearing(odd)),
        "body \"cloth\" has no edge of a triangle between vertices 0 and 24 for a seam"
    );
    let loose = Body::new(mesh.positions.clone(), (0..25).map(|v| (v, v, 1.0)).collect()).named("dust");
    assert!(refused(loose.with_tearing(strong())).contains("\"dust\" has no triangles"));
    let net = Body::mass_spring(&mesh, 0.1, mesh.edges(), 10.0)?.named("net");
    assert!(refused(net.with_tearing(Tearing::at_force(1.0))).contains("\"net\" has no material"));
    let mut operator = pliant::energy::Operator::new(1);
    (0..2).for_each(|k| operator.push(1.0, &[k, k + 1], &[-1.0, 1.0]));
    let outside =
        pliant::energy::FunctionBatch::new("outside", operator, |z: &[Vec3], p: &mut [Vec3]| p.copy_from_slice(z));
    let error = refused(cloth()?.with_energy(Box::new(outside)).with_tearing(strong()));
    assert_eq!(error, "body \"cloth\": \"outside\" cannot be torn or cut; cloth, solid and strand materials can");

    let wire = Body::rods(&rope(Vec3::ZERO, Vec3::X, 4)?, &RodMaterial::default())?.named("wire");
    let error = refused(wire.with_tearing(strong()));
    assert_eq!(error, "body \"wire\": \"rod\" cannot be torn or cut; cloth, solid and strand materials can");

    let solid = Body::solid(&TetBox::default().mesh()?, &SolidMaterial::default())?.named("jelly");
    let mut sim = Simulation::builder().body(cloth()?).body(solid).build()?;
    let plane = Cut::Plane { point: Vec3::ZERO, normal: Vec3::X };
    assert_eq!(sim.cut("jelly", &plane), Err(TopologyError::NotCloth { body: "jelly".into() }));
    assert_eq!(sim.cut("silk", &plane), Err(TopologyError::NoSuchBody("silk".into())));
    assert!(sim.cut("cloth", &Cut::Plane { point: Vec3::ZERO, normal: Vec3::ZERO }).is_err());
    assert!(sim.cut("cloth", &Cut::Polyline { points: vec![Vec3::ZERO], direction: Vec3::Z }).is_err());
    let missed = sim.cut("cloth", &Cut::Plane { point: Vec3::X * 9.0, normal: Vec3::X })?;
    assert_eq!((missed.length, sim.topology_changes()), (0.0, 0));
    assert_eq!(Tearing::at_force(2.0).threshold, TearThreshold::Force(2.0));
    Ok(())
}
