//! What hair is like, wherever it stands in a scene.

use pliant::{HairGrid, HairMaterial, HairStyle};

use crate::fault::Fault;
use crate::format::{HairGridSection, HairStyleSection};
use crate::settings::{MOST_ITERATIONS, check_most};

/// How hair follows, what it does to hair around it, and what it keeps of its rest shape; `path` is where these keys stand.
pub(crate) fn manner(
    path: &str,
    correction: Option<f64>,
    grid: Option<&HairGridSection>,
    style: Option<&HairStyleSection>,
) -> Result<(f64, Option<HairGrid>, Option<HairStyle>), Fault> {
    let iterations = style.and_then(|style| style.iterations);
    check_most(&format!("{path}.style.iterations"), iterations, MOST_ITERATIONS)?;
    let correction = correction.unwrap_or(HairMaterial::default().correction);
    let grid = grid.map(|g| HairGrid { cell: g.cell, friction: g.friction, repulsion: g.repulsion });
    let style = style.map(|s| HairStyle {
        local: s.local,
        iterations: s.iterations.unwrap_or(3),
        global: s.global,
        global_range: s.global_range.unwrap_or(1.0),
    });
    let mut checks = vec![("correction", correction, "at least 0 and below 1", (0.0..1.0).contains(&correction))];
    if let Some(grid) = grid {
        checks.push(("grid.cell", grid.cell, "positive", grid.cell > 0.0));
        checks.push(("grid.friction", grid.friction, "at least 0", grid.friction >= 0.0));
        checks.push(("grid.repulsion", grid.repulsion, "at least 0", grid.repulsion >= 0.0));
    }
    if let Some(style) = style {
        for (key, value) in
            [("style.local", style.local), ("style.global", style.global), ("style.global_range", style.global_range)]
        {
            checks.push((key, value, "0 to 1", (0.0..=1.0).contains(&value)));
        }
    }
    for (key, value, need, holds) in checks {
        if !(holds && value.is_finite()) {
            let name = key.rsplit('.').next().unwrap_or(key);
            return Err(Fault::new(format!("{path}.{key}"), format!("{name} is {value}, but must be {need}")));
        }
    }
    Ok((correction, grid, style))
}
