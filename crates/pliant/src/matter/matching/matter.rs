//! Shape matching as the matter of a body, and the motion of all such bodies of a world during a step.

use super::fracture::Broken;
use super::goals::Shape;
use super::{Break, Matching, Plasticity, Regions, Spring};
use crate::contact::Contacts;
use crate::integrate::TimeIntegrator;
use crate::math::{Mat3, Quat, Vec3};
use crate::matter::{
    BodyView, Channel, Channels, Iteration, Matter, MatterInfo, Motion, MotionSetting, Place, SavedChannels, StageView,
    StepView, needs_implicit_euler,
};
use crate::mesh::PointSet;
use crate::mesh::generate::particle_block;
use crate::world::body::Body;
use crate::world::checkpoint::CheckpointError;
use crate::world::error::ModelError;
use crate::world::model::Model;

/// Names of what regions carry.
const ROTATIONS: &str = "rotations";
const STRETCHES: &str = "stretches";
pub(super) const BREAKS: &str = "breaks";

pub(crate) const INFO: MatterInfo = MatterInfo {
    kind: "matching",
    summary: "regions that are pulled back to their shape: jelly, lead, brittle bodies",
    citation: "Müller et al. 2005; Bargteil & Jones 2014",
    specimens: &[jelly, lead, biscuit],
    is_kind_of: crate::matter::is::<Matching>,
};

/// A bar that is held at one end and swings.
fn bar(matching: impl FnOnce(Regions) -> Matching) -> Result<Body, ModelError> {
    let points: PointSet = particle_block(Vec3::new(0.6, 0.2, 0.2), 0.1)?;
    let refused = |error| ModelError::Regions { body: "bar".to_owned(), error };
    let regions = Regions::balanced(&points.positions, 0.2).map_err(refused)?;
    let middle = points.positions.iter().fold(0.0, |sum, p| sum + p.x) / points.positions.len() as f64;
    let bar = Body::points(&points, 0.05).with_matching(matching(regions));
    Ok(bar.pin_where(|p| p.x < middle - 0.2))
}

fn jelly() -> Result<Body, ModelError> {
    bar(|regions| Matching { spring: Spring::Frequency(3.0), ..Matching::new(regions) })
}

fn lead() -> Result<Body, ModelError> {
    let plasticity = Plasticity { yield_strain: 0.01, creep: 10.0, maximum: 1.0 };
    bar(|regions| Matching { plasticity: Some(plasticity), ..Matching::new(regions) })
}

fn biscuit() -> Result<Body, ModelError> {
    bar(|regions| Matching { toughness: Some(0.01), ..Matching::new(regions) })
}

impl Matching {
    /// Numbers of regions, and of those that flow, of a body that is so broken; none if it cannot be.
    fn region_counts(&self, rest: &[Vec3], breaks: &[Break]) -> Option<[usize; 2]> {
        let count = match self.toughness {
            _ if breaks.is_empty() => self.regions.len(),
            Some(_) => Broken::new(&self.regions, rest, breaks, 0)?.regions.len(),
            None => return None,
        };
        Some([count, if self.plasticity.is_some() { count } else { 0 }])
    }
}

impl Body {
    /// Adds shape matching. Needs the [position-based solver](crate::solve::pbd).
    pub fn with_matching(self, matching: Matching) -> Self {
        self.with_matter(matching)
    }
}

impl Matter for Matching {
    fn kind(&self) -> &'static str {
        INFO.kind
    }

    fn check_world(&self, at: &Place<'_>, integrator: TimeIntegrator) -> Result<(), ModelError> {
        needs_implicit_euler(at, INFO.kind, integrator)
    }

    fn prepare(&mut self, body: &BodyView<'_>) -> Result<(), ModelError> {
        if let Some((name, value, need)) = self.problem() {
            return Err(ModelError::BadParameter { name, value, need });
        }
        let refused = |error| ModelError::Regions { body: body.name.to_owned(), error };
        self.regions.check(body.rest.len()).map_err(refused)?;
        self.check_surface(body.rest, body.surface).map_err(refused)
    }

    fn initial(&self, at: &Place<'_>, _x: &[Vec3]) -> Channels {
        let [regions, flowing] = self.region_counts(at.rest(), &[]).unwrap_or_default();
        let mut channels = Channels::default();
        set(&mut channels, vec![Quat::IDENTITY; regions], vec![Mat3::IDENTITY; flowing], &[]);
        channels
    }

    fn restored(&self, at: &Place<'_>, saved: &SavedChannels<'_>) -> Result<Channels, CheckpointError> {
        let records = saved.records(BREAKS)?;
        let breaks: Vec<Break> = records.iter().map(Break::from_numbers).collect();
        let counts = self.region_counts(at.rest(), &breaks);
        let first = records.first().map_or(0.0, |record| record[0]);
        let [regions, flowing] = counts.ok_or_else(|| saved.refused(BREAKS, 0, first))?;
        let mut channels = Channels::default();
        set(&mut channels, saved.quaternions(ROTATIONS, regions)?, saved.matrices(STRETCHES, flowing)?, &breaks);
        Ok(channels)
    }

    // Where the body is put by hand, rotations stay: they are where the next ones are looked for, and are found anew from the positions.

    fn motion(&self, setting: &MotionSetting<'_>) -> Box<dyn Motion> {
        Box::new(Matchings::new(setting.model))
    }
}

fn set(channels: &mut Channels, rotations: Vec<Quat>, stretches: Vec<Mat3>, breaks: &[Break]) {
    channels.set(ROTATIONS, Channel::Quaternions(rotations));
    channels.set(STRETCHES, Channel::Matrices(stretches));
    channels.set(BREAKS, Channel::Numbers(breaks.iter().flat_map(|own| own.to_numbers()).collect()));
}

/// All that matched bodies need while they are stepped.
#[derive(Debug, Default)]
struct Matchings {
    /// By number of their bodies.
    shapes: Vec<(usize, Shape)>,
}

impl Matchings {
    fn new(model: &Model) -> Self {
        let all = model.matter_of::<Matching>();
        let shapes = all.map(|portion| {
            let at = Place::new(model, portion.body);
            let first = portion.vertices.start;
            (portion.body, Shape::new(portion.matter, first, at.rest(), at.masses(), &|| at.surface()))
        });
        Self { shapes: shapes.collect() }
    }
}

impl Motion for Matchings {
    /// Adds what springs do, from what is known of regions.
    fn begin(&mut self, stage: &StageView<'_>, _contacts: &Contacts<'_>, channels: &[Channels], x: &mut [Vec3]) {
        for (body, shape) in &mut self.shapes {
            if let Some(own) = channels.get(*body) {
                shape.set_breaks(Break::all(own));
                shape.set_rotations(own.quaternions(ROTATIONS));
                shape.set_stretches(own.matrices(STRETCHES));
            }
            shape.pull(stage.before, stage.inverse_masses, stage.h, x);
        }
    }

    /// Limits strain once, and gives volumes back.
    fn iterate(&mut self, at: &mut Iteration<'_, '_, '_>, x: &mut [Vec3]) {
        let inverse_masses = at.stage.inverse_masses;
        for (_, shape) in &mut self.shapes {
            shape.limit(inverse_masses, x);
            shape.touch(at.contacts.planes(), x);
            shape.fill(inverse_masses, x);
        }
    }

    /// Takes out of them what would change volumes.
    fn correct_velocities(&mut self, inverse_masses: &[f64], x: &[Vec3], v: &mut [Vec3], _h: f64) {
        self.shapes.iter().for_each(|(_, shape)| shape.correct_velocities(inverse_masses, x, v));
    }

    /// Lets regions flow and break.
    fn finish_step(&mut self, step: &StepView<'_>, channels: &mut [Channels]) {
        for (body, shape) in &mut self.shapes {
            shape.finish_step(step);
            let (rotations, stretches) = (shape.rotations().collect(), shape.stretches().to_vec());
            set(&mut channels[*body], rotations, stretches, shape.breaks());
        }
    }
}
