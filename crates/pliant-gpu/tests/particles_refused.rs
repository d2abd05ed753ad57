//! What goes wrong in position-based worlds that stay on a device, and what cannot be there.
#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use pliant::collide::{Heightfield, Key, Pose};
use pliant::constraint::{Allowed, Distance};
use pliant::mesh::PointSet;
use pliant::prelude::*;
use pliant::solve::{StretchLevels, SweepKind};
use pliant_gpu::device::Device;
use pliant_gpu::{GpuParticles, GpuWorldError, ResidentWorld};

fn xpbd(iterations: usize) -> PositionBasedParams {
    PositionBasedParams { iterations, ..PositionBasedParams::default() }
}

fn mesh() -> TriangleMesh {
    Sheet { columns: 6, rows: 6, plane: Plane::Xz, ..Sheet::default() }.mesh().unwrap()
}

/// A net that is held at a row.
fn net() -> Body {
    Body::mass_spring(&mesh(), 0.2, mesh().edges(), 1e3).unwrap().named("net").pin(42..49)
}

fn particles() -> Body {
    Body::points(&PointSet { positions: mesh().positions }, 1e-3).named("particles")
}

fn on(device: &Device, body: Body) -> GpuParticles {
    GpuParticles::new(device, Simulation::builder().body(body).solver(xpbd(5)).build().unwrap()).unwrap()
}

#[test]
fn a_state_that_is_not_finite_is_an_error_and_the_last_good_one_stays() {
    let Some(device) = common::device() else { return };
    let mut gpu = on(&device, net());
    gpu.step().unwrap();
    let good = gpu.sync().unwrap().positions().to_vec();
    let mut fast = gpu.last_synced().velocities().to_vec();
    // Finite in f64, not in f32.
    fast[3] = Vec3::X * 1e39;
    gpu.set_state(&good, &fast).unwrap();
    gpu.step().unwrap();
    let error = gpu.sync().unwrap_err();
    assert!(matches!(error, GpuWorldError::NotFinite { steps: 1, .. }), "{error}");
    assert_eq!(gpu.last_synced().positions(), good);
    // A state that is good goes on.
    let calm = vec![Vec3::ZERO; good.len()];
    let mut nowhere = good.clone();
    nowhere[5].y = f64::NAN;
    assert!(matches!(gpu.set_state(&nowhere, &calm), Err(GpuWorldError::Input(_))));
    gpu.set_state(&good, &calm).unwrap();
    gpu.step().unwrap();
    assert!(gpu.sync().unwrap().positions().iter().all(|x| x.is_finite()));
}

#[test]
fn a_lost_device_says_so() {
    let Some(_) = common::device() else { return };
    let device = Device::open_anew(&common::choice()).unwrap();
    let mut gpu = on(&device, net());
    device.lose();
    assert!(matches!(gpu.step().unwrap_err(), GpuWorldError::Gpu(_)));
    assert!(gpu.sync().is_err());
    assert_eq!(gpu.last_synced().positions(), mesh().positions);
}

#[test]
fn what_is_not_supported_is_refused_by_name_with_a_way_out() {
    let Some(device) = common::device() else { return };
    let mesh = mesh();
    let world = |body: Body| Simulation::builder().solver(xpbd(5)).body(body);
    let bent: Vec<Vec3> = mesh.positions.iter().map(|p| Vec3::new(p.x, p.x * p.x, p.z)).collect();
    let bent = TriangleMesh { positions: bent, triangles: mesh.triangles.clone() };
    let curved = Body::cloth(&bent, &ClothMaterial::default()).unwrap().named("bowl");
    let damped = Distance::at_rest(&mesh.edges(), &mesh.positions, Allowed::Exactly, 1e-3).unwrap();
    let damped = damped.with_damping(0.01).unwrap().boxed();
    let jacobi = PositionBasedParams { sweep: SweepKind::Jacobi { relaxation: 1.0 }, ..xpbd(5) };
    let levels = PositionBasedParams { levels: Some(StretchLevels::default()), ..xpbd(5) };
    let early = PositionBasedParams { tolerance: 1e-3, ..xpbd(5) };
    let record = PositionBasedParams { record: true, ..xpbd(5) };
    let ball = || Collider::new(Shape::Sphere { radius: 0.1 }).at(Vec3::NEG_Y).named("ball");
    let hills = Heightfield::new([2, 2], [1.0, 1.0], vec![-1.0; 4]).unwrap();
    let hills = Collider::new(Shape::Heightfield(hills)).named("hills");
    let key = |time: f64| Key { time, pose: Pose { position: Vec3::NEG_Y * time, ..Pose::default() } };
    let lift = Collider::new(Shape::Plane).moving(vec![key(1.0), key(2.0)]).named("lift");
    let many = (0..9).fold(world(net()), |builder, k| builder.collider(ball().named(format!("ball {k}"))));
    let tets = TetBox { cells: [2, 2, 2], ..TetBox::default() }.mesh().unwrap();
    let jelly = Body::points(&PointSet { positions: tets.positions.clone() }, 0.1).named("jelly");
    let matched = jelly.with_matching(Matching::new(Regions::whole(27)));
    for (builder, names) in [
        (world(curved), ["\"bowl\"", "hinge"]),
        (world(matched), ["\"jelly\"", "matter"]),
        (world(particles().with_constraints(damped)), ["\"particles\"", "damping"]),
        (world(net()).collider(hills), ["\"hills\"", "shape"]),
        (world(net()).collider(lift), ["\"lift\"", "motion"]),
        (world(net()).collider(ball().restitution(0.5)), ["\"ball\"", "restitution"]),
        (many, ["world", "9 colliders"]),
        (world(net()).solver(xpbd(0)).collider(ball()), ["world", "no iterations"]),
        (world(net()).wind(Wind::new(Vec3::X)), ["world", "wind"]),
        (world(net()).solver(ProjectiveParams::default()), ["world", "projective"]),
        (world(net()).solver(jacobi), ["solver", "Jacobi"]),
        (world(net()).solver(levels), ["solver", "levels"]),
        (world(net()).solver(early), ["solver", "tolerance"]),
        (world(net()).solver(record), ["solver", "record"]),
        (world(net()).integrator(TimeIntegrator::Bdf2), ["world", "BDF2"]),
        (world(net()).damping(Damping { stiffness: 0.01, ..Damping::default() }), ["world", "damping"]),
    ] {
        let error = GpuParticles::new(&device, builder.build().unwrap()).unwrap_err();
        let message = error.to_string();
        assert!(matches!(error, GpuWorldError::Gpu(_)), "{message}");
        assert!(names.iter().all(|name| message.contains(name)), "{names:?} in: {message}");
    }
}
