//! From the energies of a model to what kernels work on.

use pliant::Model;
use pliant::energy::{Arrays, Operator};
use pliant::solve::Objective;

use super::half_spaces::HalfSpaceList;
use super::hinges::HingeList;
use super::indexed;
use super::places::{Places, Slots};
use super::stars::{MOST_ROWS, Shape, StarList};

/// Whether there is a kernel for energies of this kind.
pub(crate) fn has_kernel(arrays: &Arrays) -> bool {
    matches!(
        arrays,
        Arrays::EdgeSpring(_)
            | Arrays::SpringPair(_)
            | Arrays::TriangleStrain(_)
            | Arrays::TriangleArea(_)
            | Arrays::TetStrain(_)
            | Arrays::TetVolume(_)
            | Arrays::Quadratic
            | Arrays::Hinge(_)
            | Arrays::Viscous
            | Arrays::HalfSpace
            | Arrays::MeanCurvature(_)
            | Arrays::TriangleFibres(_)
            | Arrays::TetFibres(_)
            | Arrays::Goals
    )
}

/// A spring as the vertex at one of its ends sees it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spring {
    pub(crate) other: u32,
    pub(crate) weight: f64,
    pub(crate) lengths: [f64; 2],
}

/// Blocks of the second derivative between the corners of a triangle and of a tet.
pub(crate) const TRIANGLE_BLOCKS: u32 = 6;
pub(crate) const TET_BLOCKS: u32 = 10;

/// Which simplices a batch has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Simplex {
    Triangle,
    Tet,
}

/// Triangles or tets under one law.
#[derive(Debug)]
pub(crate) struct Simplices {
    pub(crate) kind: Simplex,
    /// Batches whose warm values are their rotations.
    pub(crate) batches: Vec<usize>,
    /// Bounds of stretches and of areas or volumes.
    pub(crate) bounds: [[f64; 2]; 2],
    /// Places of corners; of triangles the last one is not used.
    pub(crate) corners: Vec<[u32; 4]>,
    /// Their slots, yet to be resolved.
    pub(crate) slots: Vec<[(u32, u32); 4]>,
    /// Numbers as the kernel wants them, two or three quads for each.
    pub(crate) numbers: Vec<[f32; 4]>,
    /// The first of its blocks.
    pub(crate) first_block: u32,
}

impl Simplices {
    /// Corners, and blocks between them.
    pub(crate) fn shape(&self) -> (usize, u32) {
        match self.kind {
            Simplex::Triangle => (3, TRIANGLE_BLOCKS),
            Simplex::Tet => (4, TET_BLOCKS),
        }
    }
}

/// A goal: its batch and element, the place of its vertex, its weight.
pub(crate) type Goal = (usize, usize, u32, f64);

/// All energies of a stage.
#[derive(Debug)]
pub(crate) struct Gathered {
    /// By place of free vertices.
    pub(crate) springs: Vec<Vec<Spring>>,
    /// All springs, each once: the place of one end, and the spring as seen from there.
    pub(crate) all_springs: Vec<(u32, Spring)>,
    pub(crate) rows: Vec<Vec<(u32, f64)>>,
    pub(crate) goals: Vec<Goal>,
    pub(crate) simplices: Vec<Simplices>,
    pub(crate) hinges: HingeList,
    pub(crate) half_spaces: HalfSpaceList,
    /// By number of rows, less one.
    pub(crate) stars: [StarList; MOST_ROWS],
    pub(crate) slots: Slots,
    /// Number of blocks of simplices.
    pub(crate) blocks: u32,
}

impl Gathered {
    /// Takes energies that have kernels; others are not looked at.
    pub(crate) fn new(objective: &Objective<'_>, places: &Places) -> Self {
        let mut gathered = Self {
            springs: vec![Vec::new(); places.free],
            all_springs: Vec::new(),
            rows: vec![Vec::new(); places.free],
            goals: Vec::new(),
            simplices: Vec::new(),
            hinges: HingeList::default(),
            half_spaces: HalfSpaceList::default(),
            stars: Default::default(),
            slots: Slots::new(places),
            blocks: 0,
        };
        let model = objective.model;
        let all: Vec<Arrays> = model.energies().iter().map(|entry| entry.batch.arrays()).collect();
        let mut is_taken = vec![false; all.len()];
        for (batch, arrays) in all.iter().enumerate() {
            if std::mem::replace(&mut is_taken[batch], true) {
                continue;
            }
            let source = Source::new(objective, batch);
            match arrays {
                Arrays::EdgeSpring(lengths) => gathered.springs(&source, places, |e| (lengths[e], 1.0)),
                Arrays::SpringPair(springs) => gathered.springs(&source, places, |e| springs[e]),
                Arrays::Quadratic => gathered.rows(&source, places),
                Arrays::MeanCurvature(lengths) if lengths.iter().all(|length| *length == 0.0) => {
                    gathered.rows(&source, places)
                }
                Arrays::MeanCurvature(lengths) => {
                    let own = |e: usize| (0..1, Shape::Length([lengths[e]; 2], 0));
                    gathered.stars(&source, places, own);
                }
                Arrays::Viscous => gathered.stars(&source, places, |_| (0..source.operator.rows(), Shape::Last)),
                Arrays::TriangleFibres(limits) => gathered.fibres(&source, places, limits),
                Arrays::TetFibres(limits) => gathered.fibres(&source, places, limits),
                Arrays::Goals => gathered.goals(&source, places),
                Arrays::HalfSpace => gathered.half_spaces.take(&source, places, &mut gathered.slots),
                Arrays::Hinge(rest) => gathered.hinges.take(&source, places, &mut gathered.slots, rest),
                Arrays::TriangleStrain(bounds) => {
                    let partner = partner(model, &all, batch, |other| matches!(other, Arrays::TriangleArea(_)));
                    gathered.with_partner(
                        Simplex::Triangle,
                        objective,
                        places,
                        (source, *bounds),
                        partner,
                        &all,
                        &mut is_taken,
                    );
                }
                Arrays::TetStrain(bounds) => {
                    let partner = partner(model, &all, batch, |other| matches!(other, Arrays::TetVolume(_)));
                    gathered.with_partner(
                        Simplex::Tet,
                        objective,
                        places,
                        (source, *bounds),
                        partner,
                        &all,
                        &mut is_taken,
                    );
                }
                Arrays::TriangleArea(bounds) => {
                    gathered.simplices(Simplex::Triangle, places, None, Some((source, *bounds)))
                }
                Arrays::TetVolume(bounds) => gathered.simplices(Simplex::Tet, places, None, Some((source, *bounds))),
                _ => {}
            }
        }
        gathered.blocks = gathered.half_spaces.finish(gathered.blocks);
        for stars in &mut gathered.stars {
            gathered.blocks = stars.finish(gathered.blocks);
        }
        for row in &mut gathered.rows {
            row.sort_by_key(|entry| entry.0);
            row.dedup_by(|next, kept| {
                let is_same = next.0 == kept.0;
                kept.1 += if is_same { next.1 } else { 0.0 };
                is_same
            });
        }
        gathered
    }

    fn springs(&mut self, source: &Source<'_>, places: &Places, spring: impl Fn(usize) -> ([f64; 2], f64)) {
        for e in 0..source.operator.len() {
            let stencil = source.operator.stencil(e);
            let (lengths, factor) = spring(e);
            let weight = source.weight(e) / factor;
            self.all_springs.push((places.of(stencil[0]), Spring { other: places.of(stencil[1]), weight, lengths }));
            for (own, other) in [(stencil[0], stencil[1]), (stencil[1], stencil[0])] {
                if let Some(list) = self.springs.get_mut(places.of(own) as usize) {
                    list.push(Spring { other: places.of(other), weight, lengths });
                }
            }
        }
    }

    fn rows(&mut self, source: &Source<'_>, places: &Places) {
        for e in 0..source.operator.len() {
            let (stencil, a) = (source.operator.stencil(e), source.operator.coefficients(e));
            let n = stencil.len();
            for i in 0..n {
                let Some(row) = self.rows.get_mut(places.of(stencil[i]) as usize) else { continue };
                for j in (0..n).filter(|&j| j != i) {
                    let product: f64 = (0..source.operator.rows()).map(|r| a[r * n + i] * a[r * n + j]).sum();
                    row.push((places.of(stencil[j]), source.weight(e) * product));
                }
            }
        }
    }

    fn stars(
        &mut self,
        source: &Source<'_>,
        places: &Places,
        shape: impl Fn(usize) -> (std::ops::Range<usize>, Shape),
    ) {
        for e in 0..source.operator.len() {
            let (rows, shape) = shape(e);
            self.stars[rows.len() - 1].take(source, places, &mut self.slots, (e, rows, shape));
        }
    }

    /// The length of each fibre is an element of its own.
    fn fibres(&mut self, source: &Source<'_>, places: &Places, limits: &[[f64; 2]]) {
        for (row, &limits) in limits.iter().enumerate() {
            self.stars(source, places, |_| (row..row + 1, Shape::Length(limits, row)));
        }
    }

    fn goals(&mut self, source: &Source<'_>, places: &Places) {
        for e in 0..source.operator.len() {
            let (place, a) = (places.of(source.operator.stencil(e)[0]), source.operator.coefficients(e)[0]);
            if (place as usize) < places.free {
                self.goals.push((source.batch, e, place, source.weight(e) * a * a));
            }
        }
    }

    #[allow(clippy::too_many_arguments, reason = "one call for two kinds")]
    fn with_partner(
        &mut self,
        kind: Simplex,
        objective: &Objective<'_>,
        places: &Places,
        strain: (Source<'_>, [f64; 2]),
        partner: Option<usize>,
        all: &[Arrays],
        is_taken: &mut [bool],
    ) {
        let content = partner.and_then(|other| {
            is_taken[other] = true;
            match all[other] {
                Arrays::TriangleArea(bounds) | Arrays::TetVolume(bounds) => {
                    Some((Source::new(objective, other), bounds))
                }
                _ => None,
            }
        });
        self.simplices(kind, places, Some(strain), content);
    }

    fn simplices(
        &mut self,
        kind: Simplex,
        places: &Places,
        strain: Option<(Source<'_>, [f64; 2])>,
        content: Option<(Source<'_>, [f64; 2])>,
    ) {
        let Some(operator) = strain.as_ref().or(content.as_ref()).map(|(source, _)| source.operator) else { return };
        let sources = [&strain, &content];
        let mut simplices = Simplices {
            kind,
            batches: sources.iter().filter_map(|source| source.as_ref().map(|(source, _)| source.batch)).collect(),
            bounds: sources.map(|source| source.as_ref().map_or([1.0; 2], |(_, bounds)| *bounds)),
            corners: Vec::with_capacity(operator.len()),
            slots: Vec::with_capacity(operator.len()),
            numbers: Vec::new(),
            first_block: self.blocks,
        };
        for e in 0..operator.len() {
            let weights = sources.map(|source| source.as_ref().map_or(0.0, |(source, _)| source.weight(e)));
            self.simplex(operator, e, places, weights, &mut simplices);
        }
        self.simplices.push(simplices);
    }

    fn simplex(&mut self, operator: &Operator, e: usize, places: &Places, weights: [f64; 2], out: &mut Simplices) {
        let (stencil, a) = (operator.stencil(e), operator.coefficients(e));
        let n = stencil.len();
        // Edges begin at a free corner, where the element's energy is counted: rows add up to zero, so that any corner will do.
        let is_free = |k: &usize| (places.of(stencil[*k]) as usize) < places.free;
        let base = (0..n).find(is_free).unwrap_or(0);
        let order: Vec<usize> = std::iter::once(base).chain((0..n).filter(|&k| k != base)).collect();
        let (mut corners, mut slots) = ([0; 4], [(u32::MAX, 0); 4]);
        for (at, &k) in order.iter().enumerate() {
            corners[at] = places.of(stencil[k]);
            slots[at] = self.slots.take(corners[at]);
        }
        out.corners.push(corners);
        out.slots.push(slots);
        let coefficient = |row: usize, edge: usize| a[row * n + order[edge + 1]] as f32;
        let [strain, content] = weights.map(|weight| weight as f32);
        let block = indexed(self.blocks);
        self.blocks += out.shape().1;
        match out.kind {
            Simplex::Triangle => {
                out.numbers.push([coefficient(0, 0), coefficient(0, 1), coefficient(1, 0), coefficient(1, 1)]);
                out.numbers.push([strain, content, block, 0.0]);
            }
            Simplex::Tet => {
                for (row, last) in [strain, content, block].into_iter().enumerate() {
                    out.numbers.push([coefficient(row, 0), coefficient(row, 1), coefficient(row, 2), last]);
                }
            }
        }
    }
}

/// A batch with its operator and the factor on its weights.
pub(super) struct Source<'a> {
    pub(super) batch: usize,
    pub(super) operator: &'a Operator,
    scale: f64,
}

impl<'a> Source<'a> {
    fn new(objective: &Objective<'a>, batch: usize) -> Self {
        Self { batch, operator: objective.model.energies()[batch].batch.operator(), scale: objective.scales[batch] }
    }

    pub(super) fn weight(&self, element: usize) -> f64 {
        self.scale * self.operator.weight(element)
    }
}

/// The batch of another kind with the same elements, which can share their stretches.
fn partner(model: &Model, all: &[Arrays], batch: usize, fits: impl Fn(&Arrays) -> bool) -> Option<usize> {
    let operator = |batch: usize| model.energies()[batch].batch.operator();
    let own = operator(batch);
    (batch + 1..all.len()).filter(|&other| fits(&all[other])).find(|&other| {
        let other = operator(other);
        own.corner_vertices() == other.corner_vertices()
            && (0..own.len()).all(|e| own.coefficients(e) == other.coefficients(e))
    })
}
