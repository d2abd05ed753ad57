//! Cutting cloth along a plane or a polyline.

use std::collections::BTreeSet;

use super::TopologyError;
use super::change::{Change, Origin};
use super::fabric::Substance;
use super::refine::{Blade, Refined};
use crate::math::Vec3;
use crate::simulation::Simulation;

/// Where to cut.
#[derive(Debug, Clone, PartialEq)]
pub enum Cut {
    /// Everything on one side from everything on the other.
    Plane {
        /// A point of the plane \[m\].
        point: Vec3,
        /// Its normal, of any length but zero.
        normal: Vec3,
    },
    /// Along a line of segments, by a blade that stands along a direction and is as long as it takes. Where it ends inside the
    /// sheet, it leaves a slit.
    Polyline {
        /// At least two points \[m\].
        points: Vec<Vec3>,
        /// Direction of the blade, of any length but zero and not along a segment.
        direction: Vec3,
    },
}

/// What a cut did.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CutReport {
    /// Length of the cut at rest \[m\]; 0 where it met nothing.
    pub length: f64,
    /// Vertices that were made on the line.
    pub inserted: usize,
    /// Vertices that were doubled.
    pub doubled: usize,
}

impl Cut {
    /// Refuses what is no cut: too few points, directions without length, blades along their own segments.
    pub fn check(&self) -> Result<(), TopologyError> {
        let refuse = |name, value, need| Err(TopologyError::BadParameter { name, value, need });
        let (points, direction, name) = match self {
            Self::Plane { point, normal } => (std::slice::from_ref(point), normal, "the normal of a cut"),
            Self::Polyline { points, direction } => (points.as_slice(), direction, "the direction of a cut"),
        };
        if let Some(bad) = points.iter().flat_map(|p| p.to_array()).find(|c| !c.is_finite()) {
            return refuse("a point of a cut", bad, "finite");
        }
        let length = direction.length();
        if !(length.is_finite() && length > 0.0) {
            return refuse(name, length, "finite and not zero");
        }
        if let Self::Polyline { .. } = self {
            if points.len() < 2 {
                return refuse("the number of points of a cut", points.len() as f64, "at least 2");
            }
            for ends in points.windows(2) {
                let way = ends[1] - ends[0];
                let sine = way.cross(*direction).length() / (way.length() * length);
                if sine.is_nan() || sine < 1e-9 {
                    return refuse("the angle between a segment of a cut and its blade [rad]", sine, "not zero");
                }
            }
        }
        Ok(())
    }

    /// Divides a sheet along the cut.
    fn run(&self, sheet: &mut Refined) {
        match self {
            Self::Plane { point, normal } => {
                let blade = Blade { point: *point, normal: normal.normalize(), along: None };
                sheet.slice(&blade, &BTreeSet::new());
            }
            Self::Polyline { points, direction } => {
                let direction = direction.normalize();
                let knots: Vec<BTreeSet<u32>> = points.iter().map(|point| sheet.pierce(*point, direction)).collect();
                for (ends, knots) in points.windows(2).zip(knots.windows(2)) {
                    let way = ends[1] - ends[0];
                    // Along the segment as seen along the blade.
                    let flat = way - direction * way.dot(direction);
                    let along = Some(flat / flat.length_squared());
                    let normal = direction.cross(flat).normalize();
                    let known = knots.iter().flatten().copied().collect();
                    sheet.slice(&Blade { point: ends[0], normal, along }, &known);
                }
            }
        }
    }
}

impl Simulation {
    /// Cuts a cloth where it is now. Triangles that the cut crosses are divided, so that its rims lie on the line. Vertices within 2 % of
    /// an edge from it move onto it; those that cannot (pinned ones, corners of the rim, folds of the rest shape) stay,
    /// and the cut goes through them.
    ///
    /// ```
    /// use pliant::prelude::*;
    /// let mesh = Sheet { columns: 4, rows: 4, ..Sheet::default() }.mesh()?;
    /// let cloth = Body::cloth(&mesh, &ClothMaterial::default())?.named("letter");
    /// let mut sim = Simulation::builder().body(cloth).build()?;
    /// let cut = Cut::Plane { point: Vec3::ZERO, normal: Vec3::new(1.0, 0.3, 0.0) };
    /// let report = sim.cut("letter", &cut)?;
    /// assert!((report.length - 1.09f64.sqrt()).abs() < 1e-12, "from rim to rim");
    /// sim.step()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cut(&mut self, body: &str, cut: &Cut) -> Result<CutReport, TopologyError> {
        self.cut_in(body, cut, false)
    }

    /// Cuts a cloth along a line that is given in its rest shape.
    pub fn cut_at_rest(&mut self, body: &str, cut: &Cut) -> Result<CutReport, TopologyError> {
        self.cut_in(body, cut, true)
    }

    fn cut_in(&mut self, name: &str, cut: &Cut, at_rest: bool) -> Result<CutReport, TopologyError> {
        cut.check()?;
        let bodies = self.model.bodies();
        let number = bodies.iter().position(|body| body.name == name);
        let number = number.ok_or_else(|| TopologyError::NoSuchBody(name.to_owned()))?;
        let (fabric, body) = (&self.model.fabrics()[number], || name.to_owned());
        if !matches!(fabric.substance, Some(Substance::Cloth(_))) {
            return Err(TopologyError::NotCloth { body: body() });
        }
        let range = bodies[number].vertices.clone();
        let all = if at_rest { self.model.rest() } else { &self.state.positions };
        let is_pinned = range.clone().map(|v| self.model.free_index(v as u32).is_none()).collect();
        let rest = &self.model.rest()[range.clone()];
        let mut sheet = Refined::new(&fabric.cells, rest, &all[range.clone()], is_pinned);
        cut.run(&mut sheet);
        let pairs = sheet.pairs();
        if pairs.is_empty() {
            return Ok(CutReport::default());
        }
        let edges: Vec<[u32; 2]> = sheet.cut_edges().collect();
        let (before, inserted) = (fabric.cells.clone(), sheet.origins.len());
        let copies = sheet.cells.separate(range.len() + inserted, &pairs);
        let doubled = copies.len();
        let mut origins = sheet.origins;
        origins.extend(copies.into_iter().map(Origin::copy));
        let change = Change::between(number, &before, &sheet.cells, &sheet.parents, origins);
        let momentum = self.body_momentum(number);
        self.succeed(Change { moved: sheet.moved, ..change })?;
        self.keep_momentum(number, momentum);
        let rest = &self.model.rest()[self.model.bodies()[number].vertices.start..];
        let length = edges.iter().map(|[a, b]| rest[*a as usize].distance(rest[*b as usize])).sum();
        Ok(CutReport { length, inserted, doubled })
    }

    fn body_momentum(&self, body: usize) -> Vec3 {
        let range = self.model.bodies()[body].vertices.clone();
        let masses = &self.model.mass().lumped()[range.clone()];
        self.state.velocities[range].iter().zip(masses).fold(Vec3::ZERO, |sum, (v, m)| sum + *v * *m)
    }

    /// Velocities at points that vertices moved to are those of the sheet there, but the sheet between them has changed a little: what
    /// that makes of the momentum is given back to the free vertices.
    fn keep_momentum(&mut self, body: usize, momentum: Vec3) {
        let lost = momentum - self.body_momentum(body);
        let range = self.model.bodies()[body].vertices.clone();
        let is_free = |v: &usize| self.model.free_index(*v as u32).is_some();
        let free: f64 = range.clone().filter(is_free).map(|v| self.model.mass().lumped()[v]).sum();
        if self.lineage.changes.last().is_some_and(|change| !change.moved.is_empty()) && free > 0.0 {
            range.filter(is_free).for_each(|v| self.state.velocities[v] += lost / free);
        }
    }
}
