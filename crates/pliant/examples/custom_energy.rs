//! Your own energy: angle springs, which make a rod out of a rope.
//!
//! The engine's strands resist stretching only. Here a joint between two segments resists bending as well:
//!
//! ```text
//!   x₀ ●───e₁───● x₁       E = w/2 ‖(e₁, e₂) − p‖²,   p: the nearest pair of parallel edges
//!                ╲ e₂
//!                 ● x₂
//! ```
//!
//! For segments of length l and a small angle θ, E = w l² θ²/4. A beam of bending stiffness EI has ½ EI θ²/l at each
//! joint, so w = 2 EI/l³. You only write the stencils with A and w, and the projection; both solvers can then use the
//! energy. The check is a clamped rod with a load P at its tip, for which the elastica is known [Bisshopp & Drucker
//! 1945]. Look at the last column as well: the two solvers find the same rod.
//!
//! `cargo run --release --example custom_energy`

use std::error::Error;

use pliant::energy::{Batch, Element, ElementBatch, Operator, Properties};
use pliant::math::svd_3x2;
use pliant::mesh::StrandSet;
use pliant::prelude::*;

const SEGMENTS: usize = 40;
/// Length \[m\].
const LENGTH: f64 = 1.0;
/// Bending stiffness EI \[N·m²\].
const BENDING: f64 = 0.1;

/// Two edges that are pulled towards parallel.
#[derive(Debug, Clone, Copy)]
struct StraightJoint;

impl Element<2> for StraightJoint {
    const KIND: &'static str = "straight_joint";
    const PROPERTIES: Properties = Properties::INTERNAL;

    /// The nearest matrix [e₁ e₂] of rank 1 keeps the larger singular value.
    fn project(&self, edges: &[Vec3; 2], _goals: &[Vec3], _warm: &mut [f64]) -> [Vec3; 2] {
        let svd = svd_3x2(edges[0], edges[1]);
        svd.with_sigma([svd.sigma[0], 0.0])
    }
}

/// A joint at each inner vertex of each strand, for a rod of bending stiffness EI \[N·m²\].
fn straight_joints(strands: &StrandSet, bending: f64) -> Box<dyn Batch> {
    let mut operator = Operator::new(2);
    for strand in strands.strands.rows() {
        for joint in strand.windows(3) {
            let [a, b, c] = [joint[0], joint[1], joint[2]].map(|v| strands.positions[v as usize]);
            let length = 0.5 * (a.distance(b) + b.distance(c));
            operator.push(2.0 * bending / length.powi(3), joint, &[-1.0, 1.0, 0.0, 0.0, -1.0, 1.0]);
        }
    }
    let elements = vec![StraightJoint; operator.len()];
    Box::new(ElementBatch::new(operator, elements, Vec::new()))
}

/// A clamped rod under a load at its tip, at rest.
fn bent_rod(load: f64, solver: impl Into<SolverChoice>) -> Result<Vec<Vec3>, Box<dyn Error>> {
    // The clamp is a pinned segment; the first joint stands for the half segments beside it, so the rod begins half a
    // segment before it.
    let segment = LENGTH / (SEGMENTS as f64 - 0.5);
    let line = rope(Vec3::X * (-0.5 * segment), Vec3::X * LENGTH, SEGMENTS)?;
    let material = StrandMaterial { axial_stiffness: 1e3, ..StrandMaterial::default() };
    let rod = Body::strands(&line, &material)?.with_energy(straight_joints(&line, BENDING)).named("rod").pin([0, 1]);
    // Long steps of implicit Euler forget inertia: a few of them find the static state.
    let builder = Simulation::builder().body(rod).gravity(Vec3::ZERO).time_step(0.5);
    let mut sim = builder.solver(solver).build()?;
    for step in 1..=30 {
        let share = (f64::from(step) / 10.0).min(1.0);
        sim.set_force("rod", SEGMENTS as u32, Vec3::NEG_Y * load * share)?;
        sim.step()?;
    }
    Ok(sim.positions().to_vec())
}

fn main() -> Result<(), Box<dyn Error>> {
    // P L²/EI, then how far the tip of the elastica moves down and inwards, relative to L.
    let elastica = [(0.5, 0.1622, 0.0158), (1.0, 0.3017, 0.0564), (2.0, 0.4935, 0.1606), (5.0, 0.7138, 0.3876)];
    println!("P L²/EI   down/L   elastica   inwards/L   elastica   solvers differ by");
    for (load, down, inwards) in elastica {
        let force = load * BENDING / LENGTH.powi(2);
        let projective = bent_rod(force, ProjectiveParams { iterations: 5000, ..ProjectiveParams::converged() })?;
        let newton = bent_rod(force, NewtonParams::default())?;
        let difference = projective.iter().zip(&newton).fold(0.0_f64, |most, (a, b)| most.max(a.distance(*b)));
        let tip = newton[SEGMENTS];
        let (found_down, found_inwards) = (-tip.y / LENGTH, 1.0 - tip.x / LENGTH);
        println!(
            "{load:7.1}   {found_down:6.4}   {down:8.4}   {found_inwards:9.4}   {inwards:8.4}   {difference:15.1e} m"
        );
        assert!((found_down - down).abs() < 0.005, "the tip sinks by {found_down} L instead of {down} L");
        assert!(
            (found_inwards - inwards).abs() < 0.005,
            "the tip moves in by {found_inwards} L instead of {inwards} L"
        );
        assert!(difference < 1e-6 * LENGTH, "the solvers differ by {difference:e} m");
    }
    Ok(())
}
