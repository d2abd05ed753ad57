//! A ponytail of the reference data, simulated with the settings that come with it: 4714 strands of 16 points, three balls
//! for the head. Strands of two of its parts are fixed at both ends.

use std::path::PathBuf;

use pliant::mesh::{Csr, StrandSet};
use pliant::prelude::*;

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// Metres in a unit of the files: the balls, 26.5 units in radius, are as large as a head.
const UNIT: f64 = 0.0035;

fn folder() -> PathBuf {
    let beside = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data"));
    std::env::var_os("PLIANT_DATA").map_or_else(beside, PathBuf::from).join("hair")
}

struct Part {
    strands: StrandSet,
    fixed_at_both_ends: bool,
    damping: f64,
    style: HairStyle,
}

/// A number after a word of a text of settings.
fn setting(text: &str, word: &str) -> Result<f64, Box<dyn std::error::Error>> {
    let line = text.lines().find_map(|line| line.trim().strip_prefix(word));
    Ok(line.ok_or_else(|| format!("no {word}"))?.trim().parse()?)
}

fn read(name: &str) -> Result<Option<Part>, Box<dyn std::error::Error>> {
    let file = folder().join(format!("ponytail_{name}.tfx"));
    let Ok(bytes) = std::fs::read(&file) else {
        println!("skipped: no {}", file.display());
        return Ok(None);
    };
    let word = |at: usize| -> [u8; 4] { bytes[at..at + 4].try_into().expect("four bytes") };
    let count = |at: usize| u32::from_le_bytes(word(at));
    let (strands, points) = (count(4), count(8));
    let place = |k: u32| {
        let number = |axis: u32| f64::from(f32::from_le_bytes(word(296 + 4 * (3 * k + axis) as usize)));
        Vec3::new(number(0), number(1), number(2)) * UNIT
    };
    let rows = (0..strands).map(|s| (s * points..(s + 1) * points).collect::<Vec<_>>());
    let strands = StrandSet::new((0..strands * points).map(place).collect(), Csr::from_rows(rows))?;
    let text = std::fs::read_to_string(file.with_extension("tfxsim"))?;
    let style = HairStyle {
        local: setting(&text, "stiffnessForLocalShapeMatching")?,
        iterations: setting(&project()?, "localShapeMatchingIterations")? as usize,
        global: setting(&text, "stiffnessForGlobalShapeMatching")?,
        global_range: setting(&text, "globalShapeMatchingEffectiveRange")?,
    };
    Ok(Some(Part { strands, fixed_at_both_ends: count(16) == 1, damping: setting(&text, "damping")?, style }))
}

/// Settings of all parts.
fn project() -> std::io::Result<String> {
    std::fs::read_to_string(folder().join("ponytail.tfxproj"))
}

/// The balls of the head.
fn head() -> Result<Vec<Collider>, Box<dyn std::error::Error>> {
    let text = project()?;
    let numbers = text.lines().filter_map(|line| line.strip_prefix("collision_sphere"));
    numbers
        .map(|line| {
            let n: Vec<f64> = line.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
            Ok(Collider::new(Shape::Sphere { radius: n[3] * UNIT }).at(Vec3::new(n[0], n[1], n[2]) * UNIT))
        })
        .collect()
}

#[test]
fn the_ponytail_keeps_its_lengths_its_style_and_its_roots() -> Outcome {
    for name in ["tail", "back", "front_top", "side"] {
        let Some(part) = read(name)? else { continue };
        let (hair, last) = (&part.strands, 15);
        let fixed = |strand: &[u32]| {
            let mut fixed = vec![strand[0], strand[1]];
            if part.fixed_at_both_ends {
                fixed.extend([strand[last - 1], strand[last]]);
            }
            fixed
        };
        let pins: Vec<u32> = hair.strands.rows().flat_map(fixed).collect();
        let body = Body::strands(hair, &StrandMaterial { density: 1e-5, ..StrandMaterial::default() })?.pin(pins);
        let h = 1.0 / 60.0;
        // What is lost of a velocity in a step, as a rate.
        let damping = Damping { drag: -(1.0 - part.damping).ln() / h, ..Damping::default() };
        let params = FollowLeaderParams { style: Some(part.style), ..FollowLeaderParams::default() };
        let builder = Simulation::builder().body(body).solver(params).damping(damping).time_step(h);
        let mut sim = head()?.into_iter().fold(builder, |builder, ball| builder.collider(ball)).build()?;
        let sway = |t: f64, p: Vec3| p + Vec3::X * (0.05 * (6.0 * t).sin());
        let mut worst = 0.0_f64;
        for _ in 0..30 {
            let t = sim.time() + h;
            sim.move_pins(|vertex, _| sway(t, hair.positions[vertex as usize]))?;
            sim.step()?;
            for [a, b] in hair.segments().map(|ends| ends.map(|v| v as usize)) {
                let rest = hair.positions[a].distance(hair.positions[b]);
                worst = worst.max((sim.positions()[a].distance(sim.positions()[b]) / rest - 1.0).abs());
            }
        }
        let roots = hair.strands.rows().flat_map(fixed).map(|v| v as usize);
        let astray =
            roots.map(|v| sway(sim.time(), hair.positions[v]).distance(sim.positions()[v])).fold(0.0, f64::max);
        assert!(astray < 1e-12, "{name}: a root is {astray} m from where it was moved");
        let off = hair.positions.iter().zip(sim.positions()).map(|(p, x)| sway(sim.time(), *p).distance(*x));
        let mean = off.sum::<f64>() / hair.positions.len() as f64;
        println!("{name}: {} strands, lengths within {worst:.1e}, {:.1} mm from style", hair.strands.len(), 1e3 * mean);
        assert!(worst < 1e-6, "{name}: a length is wrong by {worst:e} of itself");
        assert!(mean < 0.05, "{name}: {mean} m from where its style would have it");
    }
    Ok(())
}
