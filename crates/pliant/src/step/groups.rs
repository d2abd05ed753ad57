//! Groups: bodies that one solver moves.
//!
//! A body may name its solver; the others have that of the world. Bodies that are attached to each other share one, unless each names its own. Where the
//! choice is left to the rule (`solve::auto`), it is made for each group, and bodies that only the position-based solver supports are a group of their own:
//! water does not make the cloth beside it soft. Bodies whose solvers have the same parameters are one group.

use std::collections::VecDeque;

use crate::contact::Clearances;
use crate::integrate::TimeIntegrator;
use crate::solve::{Chosen, Solver, SolverChoice, Touchable, choose};
use crate::world::body::Body;
use crate::world::error::ModelError;
use crate::world::model::Model;

impl Body {
    /// Names the solver that moves this body, given by its parameters; without one it is that of the world. Bodies that
    /// are attached to each other share a solver, unless each names its own.
    ///
    /// ```
    /// use pliant::mesh::generate::particle_block;
    /// use pliant::prelude::*;
    /// let sheet = Sheet { columns: 8, rows: 8, plane: Plane::Xz, ..Sheet::default() };
    /// let corners = [sheet.vertex(0, 0), sheet.vertex(8, 0), sheet.vertex(0, 8), sheet.vertex(8, 8)];
    /// let cloth = Body::cloth(&sheet.mesh()?, &ClothMaterial::default())?.named("cloth").pin(corners);
    /// let cloth = cloth.with_solver(ProjectiveParams::default());
    /// let drop = particle_block(Vec3::splat(0.2), 0.1)?.translated(Vec3::Y * 0.2);
    /// let water = FluidMaterial { spacing: 0.1, ..FluidMaterial::default() };
    /// let water = Body::fluid(&drop, &water)?.named("water");
    /// let mut sim = Simulation::builder().body(cloth).body(water).build()?;
    /// assert_eq!(sim.solver_count(), 2);
    /// sim.step()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_solver(mut self, solver: impl Into<SolverChoice>) -> Self {
        let solver: SolverChoice = solver.into();
        self.solver = Some(Box::new(solver));
        self
    }

    /// Hands over the solver that it names.
    pub(crate) fn take_named_solver(&mut self) -> Option<SolverChoice> {
        self.solver.take().and_then(|solver| solver.downcast().ok()).map(|solver| *solver)
    }

    /// The solver that it names.
    pub(crate) fn named_solver(&self) -> Option<&SolverChoice> {
        self.solver.as_ref().and_then(|solver| solver.downcast_ref())
    }
}

/// Solvers as they were asked for.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Wishes {
    /// For bodies that name none.
    pub(crate) world: SolverChoice,
    /// By body.
    pub(crate) bodies: Vec<Option<SolverChoice>>,
    /// Substeps and integrator, where somebody has asked for them.
    pub(crate) substeps: Option<usize>,
    pub(crate) integrator: Option<TimeIntegrator>,
}

/// What the choice of a solver depends on besides bodies.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Circumstances {
    pub(crate) time_step: f64,
    pub(crate) has_wind: bool,
    pub(crate) touchable: Touchable,
    /// Substeps and integrator where no choice is left to the rule.
    pub(crate) standard: (usize, TimeIntegrator),
}

/// Which solver moves which bodies, with a clock that suits all of them.
#[derive(Debug)]
pub(crate) struct Planned {
    pub(crate) plan: Plan,
    pub(crate) substeps: usize,
    pub(crate) integrator: TimeIntegrator,
}

/// What decides which bodies share a solver: the one that was asked for, and whether the rule has to take the position-based one.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Key {
    pub(crate) solver: SolverChoice,
    needs_position_based: bool,
}

impl Wishes {
    /// What each body shares a solver by; `attached` are pairs of bodies, `needs` tells which only the position-based solver supports.
    pub(crate) fn keys(&self, attached: &[[usize; 2]], needs: &[bool]) -> Vec<Key> {
        let mut beside = vec![Vec::new(); self.bodies.len()];
        for &[a, b] in attached {
            beside[a].push(b);
            beside[b].push(a);
        }
        // A body without a wish has that of the first one that it hangs on.
        let mut named = self.bodies.clone();
        let mut queue: VecDeque<usize> = (0..named.len()).filter(|&body| named[body].is_some()).collect();
        while let Some(body) = queue.pop_front() {
            for &other in &beside[body] {
                if named[other].is_none() {
                    named[other] = named[body].clone();
                    queue.push_back(other);
                }
            }
        }
        let solvers: Vec<SolverChoice> =
            named.into_iter().map(|own| own.unwrap_or_else(|| self.world.clone())).collect();
        // Of bodies that hang together and share a wish, all need what one of them needs.
        let mut needing = vec![false; needs.len()];
        let mut queue: VecDeque<usize> = (0..needs.len()).filter(|&body| needs[body]).collect();
        while let Some(body) = queue.pop_front() {
            if !std::mem::replace(&mut needing[body], true) {
                queue.extend(beside[body].iter().filter(|&&other| solvers[other] == solvers[body]));
            }
        }
        let key = |(solver, needs): (SolverChoice, bool)| {
            let needs_position_based = needs && solver.follows_rule();
            Key { solver, needs_position_based }
        };
        solvers.into_iter().zip(needing).map(key).collect()
    }

    /// Which solver moves which bodies of a model, if all of them support it. Where the choice is left to the rule, so may be substeps and integrator.
    pub(crate) fn planned(&self, model: &Model, around: &Circumstances) -> Result<Planned, ModelError> {
        let mut plan = Plan::by_key(self.keys_in(model));
        let models = plan.models(model);
        let group = |k: usize| models[k].as_ref().unwrap_or(model);
        let free: Vec<usize> = (0..plan.solvers.len()).filter(|&k| plan.solvers[k].follows_rule()).collect();
        let choose_for = |k: usize, substeps| choose(group(k), around.touchable, around.time_step, substeps);
        let (mut substeps, mut integrator) = around.standard;
        if !free.is_empty() {
            let choose_freely = |&k: &usize| choose_for(k, self.substeps).suited_to(around.has_wind, self.integrator);
            let chosen: Vec<Chosen> = free.iter().map(choose_freely).collect();
            // One clock for all: the shortest substeps, and an integrator that suits all.
            substeps = chosen.iter().map(|chosen| chosen.substeps).max().unwrap_or(1);
            let first = chosen[0].integrator;
            let suits = free.len() == plan.solvers.len() && chosen.iter().all(|chosen| chosen.integrator == first);
            integrator = if suits { first } else { self.integrator.unwrap_or_default() };
            for (k, chosen) in free.into_iter().zip(chosen) {
                // What was chosen with this very clock would be chosen again.
                let is_same = chosen.substeps == substeps && chosen.integrator == integrator;
                let again = || choose_for(k, Some(substeps)).suited_to(around.has_wind, Some(integrator));
                let chosen = if is_same { chosen } else { again() }.solver;
                plan.solvers[k] = plan.solvers[k].in_place_of(chosen);
            }
        }
        let (plan, mode) = (plan.joined(), around.touchable.mode);
        for (solver, group) in plan.solvers.iter().zip(plan.models(model)) {
            solver.check_parameters(mode, integrator)?;
            solver.check_world(group.as_ref().unwrap_or(model), integrator, mode)?;
        }
        Ok(Planned { plan, substeps, integrator })
    }

    /// What each body of a model shares a solver by.
    pub(crate) fn keys_in(&self, model: &Model) -> Vec<Key> {
        let ties = model.energies().iter().filter(|entry| entry.body.is_none() && entry.damping.is_none());
        let attached: Vec<[usize; 2]> = ties
            .flat_map(|entry| entry.batch.operator().corner_vertices().as_chunks::<2>().0)
            .map(|ends| ends.map(|v| model.body_of(v as usize)))
            .collect();
        self.keys(&attached, &model.bodies_needing_position_based())
    }
}

/// Which solver moves which bodies.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Plan {
    /// The solver of each group; none of them is left to the rule.
    pub(crate) solvers: Vec<SolverChoice>,
    /// The group of each body.
    pub(crate) of_body: Vec<usize>,
}

impl Plan {
    /// One solver for all.
    pub(crate) fn whole(solver: SolverChoice, bodies: usize) -> Self {
        Self { solvers: vec![solver], of_body: vec![0; bodies] }
    }

    /// Groups by key, with solvers as they were asked for.
    pub(crate) fn by_key(keys: Vec<Key>) -> Self {
        let (distinct, of_body) = distinct(keys);
        Self { solvers: distinct.into_iter().map(|key| key.solver).collect(), of_body }
    }

    /// Joins groups that have come to the same solver.
    pub(crate) fn joined(self) -> Self {
        let (solvers, numbers) = distinct(self.solvers);
        Self { solvers, of_body: self.of_body.into_iter().map(|group| numbers[group]).collect() }
    }

    /// The model of each group; none where one group is the whole world.
    pub(crate) fn models(&self, model: &Model) -> Vec<Option<Model>> {
        if self.solvers.len() == 1 {
            return vec![None];
        }
        let bodies = |group: usize| -> Vec<usize> {
            (0..self.of_body.len()).filter(|&body| self.of_body[body] == group).collect()
        };
        (0..self.solvers.len()).map(|group| Some(model.group(&bodies(group)))).collect()
    }

    /// Which group owns what is between it and another one: the larger number of two, if it is not 0. Only solvers with a matrix can; of two that can, the
    /// lighter one does, which is more often thin, and stiff in some directions only.
    pub(crate) fn rank(&self, model: &Model, group: usize) -> u64 {
        if !self.solvers[group].has_matrix() {
            return 0;
        }
        let vertices = |body: usize| model.bodies()[body].vertices.clone();
        let own = (0..self.of_body.len()).filter(|&body| self.of_body[body] == group).flat_map(vertices);
        let (count, mass) = own.fold((0.0, 0.0), |(n, sum), v| (n + 1.0, sum + model.contact_masses()[v]));
        // Numbers that are not negative are ordered as their bits are.
        f64::to_bits(count / mass).max(1)
    }

    /// Groups with solvers that are yet to be prepared, but for what they can take over from those of the groups before.
    pub(crate) fn build(&self, model: &Model, mut last: Vec<Group>) -> Vec<Group> {
        let models = self.models(model).into_iter().zip(&self.solvers);
        let group = |(model, choice): (Option<Model>, &SolverChoice)| {
            let mut solver = choice.build();
            // The same solver if there is one, or else one of its kind.
            let is_alike = |other: &SolverChoice| std::mem::discriminant(other) == std::mem::discriminant(choice);
            let same = last.iter().position(|group| group.choice == *choice);
            if let Some(at) = same.or_else(|| last.iter().position(|group| is_alike(&group.choice))) {
                solver.succeed(last.swap_remove(at).solver);
            }
            Group { model, choice: choice.clone(), solver, clearances: Clearances::default() }
        };
        models.map(group).collect()
    }
}

/// The different ones of some things, in the order in which they come first, and which of them each one is.
fn distinct<T: PartialEq>(items: Vec<T>) -> (Vec<T>, Vec<usize>) {
    let mut different: Vec<T> = Vec::new();
    let number = |item: T| {
        different.iter().position(|other| *other == item).unwrap_or_else(|| {
            different.push(item);
            different.len() - 1
        })
    };
    let numbers = items.into_iter().map(number).collect();
    (different, numbers)
}

/// Bodies that one solver moves.
#[derive(Debug)]
pub(crate) struct Group {
    /// None where it is the whole world.
    model: Option<Model>,
    choice: SolverChoice,
    pub(crate) solver: Box<dyn Solver>,
    /// What is known of distances from colliders at the current state.
    pub(crate) clearances: Clearances,
}

impl Group {
    /// Its model, with the solver to move it.
    pub(crate) fn parts<'a>(&'a mut self, world: &'a Model) -> (&'a Model, &'a mut dyn Solver) {
        (self.model.as_ref().unwrap_or(world), &mut *self.solver)
    }
}

/// One for each group. A world with one group is the common case, and a step of it allocates nothing.
#[derive(Debug)]
pub(crate) struct PerGroup<T> {
    pub(crate) first: T,
    others: Vec<T>,
}

impl<T> PerGroup<T> {
    pub(crate) fn of(mut items: impl Iterator<Item = T>) -> Option<Self> {
        Some(Self { first: items.next()?, others: items.collect() })
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        std::iter::once(&self.first).chain(&self.others)
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        std::iter::once(&mut self.first).chain(&mut self.others)
    }

    pub(crate) fn map<U>(self, mut change: impl FnMut(T) -> U) -> PerGroup<U> {
        PerGroup { first: change(self.first), others: self.others.into_iter().map(change).collect() }
    }
}

impl<T> IntoIterator for PerGroup<T> {
    type Item = T;
    type IntoIter = std::iter::Chain<std::iter::Once<T>, std::vec::IntoIter<T>>;

    fn into_iter(self) -> Self::IntoIter {
        std::iter::once(self.first).chain(self.others)
    }
}
