//! A small world of each kind: every solver, integrator, matter, and what is in the way.

use pliant::collide::{Key, Pose};
use pliant::energy::PositionGoals;
use pliant::mesh::PointSet;
use pliant::mesh::generate::{Bundle, Icosphere, Roots, particle_block};
use pliant::prelude::*;
use pliant::solve::ExplicitParams;
use pliant::{Emitter, Lattice, Plasticity, SimulationBuilder};

/// A name, and what makes a world of settings.
pub(crate) type Kind = (&'static str, fn(SimulationBuilder) -> SimulationBuilder);

pub(crate) const KINDS: &[Kind] = &[
    ("points", points),
    ("cloth in wind", cloth_in_wind),
    ("BDF2", |world| hung_cloth(world).integrator(TimeIntegrator::Bdf2)),
    ("TR-BDF2", |world| hung_cloth(world).integrator(TimeIntegrator::TrBdf2)),
    ("implicit midpoint", |world| hung_cloth(world).integrator(TimeIntegrator::ImplicitMidpoint)),
    ("Newton", |world| bar(world).solver(NewtonParams::default())),
    ("explicit", |world| bar(world).solver(ExplicitParams::default())),
    ("XPBD", |world| hung_cloth(world).solver(PositionBasedParams::default())),
    ("strain limit", |world| hung_cloth(world).strain_limiting(StrainLimiting::global(1.0005))),
    ("drape", drape),
    ("layers", layers),
    ("tearing", tearing),
    ("hair", hair),
    ("rods", rods),
    ("matched", matched),
    ("brittle", brittle),
    ("oriented", oriented),
    ("fluid", fluid),
    ("rigid", rigid),
];

fn sheet(columns: usize, plane: Plane) -> TriangleMesh {
    Sheet { columns, rows: columns, plane, ..Sheet::default() }.mesh().unwrap()
}

fn points(world: SimulationBuilder) -> SimulationBuilder {
    let points = PointSet { positions: vec![Vec3::ZERO, Vec3::X] };
    world.body(Body::points(&points, 0.1).with_velocities(vec![Vec3::Y, Vec3::new(0.3, 0.1, -0.7)]))
}

fn hung_cloth(world: SimulationBuilder) -> SimulationBuilder {
    let mesh = sheet(6, Plane::Xz);
    let handle = PositionGoals { vertices: vec![24], goals: None, stiffness: 20.0 }.build(&mesh.positions).unwrap();
    world.body(Body::cloth(&mesh, &ClothMaterial::default()).unwrap().named("cloth").pin([0, 6]).with_energy(handle))
}

fn cloth_in_wind(world: SimulationBuilder) -> SimulationBuilder {
    let damping = Damping { drag: 0.2, deformation: 0.5, stiffness: 1e-4, spring: 0.3, radial: 0.1, cluster: 10 };
    hung_cloth(world).wind(Wind::new(Vec3::new(1.0, 3.0, 2.0))).damping(damping)
}

fn bar(world: SimulationBuilder) -> SimulationBuilder {
    let mesh = TetBox { size: Vec3::new(1.0, 0.25, 0.25), cells: [4, 1, 1], ..TetBox::default() }.mesh().unwrap();
    let soft = SolidMaterial { youngs_modulus: 2e4, ..SolidMaterial::default() };
    world.body(Body::solid(&mesh, &soft).unwrap().named("bar").pin_where(|p| p.x < 1e-9))
}

/// Cloth falls onto a turning, rising ball.
fn drape(world: SimulationBuilder) -> SimulationBuilder {
    let key = |time: f64, height: f64, angle: f64| {
        let (position, rotation) = (Vec3::Y * height, Quat::from_rotation_y(angle));
        Key { time, pose: Pose { position, rotation } }
    };
    let ball = Collider::new(Shape::Sphere { radius: 0.25 }).friction(0.4);
    let ball = ball.moving(vec![key(0.0, -0.27, 0.0), key(1.0, 0.23, 1.0)]);
    let cloth = Body::cloth(&sheet(10, Plane::Xz), &ClothMaterial::default()).unwrap();
    world.body(cloth).collider(ball).collider(Collider::new(Shape::Plane).at(Vec3::Y * -0.6).restitution(0.3))
}

/// A sheet falls onto another that is held.
fn layers(world: SimulationBuilder) -> SimulationBuilder {
    let layer = |name: &str, y: f64| {
        let mesh = sheet(5, Plane::Xz).translated(Vec3::new(0.05 * y, y, 0.03));
        Body::cloth(&mesh, &ClothMaterial::default()).unwrap().named(name)
    };
    let settings = SelfCollision { thickness: 5e-3, ..SelfCollision::default() };
    world.body(layer("below", 0.0).pin([0, 5, 30, 35])).body(layer("above", 0.01)).self_collision(settings)
}

/// A sheet that is torn by its own speed.
fn tearing(world: SimulationBuilder) -> SimulationBuilder {
    let mesh = Sheet { columns: 8, rows: 6, ..Sheet::default() }.mesh().unwrap();
    let soft = ClothMaterial { youngs_modulus: 4e4, ..ClothMaterial::default() };
    let flag =
        Body::cloth(&mesh, &soft).unwrap().named("flag").with_tearing(Tearing::at_stretch(1.02).with_noise(0.3, 3));
    let velocities = mesh.positions.iter().map(|p| Vec3::new(4.0 * p.x, 0.0, p.y)).collect();
    world.body(flag.pin_where(|p| p.x < -0.49).with_velocities(velocities))
}

fn hair(world: SimulationBuilder) -> SimulationBuilder {
    let bundle = Bundle { roots: Roots::Disc { radius: 0.1, count: 12 }, direction: Vec3::X, length: 0.3, segments: 6 };
    let hair = bundle.strands().unwrap();
    let roots: Vec<u32> = hair.strands.rows().map(|strand| strand[0]).collect();
    let params = FollowLeaderParams {
        grid: Some(HairGrid { cell: 0.05, friction: 3.0, repulsion: 0.02 }),
        style: Some(HairStyle { local: 0.3, iterations: 2, global: 0.1, global_range: 0.5 }),
        ..FollowLeaderParams::default()
    };
    let body = Body::strands(&hair, &StrandMaterial { density: 1e-4, ..StrandMaterial::default() }).unwrap();
    world.body(body.named("hair").pin(roots)).solver(params)
}

fn rods(world: SimulationBuilder) -> SimulationBuilder {
    let rod = rope(Vec3::ZERO, Vec3::new(0.4, 0.1, 0.0), 8).unwrap();
    let body = Body::rods(&rod, &RodMaterial::default()).unwrap().named("rod").pin([0, 1]);
    world.body(body).solver(PositionBasedParams::default())
}

fn matched(world: SimulationBuilder) -> SimulationBuilder {
    let points = particle_block(Vec3::splat(0.5), 0.1).unwrap().translated(Vec3::Y * 0.3);
    let regions = Regions::balanced(&points.positions, 0.2).unwrap();
    let flows = Plasticity { yield_strain: 0.01, creep: 20.0, maximum: 1.0 };
    let jelly = Matching { spring: Spring::Frequency(4.0), plasticity: Some(flows), ..Matching::new(regions) };
    let body = Body::points(&points, 0.01).with_matching(jelly);
    world.body(body).collider(Collider::new(Shape::Plane)).solver(PositionBasedParams::default())
}

/// A bar that flies apart.
fn brittle(world: SimulationBuilder) -> SimulationBuilder {
    let cells = (0..12).flat_map(|i| (0..2).flat_map(move |j| (0..2).map(move |k| [i, j, k]))).collect();
    let lattice = Lattice::new(cells, 0.1, Vec3::ZERO).unwrap();
    let points = lattice.points();
    let velocities = points.positions.iter().map(|p| Vec3::X * (6.0 * (p.x - 0.6))).collect();
    let matching = Matching { toughness: Some(0.1), limit: None, ..Matching::new(lattice.regions(1)) };
    let body = Body::points(&points, 0.05).named("bar").with_matching(matching).with_velocities(velocities);
    world.body(body).solver(PositionBasedParams::default())
}

fn oriented(world: SimulationBuilder) -> SimulationBuilder {
    let strand = rope(Vec3::ZERO, Vec3::new(0.5, 0.2, 0.0), 6).unwrap();
    let particles = OrientedParticles::along(&strand, &[0.03; 7]).unwrap();
    let body = Body::oriented(&particles, &OrientedMaterial::default()).unwrap().pin([0]);
    world.body(body).wind(Wind::new(Vec3::Z)).solver(PositionBasedParams::default())
}

/// A drop, and a jet.
fn fluid(world: SimulationBuilder) -> SimulationBuilder {
    let water = FluidMaterial { spacing: 0.05, ..FluidMaterial::default() };
    let drop = particle_block(Vec3::splat(0.25), 0.05).unwrap().translated(Vec3::Y * 0.2);
    let tap =
        Emitter { mouth: Vec3::new(0.4, 0.3, 0.0), direction: Vec3::NEG_X, radius: 0.08, speed: 2.0, duration: 0.3 };
    world
        .body(Body::fluid(&drop, &water).unwrap().named("drop"))
        .body(Body::emitted(&tap, &water).unwrap().named("jet"))
        .collider(Collider::new(Shape::Plane))
        .solver(PositionBasedParams::default())
}

fn rigid(world: SimulationBuilder) -> SimulationBuilder {
    let ball = Icosphere { radius: 0.1, subdivisions: 1 }.mesh().unwrap().translated(Vec3::Y * 0.11);
    let body = Body::rigid(&ball, &RigidMaterial::default()).unwrap().named("ball");
    let count = body.rest().len();
    let body = body.with_velocities(vec![Vec3::new(1.0, -1.0, 0.0); count]);
    world.body(body).collider(Collider::new(Shape::Plane).friction(0.3))
}
