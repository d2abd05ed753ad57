//! Contacts between layers on a device against the engine's formulas, in f64.
#![allow(clippy::unwrap_used, reason = "tests")]

mod common;
mod folds;

use std::collections::BTreeMap;

use folds::{Dice, crowd, folded};
use pliant::SelfCollision;
use pliant::prelude::*;
use pliant::proximity::{Candidates, Closest, Pair, Primitives};
use pliant_gpu::device::Device;
use pliant_gpu::{GpuLayers, LayerContact};

const INERTIA: f64 = 240.0 * 240.0;
/// As the engine has them (`contact/layers.rs`).
const READY: f64 = 1.5;
const RECOVERY: f64 = 0.25;
const SLANT: f64 = 1e-3;
/// What is nearer than this to a decision may go either way in f32.
const CLOSE_CALL: f64 = 2e-6;

struct Expected {
    closest: Closest,
    target: f64,
    stiffness: f64,
}

/// Whether a pair is a contact, as `Place::contact` decides; none where it is a close call.
fn contact(
    sim: &Simulation,
    primitives: &Primitives,
    pair: Pair,
    [safe, wanted]: [&[Vec3]; 2],
    settings: &SelfCollision,
) -> Option<Option<Expected>> {
    let (model, thickness) = (sim.model(), settings.thickness);
    let vertices = pair.vertices(primitives);
    let (near, aims) = (vertices.map(|v| safe[v as usize]), vertices.map(|v| wanted[v as usize]));
    let first = pair.first_side();
    let moves: [Vec3; 4] = std::array::from_fn(|k| aims[k] - near[k]);
    let mean = moves.iter().sum::<Vec3>() * 0.25;
    let longest = |side: &[Vec3]| side.iter().map(|m| (*m - mean).length()).fold(0.0, f64::max);
    let reach = READY * thickness + longest(&moves[..first]) + longest(&moves[first..]);
    // Boxes at the start and at the end: beyond each other along an axis at both times.
    let gap = |x: &[Vec3; 4], c: usize, sign: f64| {
        let low = x[..first].iter().map(|p| sign * p[c]).fold(f64::INFINITY, f64::min);
        let high = x[first..].iter().map(|p| sign * p[c]).fold(f64::NEG_INFINITY, f64::max);
        low - high - READY * thickness
    };
    let apart = (0..6).map(|k| (k % 3, if k < 3 { 1.0 } else { -1.0 }));
    let apart = apart.map(|(c, sign)| gap(&near, c, sign).min(gap(&aims, c, sign))).fold(f64::NEG_INFINITY, f64::max);
    let closest = pair.closest(&near);
    let distance = closest.distance();
    let mut unclear = apart.abs() < CLOSE_CALL || (distance - reach).abs() < CLOSE_CALL;
    unclear |= closest.weights.iter().any(|w| *w != 0.0 && w.abs() < 1e-3);
    let mut is_facing = true;
    match pair {
        Pair::VertexTriangle(vertex, triangle) => {
            let foot = safe[vertex as usize] - closest.offset;
            for (side, other) in (0..3).zip(primitives.across(triangle)) {
                let weight = closest.weights[1 + (side + 2) % 3];
                if let Some(q) = other.filter(|_| weight == 0.0) {
                    let way = safe[q as usize] - foot;
                    let rise = closest.offset.dot(way) / (distance * way.length());
                    unclear |= (rise - SLANT).abs() < 1e-3;
                    is_facing &= rise <= SLANT;
                }
            }
        }
        Pair::EdgeEdge(..) => is_facing = closest.weights.iter().all(|w| *w != 0.0),
    }
    if unclear {
        return None;
    }
    let masses = model.mass().lumped();
    let yields = vertices.iter().zip(closest.weights).filter(|(v, _)| model.free_index(**v).is_some());
    let inverse_mass: f64 = yields.map(|(&v, w)| w * w / masses[v as usize]).sum();
    if apart > 0.0 || distance > reach || !is_facing || inverse_mass <= 0.0 {
        return Some(None);
    }
    let mut target = thickness;
    if primitives.body(vertices[0]) == primitives.body(vertices[3]) {
        let at_rest = pair.closest(&vertices.map(|v| model.rest()[v as usize])).distance();
        target = target.min(at_rest.max(0.1 * thickness));
    }
    target = target.min(distance + RECOVERY * thickness);
    Some(Some(Expected { closest, target, stiffness: settings.stiffness * INERTIA / inverse_mass }))
}

/// Two wavy sheets over each other that are pressed together, the lower one held at its sides.
fn world() -> (Simulation, Vec<Vec3>) {
    let sheet = Sheet { width: 0.2, height: 0.2, columns: 16, rows: 16, plane: Plane::Xz, ..Sheet::default() };
    let mesh = sheet.mesh().unwrap();
    let wave = |p: &Vec3| 0.006 * (40.0 * p.x).sin() * (30.0 * p.z).cos();
    let lower: Vec<Vec3> = mesh.positions.iter().map(|p| *p + Vec3::Y * wave(p)).collect();
    let turned = Mat3::from_rotation_y(0.4);
    let over = |p: &Vec3| turned * *p + Vec3::Y * (wave(&(turned * *p)) + 0.0022 + 0.02 * p.x.abs());
    let upper = mesh.positions.iter().map(over).collect();
    let held: Vec<u32> = (0..).zip(&mesh.positions).filter(|(_, p)| p.x < -0.09).map(|(v, _)| v).collect();
    let cloth = |name: &str| Body::cloth(&mesh, &ClothMaterial::default()).unwrap().named(name);
    let sim = Simulation::builder()
        .body(cloth("lower").with_positions(lower).pin(held))
        .body(cloth("upper").with_positions(upper))
        .build()
        .unwrap();
    let x = sim.positions().to_vec();
    let wanted =
        x.iter().enumerate().map(|(v, p)| *p - Vec3::new(0.0002, if v < 289 { 0.0 } else { 0.0015 }, 0.0)).collect();
    (sim, wanted)
}

/// Which pair a contact is of.
fn pair_of(primitives: &Primitives, contact: &LayerContact) -> Pair {
    let [a, b, c, d] = contact.vertices;
    let edge = |a: u32, b: u32| primitives.edges().binary_search(&[a.min(b), a.max(b)]).map(|e| e as u32);
    if contact.weights[1] >= 0.0 && contact.weights[0] < 1.0 {
        let (first, second) = (edge(a, b).unwrap(), edge(c, d).unwrap());
        return Pair::EdgeEdge(first.min(second), first.max(second));
    }
    let triangle = primitives.triangles().iter().position(|t| *t == [b, c, d]);
    Pair::VertexTriangle(a, triangle.unwrap() as u32)
}

#[test]
fn contacts_are_those_of_the_engine() {
    let Some(device) = common::device() else { return };
    let mut dice = Dice(11);
    let (pressed, wanted) = world();
    let at = pressed.positions().to_vec();
    let (snake, folds) = folded(24);
    let squeezed = folds.iter().map(|p| Vec3::new(p.x, 0.7 * p.y, p.z) + 2e-4 * dice.vector()).collect();
    let soup = crowd(&mut dice);
    let sheets = soup.positions().to_vec();
    let together = sheets.iter().map(|p| 0.95 * *p + 0.002 * dice.vector()).collect();
    let far = |x: &[Vec3]| x.iter().map(|p| *p + Vec3::new(100.0, -70.0, 30.0)).collect::<Vec<Vec3>>();
    let (distant, there, aims) = (world().0, far(&at), far(&wanted));
    let mut sums = [0; 4];
    for (k, (sim, x, wanted)) in
        [(pressed, at, wanted), (snake, folds, squeezed), (soup, sheets, together), (distant, there, aims)]
            .into_iter()
            .enumerate()
    {
        // The small sheets are far from each other.
        let thickness = if k == 2 { 0.02 } else { 2e-3 };
        sums[k] = compare(&device, &sim, [&x, &wanted], &SelfCollision { thickness, ..SelfCollision::default() });
    }
    assert!(sums[0] > 300 && sums[1] > 300 && sums[2] > 10 && sums[3] > 300, "{sums:?} contacts");
}

/// Compares the contacts of a movement; returns how many there are that are clear.
fn compare(device: &Device, sim: &Simulation, [x, wanted]: [&[Vec3]; 2], settings: &SelfCollision) -> usize {
    let primitives = Primitives::new(sim.model().bodies());
    let mut layers = GpuLayers::new(device, sim.model(), settings, INERTIA, x).unwrap();
    let found = layers.contacts(wanted).unwrap();
    let found: BTreeMap<Pair, LayerContact> = found.iter().map(|c| (pair_of(&primitives, c), *c)).collect();
    let (mut common, mut unclear) = (0, 0);
    let candidates = Candidates::default().find(&primitives, x, wanted, READY * settings.thickness);
    for pair in &candidates {
        let Some(expected) = contact(sim, &primitives, *pair, [x, wanted], settings) else {
            unclear += 1;
            continue;
        };
        let own = found.get(pair);
        assert_eq!(own.is_some(), expected.is_some(), "{pair:?}");
        let (Some(own), Some(expected)) = (own, expected) else { continue };
        common += 1;
        // Two edges may be in the other order.
        let is_same = own.vertices == pair.vertices(&primitives);
        let normal = expected.closest.offset.normalize() * if is_same { 1.0 } else { -1.0 };
        assert!(own.normal.distance(normal) < 1e-4, "{pair:?}: {} for {normal}", own.normal);
        assert!((own.target - expected.target).abs() < 1e-4 * expected.target, "{pair:?}");
        assert!((own.stiffness / expected.stiffness - 1.0).abs() < 1e-3, "{pair:?}");
        let weights = expected.closest.weights;
        let weights = if is_same { weights } else { [-weights[2], -weights[3], -weights[0], -weights[1]] };
        for (weight, expected) in own.weights.iter().zip(weights) {
            assert!((weight - expected).abs() < 1e-3, "{pair:?}: {:?} for {weights:?}", own.weights);
        }
    }
    assert!(unclear < candidates.len() / 2, "{common} contacts, {unclear} unclear of {}", candidates.len());
    assert!(found.keys().all(|pair| candidates.binary_search(pair).is_ok()), "none that is no candidate");
    let report = layers.report().unwrap();
    assert_eq!((report.contacts as usize, report.dropped), (found.len(), 0));
    common
}

/// The engine's law (`contact/law.rs`) at some positions: the force on the first side and the energy.
fn law(contact: &LayerContact, friction: f64, [before, x]: [&[Vec3]; 2]) -> (Vec3, f64) {
    let offset =
        |x: &[Vec3]| contact.vertices.iter().zip(contact.weights).map(|(&v, w)| x[v as usize] * w).sum::<Vec3>();
    let (n, w, r) = (contact.normal, contact.stiffness, offset(x));
    let slid = r - offset(before);
    let slid = slid - n * n.dot(slid);
    let push = (contact.pressed + w * (contact.target - n.dot(r))).max(0.0);
    let full = contact.sliding_force + slid * w;
    let (length, limit) = (full.length(), friction * contact.pressed);
    let share = if length > limit { limit / length } else { 1.0 };
    let cut = share * length;
    let held = cut * length - 0.5 * cut * cut - 0.5 * contact.sliding_force.length_squared();
    (n * push - full * share, (0.5 * (push * push - contact.pressed * contact.pressed) + held) / w)
}

#[test]
fn forces_friction_and_multipliers_follow_the_law() {
    let Some(device) = common::device() else { return };
    let settings = SelfCollision::default();
    let (sim, wanted) = world();
    let before = sim.positions();
    let mut layers = GpuLayers::new(&device, sim.model(), &settings, INERTIA, before).unwrap();
    let mut sliding = 0;
    let mut first = Vec::new();
    for round in 0..3 {
        let contacts = layers.contacts(&wanted).unwrap();
        if round == 0 {
            first.clone_from(&contacts);
        }
        // Vertices somewhere between, further on in each round.
        let share = 0.4 + 0.2 * f64::from(round);
        let slide = |v: usize| if v < 289 { Vec3::ZERO } else { Vec3::X * 1e-3 * share };
        let x: Vec<Vec3> = (0..before.len()).map(|v| before[v].lerp(wanted[v], share) - slide(v)).collect();
        let mut expected = vec![Vec3::ZERO; x.len()];
        let mut energy = 0.0;
        for contact in &contacts {
            let (force, own) = law(contact, settings.friction, [before, &x]);
            energy += own;
            for (&v, weight) in contact.vertices.iter().zip(contact.weights) {
                expected[v as usize] += force * weight;
            }
        }
        let (forces, found) = layers.respond(&x).unwrap();
        let largest = expected.iter().map(|f| f.length()).fold(0.0, f64::max);
        assert!(largest > 1e-3, "{largest} N");
        let mut sum = Vec3::ZERO;
        for v in 0..x.len() {
            let is_free = sim.model().free_index(v as u32).is_some();
            let expected = if is_free { expected[v] } else { Vec3::ZERO };
            sum += expected;
            let error = forces[v].distance(expected) / largest;
            assert!(error < 2e-4, "round {round}, vertex {v}: {} for {expected}", forces[v]);
        }
        assert!((found - energy).abs() < 1e-3 * energy.abs(), "{found} J for {energy} J");
        // What vertices step, and what then presses.
        let step: Vec<Vec3> = (0..x.len())
            .map(|v| {
                if sim.model().free_index(v as u32).is_some() {
                    Vec3::new(1e-5, 2e-5 * (v % 3) as f64, 0.0)
                } else {
                    Vec3::ZERO
                }
            })
            .collect();
        layers.settle(&step).unwrap();
        let settled = layers.contacts(&wanted).unwrap();
        assert_eq!(settled.len(), contacts.len());
        for (contact, settled) in contacts.iter().zip(&settled) {
            let (force, _) = law(contact, settings.friction, [before, &x]);
            let moved: Vec3 = contact.vertices.iter().zip(contact.weights).map(|(&v, w)| step[v as usize] * w).sum();
            let (n, w) = (contact.normal, contact.stiffness);
            // Stiffness as the law has it.
            let push = n.dot(force);
            let limit = settings.friction * contact.pressed;
            let slid: Vec3 = contact
                .vertices
                .iter()
                .zip(contact.weights)
                .map(|(&v, w)| (x[v as usize] - before[v as usize]) * w)
                .sum();
            let full = contact.sliding_force + (slid - n * n.dot(slid)) * w;
            let share = if full.length() > limit { limit / full.length() } else { 1.0 };
            let (along, across) = (if push > 0.0 { w } else { 0.0 }, if limit > 0.0 { w * share } else { 0.0 });
            let force = force - (moved * across + n * ((along - across) * n.dot(moved)));
            let pressed = n.dot(force).max(0.0);
            let tangential = (n * n.dot(force) - force).clamp_length_max(settings.friction * pressed);
            assert!((settled.pressed - pressed).abs() < 1e-3 * largest, "{} for {pressed}", settled.pressed);
            assert!(settled.sliding_force.distance(tangential) < 1e-3 * largest);
            sliding += usize::from(share < 1.0 && limit > 0.0);
        }
        assert!(settled.iter().any(|contact| contact.pressed > 0.0));
    }
    assert!(sliding > 10, "{sliding} contacts slide");
    layers.forget().unwrap();
    let again = layers.contacts(&wanted).unwrap();
    assert_eq!(again, first, "nothing is left of what pressed");
}
