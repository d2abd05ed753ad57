//! Tearing and cutting: a new model replaces the last one.

use crate::math::Vec3;
use crate::step::simulation::Simulation;
use crate::world::topology::{Change, Cut, CutReport, Origin, Refined, Split, Substance, TopologyError, splits};

impl Simulation {
    /// Parts what bears no more at the current state; returns how many vertices were doubled.
    pub(crate) fn tear(&mut self) -> Result<usize, TopologyError> {
        let mut torn = 0;
        for body in 0..self.model.bodies().len() {
            let fabric = &self.model.fabrics()[body];
            let Some(tearing) = &fabric.tearing else { continue };
            let range = self.model.bodies()[body].vertices.clone();
            let (rest, x) = (&self.model.rest()[range.clone()], &self.state.positions[range.clone()]);
            let is_pinned = |v: u32| self.model.free_index(range.start as u32 + v).is_none();
            torn += self.part(body, splits(fabric, tearing, rest, x, &is_pinned))?;
        }
        Ok(torn)
    }

    /// Tears vertices of a body open; returns how many were doubled. Those that have no room for it wait for a better moment.
    fn part(&mut self, body: usize, mut splits: Vec<Split>) -> Result<usize, TopologyError> {
        while !splits.is_empty() {
            let (fabric, count) = (&self.model.fabrics()[body], self.model.bodies()[body].vertices.len());
            let cuts = splits.iter().flat_map(|split| split.cuts.iter().copied()).collect();
            let mut cells = fabric.cells.clone();
            let copies = cells.separate(count, &cuts);
            if copies.is_empty() {
                return Ok(0);
            }
            let torn = copies.len();
            let origins = copies.into_iter().map(Origin::copy).collect();
            let change = Change::between(body, &fabric.cells, &cells, &[], origins);
            // A split opens its vertex, and at a rim also the other end of an edge.
            let before = fabric.cells.clone();
            let opens = |split: &Split, vertices: &[u32]| {
                let around = split.cuts.iter().flatten().flat_map(|&cell| before.cell(cell as usize));
                around.chain([&split.vertex]).any(|v| vertices.contains(v))
            };
            match self.succeed(change) {
                Ok(()) => return Ok(torn),
                Err(TopologyError::NoRoom { vertices, .. }) => {
                    let all = splits.len();
                    splits.retain(|split| !opens(split, &vertices));
                    if splits.len() == all {
                        return Ok(0);
                    }
                }
                Err(other) => return Err(other),
            }
        }
        Ok(0)
    }
}

impl Simulation {
    /// Cuts a cloth in its current shape. Triangles that the cut crosses are divided, so that the rims lie on the line.
    /// Vertices that are closer to it than 2 % of an edge move onto it; those that cannot move (pinned ones, corners of
    /// the rim, folds of the rest shape) stay, and the cut goes through them.
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
        let mut is_fixed: Vec<bool> = range.clone().map(|v| self.model.free_index(v as u32).is_none()).collect();
        // Springs that were added keep their lengths, so their ends stay the points that they are.
        for operator in self.model.energies().iter().map(|entry| entry.batch.operator()) {
            let stencils = (0..operator.len()).map(|element| operator.stencil(element));
            let springs = stencils.filter(|stencil| stencil.len() == 2);
            let inside = springs.flatten().map(|&v| v as usize).filter(|v| range.contains(v));
            inside.for_each(|v| is_fixed[v - range.start] = true);
        }
        let rest = &self.model.rest()[range.clone()];
        let mut sheet = Refined::new(&fabric.cells, rest, &all[range.clone()], is_fixed);
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
