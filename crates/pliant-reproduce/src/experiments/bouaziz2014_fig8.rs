//! [Bouaziz 2014, Figure 8]: three cars collide and deform as their examples do.
//!
//! How much of a deformation is that of the examples is computed here, apart from the engine: with F the deformation gradients of the tets and
//! Eᵢ the stretches of the examples, Σ V‖F − R(I + Σ ωᵢEᵢ)‖² at the best rotations R and the best weights ω, against the same with ω = 0.

use pliant::energy::{ExampleBased, ExampleWeights, TetStrain};
use pliant::math::nearest_rotation;
use pliant::mesh::sdf::{Block, Rod, Solid};
use pliant::mesh::{Embedding, MassKind, Resolution, Simplices, Tetrahedralise};
use pliant::prelude::*;
use pliant::proximity::{Primitives, intersections};
use pliant_picture::plot::{Axis, Plot, Series};
use pliant_picture::{Camera, Color, Ground, Image, Mesh, RenderOptions, Scene, render};

use crate::picture::Row;
use crate::{Bound, Criterion, Experiment, Kind, Outcome, ReproduceError, Size, Table};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "bouaziz2014-fig8",
    figure: "Bouaziz 2014, Figure 8",
    claim: "With example-based constraints, three colliding cars deform in a cartoonish manner, following the prescribed \
        examples",
    criteria: &[
        Criterion {
            name: "follows",
            statement: "share of a car's deformation that is a blend of examples, at the time of its largest deformation, least of \
                the three cars",
            bound: Bound::AtLeast(0.5),
            kind: Kind::Shape,
        },
        Criterion {
            name: "because-of-examples",
            statement: "that share less the one of cars of the same stiffness without examples, least of the three cars",
            bound: Bound::AtLeast(0.2),
            kind: Kind::Shape,
        },
        Criterion {
            name: "cartoonish",
            statement: "largest weight of an example that each car reaches, least of the three cars: a fifth of the pose shows",
            bound: Bound::AtLeast(0.2),
            kind: Kind::Shape,
        },
        Criterion {
            name: "springs-back",
            statement: "deformation of a car at the end over its largest, most of the three cars",
            bound: Bound::AtMost(0.1),
            kind: Kind::Shape,
        },
        Criterion {
            name: "crossings",
            statement: "edges that pass through triangles at the end of any frame, the most",
            bound: Bound::AtMost(0.0),
            kind: Kind::Shape,
        },
    ],
    measure,
};

/// Stiffness of the examples, and of plain strain that draws a car back to its shape \[Pa\].
const EXAMPLES: f64 = 1e6;
const STRAIN: f64 = 1.4e4;
const DENSITY: f64 = 300.0;
const NAMES: [&str; 3] = ["from the left", "from the right", "from behind"];
const POSES: [&str; 3] = ["crouching", "bent", "twisted"];
/// Where each car begins \[m\], how far it is turned about the vertical \[°\], and its velocity \[m/s\].
const STARTS: [([f64; 3], f64, [f64; 3]); 3] = [
    ([-0.6, 0.002, 0.02], 0.0, [3.0, 0.0, 0.0]),
    ([0.6, 0.002, -0.02], 180.0, [-3.0, 0.0, 0.0]),
    ([0.3, 0.002, -1.0], -90.0, [0.0, 0.0, 3.5]),
];
const TIME_STEP: f64 = 1.0 / 60.0;

/// A car along x, about 0.6 m long, on the ground.
fn car() -> Solid {
    let block = |centre: [f64; 3], size: [f64; 3]| Block { centre: centre.into(), size: size.into() };
    let axle = |x: f64| {
        let lying = Mat3::from_rotation_x(std::f64::consts::FRAC_PI_2);
        Solid::new(Rod { centre: Vec3::ZERO, radius: 0.06, length: 0.3 }).moved(lying, Vec3::new(x, 0.06, 0.0))
    };
    Solid::new(block([0.0, 0.12, 0.0], [0.56, 0.12, 0.26]))
        .smooth_union(block([-0.03, 0.2, 0.0], [0.26, 0.14, 0.22]), 0.03)
        .smooth_union(axle(-0.17), 0.03)
        .smooth_union(axle(0.17), 0.03)
}

/// An example: squashed and taller, bent up at both ends, or twisted.
fn pose(number: usize, p: Vec3) -> Vec3 {
    let centre = Vec3::new(0.0, 0.13, 0.0);
    let q = p - centre;
    let turned = match number {
        0 => q * Vec3::new(0.6, 1.3, 1.05),
        1 => {
            // A quarter of a circle over its length.
            let radius = 0.56 / std::f64::consts::FRAC_PI_2;
            let (sin, cos) = (q.x / radius).sin_cos();
            Vec3::new((radius - q.y) * sin, radius - (radius - q.y) * cos, q.z)
        }
        _ => Mat3::from_rotation_x(q.x / 0.56 * std::f64::consts::FRAC_PI_2) * q,
    };
    centre + turned
}

/// A car at its place.
struct Placed {
    mesh: TetMesh,
    examples: Vec<Vec<Vec3>>,
    velocity: Vec3,
}

impl Placed {
    fn new(local: &TetMesh, number: usize) -> Self {
        let (at, degrees, velocity) = STARTS[number];
        let turn = Mat3::from_rotation_y(f64::to_radians(degrees));
        let placed = |p: Vec3| turn * p + Vec3::from(at);
        let positions = local.positions.iter().map(|p| placed(*p)).collect();
        let posed = |number: usize| local.positions.iter().map(|p| placed(pose(number, *p))).collect();
        let examples = (0..POSES.len()).map(posed).collect();
        Self { mesh: TetMesh { positions, tets: local.tets.clone() }, examples, velocity: velocity.into() }
    }

    fn body(&self, number: usize, with_examples: bool) -> Result<Body, ReproduceError> {
        let (rest, tets) = (&self.mesh.positions, || self.mesh.tets.clone());
        let surface = self.mesh.surface()?;
        let skin = surface.mesh.triangles.iter().map(|t| t.map(|v| surface.vertices[v as usize])).collect();
        let plain = if with_examples { STRAIN } else { STRAIN + EXAMPLES };
        let strain = TetStrain { tets: tets(), stiffness: plain, set: StrainSet::Rotation };
        let mut body = Body::new(rest.clone(), self.mesh.mass_matrix(MassKind::Lumped, DENSITY)?)
            .with_energy(strain.build(rest)?)
            .with_surface(skin)
            .with_velocities(vec![self.velocity; rest.len()])
            .named(NAMES[number]);
        if with_examples {
            let examples = self.examples.clone();
            let weights = ExampleWeights::Global;
            body = body.with_energy(ExampleBased { tets: tets(), examples, stiffness: EXAMPLES, weights }.build(rest)?);
        }
        Ok(body)
    }
}

fn world(cars: &[Placed], with_examples: bool) -> Result<Simulation, ReproduceError> {
    let mut builder = Simulation::builder().time_step(TIME_STEP).solver(ProjectiveParams::default());
    for (number, car) in cars.iter().enumerate() {
        builder = builder.body(car.body(number, with_examples)?);
    }
    let layers = SelfCollision { thickness: 0.01, friction: 0.1, ..SelfCollision::default() };
    let road = Collider::new(Shape::Plane).friction(0.15).named("road");
    Ok(builder
        .collider(road)
        .self_collision(layers)
        .damping(Damping { deformation: 2.0, ..Damping::default() })
        .build()?)
}

/// What the deformation of one car consists of.
struct Gauge {
    /// Volume, inverse edges at rest, and stretches of the examples less one, of each tet.
    tets: Vec<(f64, Mat3, [Mat3; 3])>,
}

impl Gauge {
    fn new(car: &Placed) -> Self {
        let edges = |tet: &[u32; 4], x: &[Vec3]| {
            let [a, b, c, d] = tet.map(|v| x[v as usize]);
            Mat3::from_cols(b - a, c - a, d - a)
        };
        let each = car.mesh.tets.iter().map(|tet| {
            let rest = edges(tet, &car.mesh.positions);
            let stretches = [0, 1, 2].map(|number| {
                let posed = edges(tet, &car.examples[number]) * rest.inverse();
                nearest_rotation(posed).transpose() * posed - Mat3::IDENTITY
            });
            (rest.determinant() / 6.0, rest.inverse(), stretches)
        });
        Self { tets: each.collect() }
    }

    /// Deformation Σ V‖F − R‖² \[m³\], the same after the best weights of the examples, and these weights.
    fn read(&self, car: &Placed, x: &[Vec3]) -> Reading {
        let gradient = |(tet, (_, inverse, _)): (&[u32; 4], &(f64, Mat3, [Mat3; 3]))| {
            let [a, b, c, d] = tet.map(|v| x[v as usize]);
            Mat3::from_cols(b - a, c - a, d - a) * *inverse
        };
        let gradients: Vec<Mat3> = car.mesh.tets.iter().zip(&self.tets).map(gradient).collect();
        let mut reading = Reading { all: f64::INFINITY, left: f64::INFINITY, weights: Vec3::ZERO };
        for round in 0..=ROUNDS {
            let (mut sum, mut along, mut gram) = (0.0, Vec3::ZERO, Mat3::ZERO);
            for ((volume, _, stretches), f) in self.tets.iter().zip(&gradients) {
                let blend = (0..3).fold(Mat3::IDENTITY, |sum, k| sum + stretches[k] * reading.weights[k]);
                let turned = nearest_rotation(*f * blend.transpose()).transpose() * *f;
                sum += volume * inner(turned - blend, turned - blend);
                for k in 0..3 {
                    along[k] += volume * inner(turned - Mat3::IDENTITY, stretches[k]);
                    let row = Vec3::from_array([0, 1, 2].map(|j| inner(stretches[k], stretches[j])));
                    *gram.col_mut(k) += row * *volume;
                }
            }
            if round == 0 {
                reading.all = sum;
            }
            reading.left = sum;
            if round < ROUNDS {
                reading.weights = gram.inverse() * along;
            }
        }
        reading
    }
}

/// Deformation of a car, what of it the examples do not explain \[m³\], and their weights.
#[derive(Debug, Clone, Copy)]
struct Reading {
    all: f64,
    left: f64,
    weights: Vec3,
}

/// Rounds of rotations and weight, each of which lowers the sum.
const ROUNDS: usize = 20;

fn inner(a: Mat3, b: Mat3) -> f64 {
    a.x_axis.dot(b.x_axis) + a.y_axis.dot(b.y_axis) + a.z_axis.dot(b.z_axis)
}

/// A collision: readings of each car frame by frame, and the positions when all cars together were deformed most.
struct Collision {
    readings: Vec<[Reading; 3]>,
    shown: Vec<Vec3>,
    crossings: usize,
}

impl Collision {
    fn of(cars: &[Placed], with_examples: bool, steps: usize) -> Result<Self, ReproduceError> {
        let mut sim = world(cars, with_examples)?;
        let primitives = Primitives::new(sim.model().bodies());
        let gauges: Vec<Gauge> = cars.iter().map(Gauge::new).collect();
        let (mut readings, mut most, mut shown, mut crossings) = (Vec::new(), 0.0, Vec::new(), 0);
        for _ in 0..steps {
            sim.step()?;
            crossings = crossings.max(intersections(&primitives, sim.positions()).len());
            let read = |number: usize| {
                Ok::<_, ReproduceError>(gauges[number].read(&cars[number], sim.body_positions(NAMES[number])?))
            };
            let row = [read(0)?, read(1)?, read(2)?];
            let total = row.iter().map(|reading| reading.all).sum();
            if total > most {
                (most, shown) = (total, sim.positions().to_vec());
            }
            readings.push(row);
        }
        Ok(Self { readings, shown, crossings })
    }

    /// The share of the examples when the car was deformed most.
    fn share(&self, car: usize) -> f64 {
        let most = self.readings.iter().map(|row| row[car]).max_by(|a, b| a.all.total_cmp(&b.all));
        most.map_or(0.0, |reading| 1.0 - reading.left / reading.all)
    }

    fn weight(&self, car: usize) -> f64 {
        self.readings.iter().fold(0.0, |most, row| row[car].weights.abs().max_element().max(most))
    }

    /// Deformation at the end over its largest.
    fn left(&self, car: usize) -> f64 {
        let largest = self.readings.iter().fold(0.0_f64, |most, row| row[car].all.max(most));
        self.readings[self.readings.len() - 1][car].all / largest
    }
}

fn measure(size: Size) -> Result<Outcome, ReproduceError> {
    let (cells, steps) = size.pick((14, 180), (8, 120));
    let fill = |cells| Tetrahedralise { resolution: Resolution::Cells(cells), ..Tetrahedralise::default() };
    let local = fill(cells).fill(&car())?.mesh;
    let cars: Vec<Placed> = (0..3).map(|number| Placed::new(&local, number)).collect();
    let mut outcome = Outcome::default();
    outcome.choose(format!(
        "three cars of the same shape, made of boxes and cylinders, with {} vertices and {} tets each; their surfaces follow the tets; \
         they meet at 3 to 3.5 m/s",
        local.positions.len(),
        local.tets.len()
    ));
    outcome.choose(format!(
        "three examples for each: 0.6 of its length and 1.3 of its height, bent by 90°, twisted by 90°; their weights are those of a whole car; \
         {EXAMPLES:.0e} Pa and plain strain of {STRAIN} Pa; {steps} steps of 1/60 s by the default of the projective solver"
    ));
    let with = Collision::of(&cars, true, steps)?;
    let without = Collision::of(&cars, false, steps)?;
    let shares = |collision: &Collision| [0, 1, 2].map(|car| collision.share(car));
    let least = |values: [f64; 3]| values.into_iter().fold(f64::INFINITY, f64::min);
    let ([a, b], gains) =
        ([shares(&with), shares(&without)], [0, 1, 2].map(|car| with.share(car) - without.share(car)));
    outcome.measure("follows", least(a), format!("{a:.2?}"));
    outcome.measure("because-of-examples", least(gains), format!("without examples {b:.2?}"));
    let weights = [0, 1, 2].map(|car| with.weight(car));
    outcome.measure("cartoonish", least(weights), format!("{weights:.2?}"));
    let left = [0, 1, 2].map(|car| with.left(car));
    outcome.measure("springs-back", left.into_iter().fold(0.0, f64::max), format!("{left:.3?}"));
    outcome.measure("crossings", with.crossings.max(without.crossings) as f64, "");

    let names: Vec<String> = NAMES.iter().flat_map(|car| POSES.map(|pose| format!("{car}, {pose}"))).collect();
    let columns: Vec<&str> = std::iter::once("time [s]").chain(names.iter().map(String::as_str)).collect();
    let mut table = Table::new("weights", &columns);
    for (k, row) in with.readings.iter().enumerate() {
        let weights = row.iter().flat_map(|reading| reading.weights.to_array());
        table.push(std::iter::once(TIME_STEP * (k + 1) as f64).chain(weights).collect::<Vec<_>>());
    }
    let series = names
        .iter()
        .enumerate()
        .map(|(k, name)| Series::new(name.as_str(), table.rows.iter().map(|(_, row)| [row[0], row[k + 1]]).collect()));
    let plot = Plot {
        title: "Weights of the examples".to_owned(),
        x: Axis::linear("time [s]"),
        y: Axis::linear("weight"),
        series: series.collect(),
        ..Plot::default()
    };
    outcome.plot("weights", plot);
    outcome.tables.push(table);
    draw(&mut outcome, &local, &cars, &with, fill(size.pick(44, 20)).fill(&car())?.mesh.surface()?.mesh, size)?;
    Ok(outcome)
}

/// The examples side by side, and the collision with and without what they do.
fn draw(
    outcome: &mut Outcome,
    local: &TetMesh,
    cars: &[Placed],
    collision: &Collision,
    fine: TriangleMesh,
    size: Size,
) -> Result<(), ReproduceError> {
    let follows = Embedding::new(local, &fine.positions)?;
    let posed: Vec<Vec<Vec3>> = (0..3)
        .map(|number| follows.apply(&local.positions.iter().map(|p| pose(number, *p)).collect::<Vec<_>>()))
        .collect();
    let row = Row {
        shapes: posed.iter().map(Vec::as_slice).collect(),
        triangles: vec![&fine.triangles],
        turn: -25.0,
        edges: false,
        size: size.pick([1200, 360], [300, 90]),
        crease: 40.0,
    };
    outcome.pictures.push(("examples".to_owned(), row.draw()?));
    outcome.pictures.push(("collision".to_owned(), draw_world(&follows, &fine, cars, &collision.shown, size)?));
    Ok(())
}

fn draw_world(
    follows: &Embedding,
    fine: &TriangleMesh,
    cars: &[Placed],
    x: &[Vec3],
    size: Size,
) -> Result<Image, ReproduceError> {
    let mut scene = Scene { ground: Some(Ground::at(0.0)), ..Scene::default() };
    let count = cars[0].mesh.positions.len();
    for (number, own) in x.chunks(count).enumerate() {
        let mesh = Mesh::new(follows.apply(own), fine.triangles.clone(), Color::of_body(number));
        scene.meshes.push(Mesh { crease: 40f64.to_radians(), ..mesh });
    }
    let [width, height] = size.pick([1200, 700], [240, 140]);
    let options = RenderOptions { width, height, samples: 3, ..RenderOptions::default() };
    let camera = Camera::new(Vec3::new(0.5, 0.9, 1.6), Vec3::new(0.05, 0.1, -0.05));
    Ok(render(&scene, &camera, &options)?)
}
