//! Damping [Bender 2014, §3.7], as rates in physical units: the result does not depend on the time step.
//!
//! Point damping (drag) slows everything. The others slow only motion that changes a body's shape: along edges
//! (spring), everything except rigid motion (deformation, [Müller 2007]), or motion towards and away from the centre of
//! mass of a body or of clusters of it (radial, [Schmedding 2009]). They conserve momentum and angular momentum, and do
//! not affect rigid motion.

use crate::math::functions::{exp, exp_m1};
use crate::math::{Mat3, Vec3};
use crate::mesh::{pseudo_inverse_times, spin_of};
use crate::world::model::Model;

/// Damping of a world. All zero by default: implicit integration damps enough for most scenes.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Damping {
    /// Drag on all motion \[1/s\] [Liu 2013, §4.1]: velocities decay as exp(−rate·t), rigid motion included.
    pub drag: f64,
    /// Decay \[1/s\] of velocities relative to each body's rigid motion [Müller 2007, §3.5]: momentum and spin are
    /// conserved.
    pub deformation: f64,
    /// Stiffness-proportional damping β \[s\] inside the material: forces −β·stiffness·(rate of deformation). Energies
    /// that depend on absolute positions (goals, half-spaces, some choices of [`Metric`](crate::energy::Metric)) have none.
    pub stiffness: f64,
    /// Decay \[1/s\] of the rate at which an edge of a triangle, tet or strand becomes longer or shorter, edge by edge.
    pub spring: f64,
    /// Decay \[1/s\] of motion towards and away from the centre of mass of each cluster [Schmedding 2009].
    pub radial: f64,
    /// Approximate number of vertices in a cluster; 0 means whole bodies. Small clusters damp short waves; whole bodies
    /// damp only uniform expansion and contraction.
    pub cluster: usize,
}

/// What springs and clusters are, worked out once for a model.
#[derive(Debug, Clone, Default)]
pub(crate) struct DampingLinks {
    edges: Vec<[u32; 2]>,
    clusters: Vec<Vec<u32>>,
}

impl DampingLinks {
    pub(crate) fn new(damping: &Damping, model: &Model) -> Self {
        let mut links = Self::default();
        if damping.spring <= 0.0 && damping.radial <= 0.0 {
            return links;
        }
        for (body, info) in model.bodies().iter().enumerate() {
            let first = info.vertices.start as u32;
            let cells = model.cells(body).iter();
            let pairs =
                cells.flat_map(|cell| (0..cell.len()).flat_map(move |a| (0..a).map(move |b| [cell[a], cell[b]])));
            let mut edges: Vec<[u32; 2]> = pairs.map(|[a, b]| [first + a.min(b), first + a.max(b)]).collect();
            edges.sort_unstable();
            edges.dedup();
            if damping.radial > 0.0 {
                links.clusters.extend(clusters(first, info.vertices.len(), &edges, damping.cluster));
            }
            if damping.spring > 0.0 {
                links.edges.extend(edges);
            }
        }
        links
    }
}

/// A body's vertices in groups of at most `size` that hang together by edges; all in one for 0.
fn clusters(first: u32, count: usize, edges: &[[u32; 2]], size: usize) -> Vec<Vec<u32>> {
    if size == 0 {
        return vec![(first..first + count as u32).collect()];
    }
    let mut neighbours: Vec<Vec<u32>> = vec![Vec::new(); count];
    for &[a, b] in edges {
        neighbours[(a - first) as usize].push(b - first);
        neighbours[(b - first) as usize].push(a - first);
    }
    let mut taken = vec![false; count];
    let mut clusters: Vec<Vec<u32>> = Vec::new();
    for seed in 0..count as u32 {
        if std::mem::replace(&mut taken[seed as usize], true) {
            continue;
        }
        let mut cluster = vec![seed];
        let mut at = 0;
        while at < cluster.len() && cluster.len() < size {
            for &next in &neighbours[cluster[at] as usize] {
                if cluster.len() < size && !std::mem::replace(&mut taken[next as usize], true) {
                    cluster.push(next);
                }
            }
            at += 1;
        }
        clusters.push(cluster.into_iter().map(|v| v + first).collect());
    }
    clusters
}

impl Damping {
    /// Filters velocities at the beginning of a step of length h.
    pub(crate) fn filter(&self, model: &Model, links: &DampingLinks, h: f64, x: &[Vec3], v: &mut [Vec3]) {
        if self.drag > 0.0 {
            let factor = exp(-self.drag * h);
            v.iter_mut().for_each(|v| *v *= factor);
        }
        if self.deformation > 0.0 {
            let share = -exp_m1(-self.deformation * h);
            for body in model.bodies() {
                let range = body.vertices.clone();
                damp_deformation(share, &model.mass().lumped()[range.clone()], &x[range.clone()], &mut v[range]);
            }
        }
        if self.spring > 0.0 {
            let share = -exp_m1(-self.spring * h);
            let mass = model.mass().lumped();
            let inverse = |v: u32| if model.free_index(v).is_some() { 1.0 / mass[v as usize] } else { 0.0 };
            damp_edges(share, &links.edges, inverse, x, v);
        }
        if self.radial > 0.0 {
            let share = -exp_m1(-self.radial * h);
            for cluster in &links.clusters {
                let of = |list: &[Vec3]| -> Vec<Vec3> { cluster.iter().map(|&v| list[v as usize]).collect() };
                let masses: Vec<f64> = cluster.iter().map(|&v| model.mass().lumped()[v as usize]).collect();
                let mut own = of(v);
                damp_radially(share, &masses, &of(x), &mut own);
                cluster.iter().zip(own).for_each(|(&vertex, own)| v[vertex as usize] = own);
            }
        }
    }
}

/// v ← v + share·(v_cm + ω×r − v): linear and angular momentum stay as they are.
pub fn damp_deformation(share: f64, masses: &[f64], x: &[Vec3], v: &mut [Vec3]) {
    let total: f64 = masses.iter().sum();
    if total <= 0.0 {
        return;
    }
    let drift = v.iter().zip(masses).fold(Vec3::ZERO, |sum, (v, m)| sum + *v * *m) / total;
    let (spin, inertia, centre) = spin_of(masses, x, v);
    let omega = pseudo_inverse_times(inertia, spin);
    for (x, v) in x.iter().zip(v) {
        let rigid = drift + omega.cross(*x - centre);
        *v += (rigid - *v) * share;
    }
}

/// Takes a share of the rate at which each edge grows or shrinks, edge by edge, as impulses along it [Bender 2014, §3.7].
fn damp_edges(share: f64, edges: &[[u32; 2]], inverse_mass: impl Fn(u32) -> f64, x: &[Vec3], v: &mut [Vec3]) {
    for &[a, b] in edges {
        let (w_a, w_b) = (inverse_mass(a), inverse_mass(b));
        let (a, b) = (a as usize, b as usize);
        let Some(direction) = (x[b] - x[a]).try_normalize() else { continue };
        if w_a + w_b > 0.0 {
            let impulse = direction * (share * direction.dot(v[b] - v[a]) / (w_a + w_b));
            v[a] += impulse * w_a;
            v[b] -= impulse * w_b;
        }
    }
}

/// Takes a share of the motion towards and away from the centre of mass [Schmedding 2009].
///
/// Forces along r = x − c have no torque about c. That they add up to nothing decides what the motion is relative to: Σ m r̂r̂ᵀ(v − u) = 0,
/// three equations for the velocity u, which is where going over all points again and again would lead as well. In a rigid motion u is
/// the velocity of the centre, and nothing is damped.
pub fn damp_radially(share: f64, masses: &[f64], x: &[Vec3], v: &mut [Vec3]) {
    let total: f64 = masses.iter().sum();
    if total <= 0.0 {
        return;
    }
    let centre = x.iter().zip(masses).fold(Vec3::ZERO, |sum, (x, m)| sum + *x * *m) / total;
    let directions: Vec<Vec3> = x.iter().map(|x| (*x - centre).try_normalize().unwrap_or(Vec3::ZERO)).collect();
    let (mut matrix, mut side) = (Mat3::ZERO, Vec3::ZERO);
    for ((r, v), &m) in directions.iter().zip(&*v).zip(masses) {
        matrix += Mat3::from_cols(*r * r.x, *r * r.y, *r * r.z) * m;
        side += *r * (r.dot(*v) * m);
    }
    let reference = pseudo_inverse_times(matrix, side);
    for (r, v) in directions.iter().zip(v) {
        *v -= *r * (share * r.dot(*v - reference));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn momenta(masses: &[f64], x: &[Vec3], v: &[Vec3]) -> (Vec3, Vec3) {
        let linear = (0..x.len()).fold(Vec3::ZERO, |sum, i| sum + v[i] * masses[i]);
        let angular = (0..x.len()).fold(Vec3::ZERO, |sum, i| sum + x[i].cross(v[i]) * masses[i]);
        (linear, angular)
    }

    #[test]
    fn deformation_damping_keeps_momentum_and_spin_and_removes_the_rest() {
        let point = |k: f64| Vec3::new((k * 1.3).sin(), (k * 2.1).cos(), (k * 0.7).sin() * 2.0);
        let x: Vec<Vec3> = (0..20).map(|k| point(f64::from(k))).collect();
        let v: Vec<Vec3> = (0..20).map(|k| point(f64::from(k) + 100.0)).collect();
        let masses: Vec<f64> = (0..20).map(|k| 1.0 + f64::from(k % 3)).collect();
        let mut damped = v.clone();
        damp_deformation(0.4, &masses, &x, &mut damped);
        let ((p, l), (q, k)) = (momenta(&masses, &x, &v), momenta(&masses, &x, &damped));
        assert!((p - q).length() < 1e-12 && (l - k).length() < 1e-12);
        // What full damping leaves is a rigid motion: no distance changes. Of the rest, 0.4 leaves 0.6.
        let mut fully = v.clone();
        damp_deformation(1.0, &masses, &x, &mut fully);
        for (i, j) in (0..20).flat_map(|i| (0..i).map(move |j| (i, j))) {
            assert!((x[i] - x[j]).dot(fully[i] - fully[j]).abs() < 1e-12, "{i} and {j}");
        }
        assert!((0..20).all(|i| (damped[i] - fully[i] - (v[i] - fully[i]) * 0.6).length() < 1e-12));
        assert!((0..20).any(|i| (v[i] - fully[i]).length() > 0.5), "there is something to remove");
        let mut rigid: Vec<Vec3> = x.iter().map(|r| Vec3::new(0.3, -1.0, 2.0) + Vec3::Y.cross(*r)).collect();
        let before = rigid.clone();
        damp_deformation(1.0, &masses, &x, &mut rigid);
        assert!(rigid.iter().zip(&before).all(|(a, b)| (*a - *b).length() < 1e-12));
    }

    #[test]
    fn a_straight_rope_can_be_damped() {
        let x: Vec<Vec3> = (0..5).map(|k| Vec3::X * f64::from(k)).collect();
        let mut v: Vec<Vec3> = (0..5).map(|k| Vec3::Y * f64::from(k) + Vec3::Z * f64::from(k % 2)).collect();
        let before = momenta(&[1.0; 5], &x, &v);
        damp_deformation(1.0, &[1.0; 5], &x, &mut v);
        let after = momenta(&[1.0; 5], &x, &v);
        assert!((before.0 - after.0).length() < 1e-12 && (before.1 - after.1).length() < 1e-12);
        // It turns on in the plane of y, and drifts in z by the mean of what bent it, which has no moment.
        for (k, v) in (0..).zip(&v) {
            assert!((*v - Vec3::new(0.0, f64::from(k), 0.4)).length() < 1e-12, "{v}");
        }
    }

    /// Twenty points that move anyhow, as edges between neighbours and next neighbours, with masses.
    fn swarm() -> (Vec<Vec3>, Vec<Vec3>, Vec<f64>, Vec<[u32; 2]>) {
        let point = |k: f64| Vec3::new((k * 1.3).sin(), (k * 2.1).cos(), (k * 0.7).sin() * 2.0);
        let x = (0..20).map(|k| point(f64::from(k))).collect();
        let v = (0..20).map(|k| point(f64::from(k) + 100.0)).collect();
        let masses = (0..20).map(|k| 1.0 + f64::from(k % 3)).collect();
        let edges = (0..18).flat_map(|k| [[k, k + 1], [k, k + 2]]).collect();
        (x, v, masses, edges)
    }

    /// Damps a share of the velocities of the swarm.
    type Filter = Box<dyn Fn(f64, &mut [Vec3])>;

    /// Every damping that keeps what a body does as a whole, on all points or on two clusters.
    fn filters() -> Vec<(&'static str, Filter)> {
        let (x, _, masses, edges) = swarm();
        let (x2, m2) = (x.clone(), masses.clone());
        let (x3, m3) = (x.clone(), masses.clone());
        let (x4, m4) = (x.clone(), masses.clone());
        vec![
            ("deformation", Box::new(move |share, v| damp_deformation(share, &m2, &x2, v))),
            ("spring", Box::new(move |share, v| damp_edges(share, &edges, |k| 1.0 / masses[k as usize], &x, v))),
            ("radial", Box::new(move |share, v| damp_radially(share, &m3, &x3, v))),
            (
                "radial in clusters",
                Box::new(move |share, v| {
                    damp_radially(share, &m4[..9], &x4[..9], &mut v[..9]);
                    damp_radially(share, &m4[9..], &x4[9..], &mut v[9..]);
                }),
            ),
        ]
    }

    #[test]
    fn every_damping_of_shape_keeps_momentum_angular_momentum_and_rigid_motion_and_loses_energy() {
        let (x, v, masses, _) = swarm();
        let energy = |v: &[Vec3]| v.iter().zip(&masses).map(|(v, m)| 0.5 * m * v.length_squared()).sum::<f64>();
        for (name, filter) in filters() {
            for share in [0.1, 0.5, 1.0] {
                let mut damped = v.clone();
                filter(share, &mut damped);
                let ((p, l), (q, k)) = (momenta(&masses, &x, &v), momenta(&masses, &x, &damped));
                assert!((p - q).length() < 1e-12 && (l - k).length() < 1e-12, "{name}: {} {}", p - q, l - k);
                assert!(energy(&damped) < 0.99 * energy(&v), "{name}: {} of {}", energy(&damped), energy(&v));
                let turn = Vec3::new(0.4, -1.0, 0.3);
                let rigid: Vec<Vec3> = x.iter().map(|r| Vec3::new(0.3, -1.0, 2.0) + turn.cross(*r)).collect();
                let mut kept = rigid.clone();
                filter(share, &mut kept);
                assert!(kept.iter().zip(&rigid).all(|(a, b)| (*a - *b).length() < 1e-12), "{name}");
            }
        }
    }

    #[test]
    fn full_radial_damping_leaves_no_motion_towards_the_centre_and_repeating_it_changes_nothing() {
        let (x, mut v, masses, _) = swarm();
        damp_radially(1.0, &masses, &x, &mut v);
        // Towards or away from the centre nothing moves, but for the drift u that all have in common.
        let total: f64 = masses.iter().sum();
        let centre = x.iter().zip(&masses).fold(Vec3::ZERO, |sum, (x, m)| sum + *x * *m) / total;
        let r: Vec<Vec3> = x.iter().map(|x| (*x - centre).normalize()).collect();
        let drift = Mat3::from_cols(r[0], r[1], r[2]).transpose().inverse()
            * Vec3::new(r[0].dot(v[0]), r[1].dot(v[1]), r[2].dot(v[2]));
        assert!(r.iter().zip(&v).all(|(r, v)| r.dot(*v - drift).abs() < 1e-9), "{drift}");
        let (before, once) = (swarm().1, v.clone());
        assert!(before.iter().zip(&once).any(|(a, b)| (*a - *b).length() > 0.5), "there was something to take");
        damp_radially(1.0, &masses, &x, &mut v);
        assert!(
            v.iter().zip(&once).all(|(a, b)| (*a - *b).length() < 1e-12),
            "the direct solution is where iterating ends"
        );
    }

    #[test]
    fn clusters_hang_together_and_have_at_most_their_size() {
        let edges: Vec<[u32; 2]> = (10..29).map(|v| [v, v + 1]).collect();
        let found = clusters(10, 20, &edges, 6);
        assert!(found.iter().all(|cluster| cluster.len() <= 6));
        let mut all: Vec<u32> = found.concat();
        all.sort_unstable();
        assert_eq!(all, (10..30).collect::<Vec<u32>>());
        assert_eq!(found[0], (10..16).collect::<Vec<u32>>());
        assert_eq!(clusters(10, 20, &edges, 0).len(), 1);
    }
}
