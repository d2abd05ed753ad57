//! Prepares the islands of a world for an objective: those that are ready stay as they are, the others are ordered, factored and laid out, side by side.

use super::island::{BoxedIsland, PreparedIsland, Share};
use super::prepared::{Prepared, Watch};
use super::{Acceleration, Projective, ProjectiveParams, Stopwatch};
use crate::math::Vec3;
use crate::parallel;
use crate::solve::{Objective, SetupSeconds, SolveError, SolveReport};
use crate::sparse::{Analysis, Cholesky, FactorError};
use crate::world::islands::Island;

/// Factors kept: integrators with a first step of another kind alternate between two.
const KEPT_FACTORS: usize = 2;

impl Projective {
    /// Brings what belongs to the objective's coefficients to the front; a report of the solve begins with what that took.
    pub(in crate::solve) fn prepare(
        &mut self,
        objective: &Objective<'_>,
        time: &mut Stopwatch<'_>,
    ) -> Result<SolveReport, SolveError> {
        let watch = if self.params.record { Watch::Projections } else { Watch::Off };
        if let Some(at) = self.prepared.iter().position(|prepared| prepared.fits(objective, watch)) {
            self.prepared.swap(0, at);
            return Ok(SolveReport::default());
        }
        let model = objective.model;
        let whole;
        let mut specs = model.islands();
        let mut base = self.take_last(objective, specs, watch);
        let known = base.as_ref().map_or(0, Prepared::island_count);
        let (mut ready, mut missing) = self.divide(objective, specs, known, watch);
        if missing.iter().any(|(_, share)| share.is_none()) {
            // An energy cannot be had with other vertex numbers: the world stays whole.
            whole = [model.whole_island()];
            (specs, base) = (&whole, None);
            (ready, missing) = (vec![None], vec![(0, Some(Share::whole(objective)))]);
        }
        let known = base.as_ref().map_or(0, Prepared::island_count);
        let missing: Vec<(usize, Share<'_>)> =
            missing.into_iter().filter_map(|(number, share)| Some((number, share?))).collect();
        let all = || missing.iter().collect::<Vec<_>>();
        let mut setup = SetupSeconds::default();
        let analyses = parallel::map(all(), &|(number, share)| self.analysis(&specs[*number], &share.objective()));
        setup.analyse = time.lap();
        let matrices = parallel::map(all(), &|(_, share)| share.objective().projective_matrix());
        setup.assemble = time.lap();
        let systems = analyses.into_iter().zip(matrices).collect();
        let factors =
            parallel::map(systems, &|(analysis, matrix): (Result<Analysis, _>, _)| Cholesky::new(&analysis?, &matrix));
        setup.factor = time.lap();
        let parts = all().into_iter().zip(factors).collect();
        let made = parallel::map(parts, &|((number, share), factor): (&(usize, Share<'_>), Result<Cholesky, _>)| {
            let key = specs[*number].key.clone();
            Ok((*number, Box::new(PreparedIsland::new(share, &mut factor?, &self.params, watch, key))))
        });
        for island in made {
            let (number, island) = island.map_err(SolveError::Factor)?;
            ready[number - known] = Some(island);
        }
        let ready = ready.into_iter().flatten().collect();
        let prepared = match base {
            Some(mut base) => {
                base.grow(objective, specs, ready);
                base
            }
            None => Prepared::new(objective, specs, ready, watch, std::mem::take(&mut self.room)),
        };
        self.prepared.truncate(KEPT_FACTORS - 1);
        self.prepared.push_front(prepared);
        self.drop_left(objective, specs, watch);
        setup.pack = time.lap();
        let seconds_factor = setup.assemble + setup.analyse + setup.factor + setup.pack;
        Ok(SolveReport { setup, seconds_factor, factored: missing.len(), ..SolveReport::default() })
    }

    /// What was prepared for this time step before bodies came, if the world has what it had and nothing else in between. What can no longer grow is taken
    /// apart.
    fn take_last(&mut self, objective: &Objective<'_>, specs: &[Island], watch: Watch) -> Option<Prepared> {
        let (mut base, mut kept) = (None, Vec::new());
        for prepared in std::mem::take(&mut self.last) {
            if !prepared.can_grow(objective.model, specs) {
                self.take_apart(prepared);
            } else if base.is_none() && prepared.has_coefficients(objective, specs, watch) {
                base = Some(prepared);
            } else {
                kept.push(prepared);
            }
        }
        self.last = kept;
        base
    }

    /// Keeps the islands of what was prepared for another model.
    fn take_apart(&mut self, prepared: Prepared) {
        let (islands, room) = prepared.into_islands();
        self.room = room;
        for island in islands {
            self.left.entry(island.key.clone()).or_default().push(island);
        }
    }

    /// Islands from a number on that are ready from the model before, and shares of the objective for the others: none of these where the world cannot be
    /// divided.
    #[allow(clippy::type_complexity, reason = "two lists that are taken apart at once")]
    fn divide<'a>(
        &mut self,
        objective: &Objective<'a>,
        specs: &[Island],
        first: usize,
        watch: Watch,
    ) -> (Vec<Option<BoxedIsland>>, Vec<(usize, Option<Share<'a>>)>) {
        let (mut ready, mut missing) = (Vec::with_capacity(specs.len() - first), Vec::new());
        for (number, spec) in specs.iter().enumerate().skip(first) {
            let left = self.left.get_mut(&spec.key).and_then(|left| {
                let at = left.iter().position(|island| island.fits(objective, spec, watch))?;
                Some(left.swap_remove(at))
            });
            if left.is_none() {
                missing.push(number);
            }
            ready.push(left);
        }
        let share = |number: usize| match specs.len() {
            1 => (number, Some(Share::whole(objective))),
            _ => (number, Share::of(objective, &specs[number])),
        };
        (ready, parallel::map(missing, &share))
    }

    /// The order of elimination of an island; it is the same for all time steps.
    fn analysis(&self, spec: &Island, objective: &Objective<'_>) -> Result<Analysis, FactorError> {
        let mut known = self.prepared.iter().flat_map(Prepared::prepared_islands);
        if let Some(island) = known.find(|island| island.key == spec.key) {
            return Ok(island.analysis().clone());
        }
        let model = objective.model;
        let positions: Vec<Vec3> = model.free().iter().map(|&v| model.rest()[v as usize]).collect();
        Analysis::with_positions(model.pattern(), &positions)
    }

    /// Drops islands of the model before that nobody will ask for: those for the time step that was just prepared, and those that are gone.
    fn drop_left(&mut self, objective: &Objective<'_>, specs: &[Island], watch: Watch) {
        if self.left.is_empty() {
            return;
        }
        let mut last = std::mem::take(&mut self.left);
        for spec in specs {
            if let Some(mut islands) = last.remove(&spec.key) {
                islands.retain(|island| !island.has_coefficients(objective, watch));
                if !islands.is_empty() {
                    self.left.insert(spec.key.clone(), islands);
                }
            }
        }
    }

    /// Takes what another one has prepared for islands of its model, which the next one may have too.
    pub(in crate::solve) fn take_islands(&mut self, last: Self) {
        let kind = |params: &ProjectiveParams| (params.precision, params.acceleration == Acceleration::None);
        if kind(&last.params) != kind(&self.params) {
            return;
        }
        (self.left, self.vectors, self.room) = (last.left, last.vectors, last.room);
        let mut others = last.prepared.into_iter().chain(last.last);
        self.last.extend(others.by_ref().take(KEPT_FACTORS));
        others.for_each(|prepared| self.take_apart(prepared));
    }
}
