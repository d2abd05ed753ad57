//! How rigid sets turn: the three modes in which their energy is not stiff.
//!
//! A rigid energy w/2 Σ‖zᵢ − R rᵢ‖² enters the matrix H as if R were constant, as stiff against rotation as against
//! bending. Its second derivative, if R follows the vertices, is H' = H − Σ U K⁻¹ Uᵀ: for each set three columns U = w
//! Aᵀ(eₐ × R rᵢ) and the 3×3 matrix K = w Σ (|R rᵢ|² I − R rᵢ (R rᵢ)ᵀ). By Woodbury's identity
//!
//! H'⁻¹ b = H⁻¹ b + Y S⁻¹ Yᵀ b,   Y = H⁻¹ U,   S = K − Uᵀ Y.
//!
//! H is the same for x, y and z, so H⁻¹ U follows from three scalar solves for each set, of w Aᵀ rᵢ in its own frame, which are done once for
//! a factor. A rotation θ = S⁻¹ Yᵀ b of a set then adds θ × R yᵢ to vertex i. All of it is in f64: S is a small difference.

use super::Objective;
use crate::energy::{Arrays, Memory};
use crate::math::functions::rotation_by;
use crate::math::{Mat3, Quat, Vec3, factor_dense, solve_dense};
use crate::sparse::{Cholesky, dot};

/// Deviation from rigid poses, over the size of the body, up to which R following is a good model. Beyond, R is held: slow and safe.
const NEARLY_RIGID: f64 = 0.05;
/// Resistance to turning that every set has, over its largest: points on a line have none about it, and nothing turns them there.
const ABOUT_A_LINE: f64 = 1e-13;

/// One rigid set.
#[derive(Debug)]
struct Turning {
    batch: usize,
    /// w Aᵀ r at unknowns, in the set's frame \[N\]; the hub, if it is one of them, last.
    modes: Vec<(u32, Vec3)>,
    /// w \[N/m\].
    weight: f64,
    /// Number of modes less the hub.
    around: usize,
    /// H⁻¹ of it \[m\].
    responses: Vec<(u32, Vec3)>,
    /// w Σ r rᵀ \[N·m\].
    moment: Mat3,
    /// Whether its rotation follows.
    follows: bool,
    rotation: Mat3,
}

/// Sets that a matrix couples.
#[derive(Debug)]
struct Group {
    sets: Vec<Turning>,
    /// modesᵀ · responses for each pair of sets, row by row.
    gram: Vec<Mat3>,
    /// Factor of S.
    factor: Vec<f64>,
    /// Rotations solved for.
    angles: Vec<f64>,
}

/// The rotations of all rigid sets of a world.
#[derive(Debug, Default)]
pub(in crate::solve) struct Turnings {
    groups: Vec<Group>,
    /// Unknowns that turn along.
    covered: Vec<bool>,
}

/// w Aᵀ r of a rigid batch at each unknown, given the places of vertices among the unknowns, and w Σ r rᵀ.
pub(super) fn modes_of(
    objective: &Objective<'_>,
    batch: usize,
    place: &impl Fn(u32) -> Option<u32>,
) -> Option<(Vec<(u32, Vec3)>, Mat3)> {
    let entry = &objective.model.energies()[batch];
    let Arrays::Rigid(offsets) = entry.batch.arrays() else { return None };
    let (operator, scale) = (entry.batch.operator(), objective.scales[batch]);
    let (mut modes, mut at_hub, mut moment) = (Vec::new(), Vec3::ZERO, Mat3::ZERO);
    for (element, r) in offsets.iter().enumerate() {
        let mode = *r * (scale * operator.weight(element));
        at_hub -= mode;
        moment += crate::math::outer(mode, *r);
        modes.extend(place(operator.stencil(element)[1]).map(|place| (place, mode)));
    }
    modes.extend(place(operator.stencil(0)[0]).map(|place| (place, at_hub)));
    Some((modes, moment))
}

/// Σ (|p|² I − p pᵀ) from Σ p pᵀ: how a moment resists turning.
pub(super) fn about(moment: Mat3) -> Mat3 {
    let trace = moment.x_axis.x + moment.y_axis.y + moment.z_axis.z;
    Mat3::from_diagonal(Vec3::splat(trace)) - moment
}

/// What keeps the resistance to turning of a moment regular.
fn regular(moment: Mat3) -> Mat3 {
    let trace = moment.x_axis.x + moment.y_axis.y + moment.z_axis.z;
    Mat3::from_diagonal(Vec3::splat(ABOUT_A_LINE * trace))
}

impl Turnings {
    /// The modes in a matrix, given its factor and the places of its unknowns in the order that vectors will have.
    pub(super) fn new(objective: &Objective<'_>, factor: &mut Cholesky, places: &[u32]) -> Self {
        let model = objective.model;
        let unknown = |v: u32| model.free_index(v).map(|k| k as u32);
        let mut sets = Vec::new();
        for batch in 0..model.energies().len() {
            let Some((modes, moment)) = modes_of(objective, batch, &unknown) else { continue };
            let mut solved = vec![Vec3::ZERO; model.free().len()];
            modes.iter().for_each(|&(k, mode)| solved[k as usize] += mode);
            factor.solve(&mut solved);
            let order = |list: &mut dyn Iterator<Item = (u32, Vec3)>| -> Vec<(u32, Vec3)> {
                list.map(|(k, value)| (places[k as usize], value)).collect()
            };
            let responses = order(&mut (0u32..).zip(solved).filter(|(_, y)| *y != Vec3::ZERO));
            let modes = order(&mut modes.into_iter());
            let operator = model.energies()[batch].batch.operator();
            let weight = objective.scales[batch] * operator.weight(0);
            let around = modes.len() - usize::from(unknown(operator.stencil(0)[0]).is_some());
            let (follows, rotation) = (false, Mat3::IDENTITY);
            sets.push(Turning { batch, modes, weight, around, responses, moment, follows, rotation });
        }
        let mut covered = vec![false; if sets.is_empty() { 0 } else { places.len() }];
        sets.iter().flat_map(|set| &set.responses).for_each(|&(place, _)| covered[place as usize] = true);
        Self { groups: grouped(sets, places.len()), covered }
    }

    /// Whether nothing turns.
    pub(super) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Whether an unknown moves when a rigid set turns.
    pub(super) fn covers(&self, place: u32) -> bool {
        self.covered.get(place as usize).is_some_and(|covered| *covered)
    }

    /// Takes the rotations that the last projection came to; `numbers` has the energies of the world that its own are.
    pub(super) fn orient(&mut self, objective: &Objective<'_>, x: &[Vec3], memory: &[Memory], numbers: &[usize]) {
        for group in &mut self.groups {
            for set in &mut group.sets {
                let number = numbers[set.batch];
                let (memory, operator) = (&memory[number], objective.model.energies()[number].batch.operator());
                let (mut deviation, mut size) = (0.0, 0.0);
                for (stencil, p) in operator.corner_vertices().chunks_exact(2).zip(&memory.projections) {
                    deviation += (x[stencil[1] as usize] - x[stencil[0] as usize]).distance_squared(*p);
                    size += p.length_squared();
                }
                set.follows = deviation <= NEARLY_RIGID * NEARLY_RIGID * size;
                set.rotation = Mat3::from_quat(Quat::from_slice(&memory.warm));
            }
            group.factor();
        }
    }

    /// Bends the turning of a step from the tangent back to the circle: sets that turn by an angle θ in it would grow by θ²/2.
    pub(super) fn retract(&self, step: &mut [Vec3]) {
        self.groups.iter().flat_map(|group| &group.sets).filter(|set| set.follows).for_each(|set| set.retract(step));
    }

    /// What turning takes from H x, so that H' x is left: `x` gives a row, `subtract` gets a row and what to take from it.
    pub(super) fn subtract(&self, x: impl Fn(usize) -> Vec3, mut subtract: impl FnMut(usize, Vec3)) {
        for set in self.groups.iter().flat_map(|group| &group.sets).filter(|set| set.follows) {
            let into = set.rotation.transpose();
            let torque = set.modes.iter().fold(Vec3::ZERO, |sum, (k, mode)| sum + mode.cross(into * x(*k as usize)));
            let angle = (about(set.moment) + regular(set.moment)).inverse() * torque;
            for (k, mode) in &set.modes {
                subtract(*k as usize, set.rotation * angle.cross(*mode));
            }
        }
    }

    /// From H⁻¹ b to H'⁻¹ b.
    pub(super) fn correct(&mut self, b: &[Vec3], solved: &mut [Vec3]) {
        self.groups.iter_mut().for_each(|group| group.correct(b, solved));
    }
}

impl Turning {
    fn retract(&self, step: &mut [Vec3]) {
        let into = self.rotation.transpose();
        let turned = self.modes.iter().fold(Vec3::ZERO, |sum, (k, mode)| sum + mode.cross(into * step[*k as usize]));
        let angle = self.rotation * ((about(self.moment) + regular(self.moment)).inverse() * turned);
        if !angle.is_finite() {
            return;
        }
        let beyond = |arm: Vec3| rotation_by(angle) * arm - arm - angle.cross(arm);
        for (k, mode) in &self.modes[..self.around] {
            step[*k as usize] += beyond(self.rotation * (*mode / self.weight));
        }
    }
}

/// Puts together what shares unknowns.
fn grouped(sets: Vec<Turning>, unknowns: usize) -> Vec<Group> {
    let mut owner = vec![usize::MAX; if sets.is_empty() { 0 } else { unknowns }];
    let mut groups: Vec<Vec<Turning>> = Vec::new();
    for set in sets {
        // Responses cover a whole connected part of the matrix, so one of them tells.
        let at = set.responses.first().map_or(usize::MAX, |&(place, _)| owner[place as usize]);
        let at = if at == usize::MAX { groups.len() } else { at };
        set.responses.iter().for_each(|&(place, _)| owner[place as usize] = at);
        if at == groups.len() {
            groups.push(Vec::new());
        }
        groups[at].push(set);
    }
    groups.into_iter().map(|sets| Group::new(sets, unknowns)).collect()
}

impl Group {
    fn new(sets: Vec<Turning>, unknowns: usize) -> Self {
        let n = sets.len();
        let mut gram = Vec::with_capacity(n * n);
        let mut response = vec![Vec3::ZERO; unknowns];
        for second in &sets {
            second.responses.iter().for_each(|&(place, y)| response[place as usize] = y);
            for first in &sets {
                let product =
                    |sum, &(place, mode): &(u32, Vec3)| sum + crate::math::outer(mode, response[place as usize]);
                gram.push(first.modes.iter().fold(Mat3::ZERO, product));
            }
            second.responses.iter().for_each(|&(place, _)| response[place as usize] = Vec3::ZERO);
        }
        Self { factor: vec![0.0; 9 * n * n], angles: vec![0.0; 3 * n], sets, gram }
    }

    /// S at the current rotations, factored.
    fn factor(&mut self) {
        let n = self.sets.len();
        for (j, second) in self.sets.iter().enumerate() {
            for (i, first) in self.sets.iter().enumerate() {
                let mut block = Mat3::ZERO;
                if first.follows && second.follows {
                    // eₐ×p · e_b×q = δ_ab p·q − p_b q_a, so it is the transpose that is taken from the trace.
                    let product = |moment: Mat3| first.rotation * moment * second.rotation.transpose();
                    let kept = if i == j { first.moment } else { Mat3::ZERO };
                    block = about(product(kept - self.gram[j * n + i]).transpose()) + regular(kept);
                } else if i == j {
                    block = Mat3::IDENTITY;
                }
                for column in 0..3 {
                    (0..3).for_each(|row| self.factor[(3 * i + row) * 3 * n + 3 * j + column] = block.col(column)[row]);
                }
            }
        }
        if !factor_dense(&mut self.factor, 3 * n) {
            // Rounding beat the difference: hold all rotations, which is slow and safe.
            self.sets.iter_mut().for_each(|set| set.follows = false);
            self.factor.fill(0.0);
            (0..3 * n).for_each(|k| self.factor[k * 3 * n + k] = 1.0);
        }
    }

    fn correct(&mut self, b: &[Vec3], solved: &mut [Vec3]) {
        for (set, angle) in self.sets.iter().zip(self.angles.chunks_exact_mut(3)) {
            // Σ R y × b = R Σ y × Rᵀ b.
            let into = set.rotation.transpose();
            let torque = set.responses.iter().fold(Vec3::ZERO, |sum, (k, y)| sum + y.cross(into * b[*k as usize]));
            let torque = if set.follows { set.rotation * torque } else { Vec3::ZERO };
            angle.copy_from_slice(&torque.to_array());
        }
        solve_dense(&self.factor, &mut self.angles);
        for (set, angle) in self.sets.iter().zip(self.angles.chunks_exact(3)).filter(|(set, _)| set.follows) {
            let angle = Vec3::from_slice(angle);
            for (k, y) in &set.responses {
                solved[*k as usize] += angle.cross(set.rotation * *y);
            }
        }
    }
}

/// The columns U of all rigid sets at their rotations over the unknowns of Newton's matrix, three for each set, and K for each: the
/// true one at x, or the one of exactly rigid poses, with which the matrix is positive.
pub(super) struct TurningColumns {
    columns: Vec<Vec<Vec3>>,
    true_stiffness: Vec<Mat3>,
    rigid_stiffness: Vec<Mat3>,
}

impl TurningColumns {
    pub(super) fn new(objective: &Objective<'_>, x: &[Vec3], memory: &[Memory]) -> Self {
        let model = objective.model;
        let unknown = |v: u32| model.free_index(v).map(|k| k as u32);
        let mut all = Self { columns: Vec::new(), true_stiffness: Vec::new(), rigid_stiffness: Vec::new() };
        for (batch, memory) in memory.iter().enumerate().take(model.energies().len()) {
            let Some((modes, moment)) = modes_of(objective, batch, &unknown) else { continue };
            let rotation = Mat3::from_quat(Quat::from_slice(&memory.warm));
            for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
                let mut column = vec![Vec3::ZERO; model.free().len()];
                modes.iter().for_each(|(k, mode)| column[*k as usize] += axis.cross(rotation * *mode));
                all.columns.push(column);
            }
            let (operator, scale) = (model.energies()[batch].batch.operator(), objective.scales[batch]);
            let mut met = Mat3::ZERO;
            for (element, p) in memory.projections.iter().enumerate() {
                let stencil = operator.stencil(element);
                let z = x[stencil[1] as usize] - x[stencil[0] as usize];
                met += crate::math::outer(z * (scale * operator.weight(element)), *p);
            }
            all.true_stiffness.push(about((met + met.transpose()) * 0.5) + regular(moment));
            all.rigid_stiffness.push(about(rotation * moment * rotation.transpose()) + regular(moment));
        }
        all
    }

    /// Whether nothing turns.
    pub(super) fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// From H x to H' x.
    pub(super) fn subtract(&self, x: &[Vec3], product: &mut [Vec3]) {
        for (columns, stiffness) in self.columns.chunks_exact(3).zip(&self.rigid_stiffness) {
            let torque = Vec3::new(dot(&columns[0], x), dot(&columns[1], x), dot(&columns[2], x));
            let angle = stiffness.inverse() * torque;
            for (column, angle) in columns.iter().zip(angle.to_array()) {
                product.iter_mut().zip(column).for_each(|(product, u)| *product -= *u * angle);
            }
        }
    }

    /// From H⁻¹ b to H'⁻¹ b, given H⁻¹.
    pub(super) fn correct(&self, b: &[Vec3], solved: &mut [Vec3], mut inverse: impl FnMut(&mut Vec<Vec3>)) {
        let n = self.columns.len();
        let mut responses = self.columns.clone();
        responses.iter_mut().for_each(&mut inverse);
        for stiffness in [&self.true_stiffness, &self.rigid_stiffness] {
            let mut matrix = vec![0.0; n * n];
            for i in 0..n {
                for j in 0..n {
                    let own = if i / 3 == j / 3 { stiffness[i / 3].col(j % 3)[i % 3] } else { 0.0 };
                    matrix[i * n + j] = own - dot(&self.columns[i], &responses[j]);
                }
            }
            if !factor_dense(&mut matrix, n) {
                continue;
            }
            let mut angles: Vec<f64> = responses.iter().map(|y| dot(y, b)).collect();
            solve_dense(&matrix, &mut angles);
            for (y, angle) in responses.iter().zip(angles) {
                solved.iter_mut().zip(y).for_each(|(solved, y)| *solved += *y * angle);
            }
            return;
        }
    }
}
