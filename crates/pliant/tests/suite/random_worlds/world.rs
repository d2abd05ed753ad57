//! A world as data: what the generator decides, what a failure prints, and what is built by the public interface.

use std::fmt;

use pliant::collide::{Key, Pose};
use pliant::energy::PositionGoals;
use pliant::mesh::generate::{Bundle, Icosphere, Roots};
use pliant::prelude::*;
use pliant::{ModelError, SimulationBuilder};

/// Everything that makes a world.
#[derive(Debug, Clone)]
pub(crate) struct World {
    pub(crate) seed: u64,
    pub(crate) bodies: Vec<Thing>,
    pub(crate) colliders: Vec<Obstacle>,
    pub(crate) ties: Vec<Tie>,
    pub(crate) gravity: Vec3,
    pub(crate) wind: Option<Wind>,
    pub(crate) damping: Damping,
    pub(crate) self_collision: Option<SelfCollision>,
    pub(crate) strain_limiting: Option<StrainLimiting>,
    pub(crate) time_step: f64,
    pub(crate) steps: usize,
}

/// A body. Its rest shape is made about the origin, turned, and put at its centre.
#[derive(Debug, Clone)]
pub(crate) struct Thing {
    pub(crate) name: String,
    pub(crate) form: Form,
    pub(crate) centre: Vec3,
    pub(crate) turn: Quat,
    /// Of the centre \[m/s\], and about it \[rad/s\].
    pub(crate) velocity: Vec3,
    pub(crate) spin: Vec3,
    pub(crate) pins: Vec<u32>,
    pub(crate) pin_motion: Course,
    /// Vertices that springs draw to moving places, and their stiffness \[N/m\].
    pub(crate) handles: Vec<u32>,
    pub(crate) handle_stiffness: f64,
    pub(crate) handle_motion: Course,
    /// Overpressure inside \[Pa\].
    pub(crate) pressure: f64,
}

#[derive(Debug, Clone)]
pub(crate) enum Form {
    Sheet { size: [f64; 2], cells: [usize; 2], material: ClothMaterial },
    Balloon { radius: f64, subdivisions: u32, material: ClothMaterial },
    Block { size: Vec3, cells: [usize; 3], material: SolidMaterial },
    Hair { length: f64, segments: usize, count: usize, material: StrandMaterial },
}

/// Where pins and handles go from where they began: evenly, and to and fro.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Course {
    /// \[m/s\]
    pub(crate) velocity: Vec3,
    /// \[m\] and \[rad/s\]
    pub(crate) swing: Vec3,
    pub(crate) rate: f64,
}

impl Course {
    pub(crate) fn at(&self, time: f64) -> Vec3 {
        self.velocity * time + self.swing * (self.rate * time).sin()
    }

    pub(crate) fn is_still(&self) -> bool {
        *self == Self::default()
    }
}

/// A collider that goes and turns evenly.
#[derive(Debug, Clone)]
pub(crate) struct Obstacle {
    pub(crate) shape: Shape,
    pub(crate) position: Vec3,
    pub(crate) turn: Quat,
    pub(crate) velocity: Vec3,
    pub(crate) spin: Vec3,
    pub(crate) thickness: f64,
    pub(crate) friction: f64,
    pub(crate) restitution: f64,
}

impl Obstacle {
    pub(crate) fn is_still(&self) -> bool {
        self.velocity == Vec3::ZERO && self.spin == Vec3::ZERO
    }
}

/// A spring between two bodies; with a length as at the start, or without one.
#[derive(Debug, Clone)]
pub(crate) struct Tie {
    pub(crate) ends: [(usize, u32); 2],
    pub(crate) stiffness: f64,
    pub(crate) has_length: bool,
}

impl Thing {
    /// Vertices at rest, turned and put in place.
    fn body(&self) -> Result<Body, ModelError> {
        let place = |p: &mut Vec3| *p = self.centre + self.turn * *p;
        let mut body = match &self.form {
            Form::Sheet { size: [width, height], cells: [columns, rows], material } => {
                let sheet =
                    Sheet { width: *width, height: *height, columns: *columns, rows: *rows, ..Sheet::default() };
                let mut mesh = sheet.mesh()?;
                mesh.positions.iter_mut().for_each(place);
                Body::cloth(&mesh, material)?
            }
            Form::Balloon { radius, subdivisions, material } => {
                let mut mesh = Icosphere { radius: *radius, subdivisions: *subdivisions }.mesh()?;
                mesh.positions.iter_mut().for_each(place);
                Body::cloth(&mesh, material)?
            }
            Form::Block { size, cells, material } => {
                let mut mesh = TetBox { size: *size, cells: *cells, ..TetBox::default() }.mesh()?;
                mesh.positions.iter_mut().for_each(place);
                Body::solid(&mesh, material)?
            }
            Form::Hair { length, segments, count, material } => {
                let mut strands = if *count == 1 {
                    rope(Vec3::X * (-0.5 * length), Vec3::X * (0.5 * length), *segments)?
                } else {
                    let roots = Roots::Disc { radius: 0.2 * length, count: *count };
                    Bundle { roots, direction: Vec3::Y, length: *length, segments: *segments }.strands()?
                };
                strands.positions.iter_mut().for_each(place);
                Body::strands(&strands, material)?
            }
        };
        let velocity = |p: &Vec3| self.velocity + self.spin.cross(*p - self.centre);
        let mut velocities: Vec<Vec3> = body.rest().iter().map(velocity).collect();
        self.pins.iter().for_each(|&pin| velocities[pin as usize] = Vec3::ZERO);
        if !self.handles.is_empty() {
            let (vertices, stiffness) = (self.handles.clone(), self.handle_stiffness);
            let goals = PositionGoals { vertices, goals: None, stiffness }.build(body.rest());
            body = body.with_energy(goals.map_err(|error| ModelError::Energy { body: self.name.clone(), error })?);
        }
        let body = body.named(&self.name).with_velocities(velocities).pin(self.pins.iter().copied());
        Ok(body.with_pressure(self.pressure))
    }
}

impl Obstacle {
    fn collider(&self, duration: f64) -> Collider {
        let collider = Collider::new(self.shape.clone()).thickness(self.thickness).friction(self.friction);
        let collider = collider.restitution(self.restitution);
        if self.is_still() {
            return collider.at(self.position).turned(self.turn);
        }
        // Keys so close that turning the shorter way is turning on.
        let key = |k: usize| {
            let time = 0.1 * k as f64;
            let rotation = (Quat::from_scaled_axis(self.spin * time) * self.turn).normalize();
            Key { time, pose: Pose { position: self.position + self.velocity * time, rotation } }
        };
        collider.moving((0..(duration / 0.1) as usize + 2).map(key).collect())
    }
}

impl World {
    /// What was decided, at the default solver, integrator and substeps.
    pub(crate) fn builder(&self) -> Result<SimulationBuilder, ModelError> {
        let mut builder = Simulation::builder().time_step(self.time_step).gravity(self.gravity).damping(self.damping);
        // Small bodies are no work to share, and threads that wait for each other take longest on a busy machine. Results are the same.
        builder = builder.threads(1);
        for thing in &self.bodies {
            builder = builder.body(thing.body()?);
        }
        for obstacle in &self.colliders {
            builder = builder.collider(obstacle.collider(self.time_step * self.steps as f64));
        }
        for tie in &self.ties {
            let [a, b] = tie.ends.map(|(body, vertex)| (self.bodies[body].name.clone(), vertex));
            builder = if tie.has_length {
                builder.attach_at_distance(a, b, tie.stiffness)
            } else {
                builder.attach(a, b, tie.stiffness)
            };
        }
        if let Some(wind) = self.wind {
            builder = builder.wind(wind);
        }
        if let Some(settings) = &self.self_collision {
            builder = builder.self_collision(settings.clone());
        }
        if let Some(limiting) = self.strain_limiting {
            builder = builder.strain_limiting(limiting);
        }
        Ok(builder)
    }

    pub(crate) fn build(&self) -> Result<Simulation, ModelError> {
        self.builder()?.build()
    }

    /// Whether anything but the bodies moves.
    pub(crate) fn is_driven(&self) -> bool {
        self.colliders.iter().any(|obstacle| !obstacle.is_still())
            || self.bodies.iter().any(|thing| !thing.pin_motion.is_still() || !thing.handle_motion.is_still())
    }
}

/// In words that name every number: a failure can be rebuilt without the generator.
impl fmt::Display for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "world {}: {} steps of {:.6} s, gravity {}", self.seed, self.steps, self.time_step, self.gravity)?;
        for thing in &self.bodies {
            write!(f, "  {:?}: {:?} at {}, turned {}", thing.name, thing.form, thing.centre, thing.turn)?;
            write!(f, ", velocity {}, spin {}", thing.velocity, thing.spin)?;
            if !thing.pins.is_empty() {
                write!(f, ", pins {:?} {:?}", thing.pins, thing.pin_motion)?;
            }
            if !thing.handles.is_empty() {
                write!(f, ", handles {:?} of {} N/m {:?}", thing.handles, thing.handle_stiffness, thing.handle_motion)?;
            }
            writeln!(f, "{}", if thing.pressure > 0.0 { format!(", {} Pa", thing.pressure) } else { String::new() })?;
        }
        self.colliders.iter().try_for_each(|obstacle| writeln!(f, "  {obstacle:?}"))?;
        self.ties.iter().try_for_each(|tie| writeln!(f, "  {tie:?}"))?;
        self.wind.iter().try_for_each(|wind| writeln!(f, "  {wind:?}"))?;
        self.self_collision.iter().try_for_each(|settings| writeln!(f, "  {settings:?}"))?;
        self.strain_limiting.iter().try_for_each(|limiting| writeln!(f, "  {limiting:?}"))?;
        write!(f, "  {:?}", self.damping)
    }
}
