//! The page on performance, made from the results of one run, so that nobody writes a number by hand.

use std::path::Path;

use pliant_picture::Color;
use pliant_picture::plot::{Axis, Plot, Series, Style};

use crate::peers;
use crate::position_based::{self, PositionBasedResults};
use crate::results::{EqualTime, MethodResults, ProblemResults, Results};
use crate::table::{Table, or_dash, three_digits};
use crate::timing::Timing;
use crate::{BenchError, attachments, energies, fluid, gpu, matching, presets, upsampling};

/// What the columns of the tables mean.
pub const COLUMNS: &str = "Times are the minimum of all turns [ms], followed by the median; × is how many times faster than Eigen. `setup` is the time from the matrix to the factor, `solve` is one solve with three right-hand sides, `frame` is ten plain local/global iterations with everything around them, `iteration` is one of these alone. `B/vertex` is the size of the factor, `GB/s` the speed if both sweeps of a solve read it once, `of read` that speed relative to reading an array of that size on the same number of threads. `Δ` is the largest difference from the first method: of the solution, relative to its largest entry, and of the positions after three frames, relative to the body's diagonal.";

/// File names of the plots, beside the page's images.
const PLOTS: [(&str, &str); 2] =
    [("images/performance-solve.svg", "Solves"), ("images/performance-frame.svg", "Frames")];

/// Reads results and writes the page and its plots.
pub fn write(from: &Path, to: &Path) -> Result<(), BenchError> {
    let results = Results::load(from)?;
    for ((file, _), plot) in PLOTS.iter().zip(plots(&results)) {
        plot.save_svg(to.join(file))?;
    }
    let path = to.join("performance.md");
    std::fs::write(&path, page(&results)).map_err(|error| BenchError::File { path, error })
}

/// What a problem is, in one line.
pub fn problem_heading(problem: &ProblemResults) -> String {
    format!("{}: {} vertices, {} {}", problem.name, problem.vertices, problem.elements, problem.element_kind)
}

/// What engines are compared by, in one line.
pub fn equal_time_heading(found: &EqualTime) -> String {
    let [settle, average] = found.frames;
    format!("{}: {}, mean of {average} frames after {settle}", found.problem, found.quantity)
}

/// Engines with their time per frame and how far from the exact value they come to rest.
pub fn equal_time_table(found: &EqualTime) -> Table {
    let mut table = Table::new(["engine", "frame [ms]", "median", "value", "exact", "off by"]);
    for engine in &found.engines {
        table.row(vec![
            engine.name.clone(),
            three_digits(engine.frame.min),
            three_digits(engine.frame.median),
            three_digits(engine.value),
            three_digits(found.exact),
            format!("{} %", three_digits(100.0 * (engine.value / found.exact - 1.0))),
        ]);
    }
    table
}

/// The page.
pub fn page(results: &Results) -> String {
    let mut page = String::from(
        "# Performance\n\n\
         <!-- Made by `cargo run --release -p pliant-bench -- report` from performance.json; do not edit. -->\n\n\
         Every number here comes from one run in which all methods took turns on one machine, on the same matrices, masses and pins. Compare ratios, not milliseconds: times on your machine will differ.\n\n```sh\n\
         cargo run --release -p pliant-bench --features reference,rapier -- peers --save docs/performance.json\n\
         cargo run --release -p pliant-bench -- report\n```\n\n",
    );
    peers::preamble(results).iter().for_each(|line| page.push_str(&format!("- {line}\n")));
    page.push_str("\n## Faster than Eigen\n\n");
    page.push_str(&summary(results).to_markdown());
    for (file, name) in PLOTS {
        page.push_str(&format!("\n![{name}]({file})\n"));
    }
    page.push_str(&format!("\n## Problem by problem\n\n{COLUMNS}\n"));
    for problem in &results.problems {
        page.push_str(&format!("\n### {}\n\n", problem_heading(problem)));
        page.push_str(&peers::table(problem, &results.machine).to_markdown());
        page.push_str("\nSetup by phases:\n\n");
        peers::setup_lines(problem).iter().for_each(|line| page.push_str(&format!("- {line}\n")));
    }
    if !results.equal_time.is_empty() {
        page.push_str(
            "\n## Engines with other methods\n\nAt about the same time per frame, how far from static equilibrium does a hanging \
             body come to rest? Same springs or tets, stiffnesses, masses and pins; two threads.\n",
        );
    }
    for found in &results.equal_time {
        page.push_str(&format!("\n### {}\n\n", equal_time_heading(found)));
        page.push_str(&equal_time_table(found).to_markdown());
    }
    if let Some(found) = &results.position_based {
        page.push_str(&position_based_section(found));
    }
    if let Some(found) = &results.fluid {
        page.push_str(&format!("\n## Fluids\n\n{}\n\n", fluid::description(found)));
        page.push_str("```sh\ncargo run --release -p pliant-bench -- fluid --save docs/performance.json\n```\n\n");
        page.push_str(&fluid::table(found).to_markdown());
    }
    if let Some(found) = &results.attachments {
        page.push_str(&format!("\n## Long-range attachments\n\n{}\n\n", attachments::description(found)));
        page.push_str(
            "```sh\ncargo run --release -p pliant-bench -- attachments --save docs/performance.json\n```\n\n",
        );
        page.push_str(&attachments::table(found).to_markdown());
    }
    if let Some(found) = &results.matching {
        page.push_str(&format!("\n## Shape matching\n\n{}\n\n", matching::description(found)));
        page.push_str("```sh\ncargo run --release -p pliant-bench --features reference -- matching --save docs/performance.json\n```\n\n");
        page.push_str(&matching::body_table(found).to_markdown());
        page.push_str("\nCost of the width of regions, on one thread:\n\n");
        page.push_str(&matching::width_table(found).to_markdown());
    }
    if let Some(found) = &results.upsampling {
        page.push_str(&format!("\n## Upsampling\n\n{}\n\n", upsampling::description(found)));
        page.push_str("```sh\ncargo run --release -p pliant-bench -- upsampling --save docs/performance.json\n```\n\n");
        page.push_str(&upsampling::table(found).to_markdown());
    }
    if let Some(found) = &results.gpu {
        page.push_str(&format!("\n## On a GPU\n\n{}\n\n", gpu::description(found)));
        page.push_str("```sh\ncargo run --release -p pliant-bench -- gpu --reference-substeps 8 --save docs/performance.json\n```\n\n");
        page.push_str(&gpu::table(found).to_markdown());
        page.push_str(&format!("\n{}\n\n{}", gpu::MOTIONS, gpu::motion_table(found).to_markdown()));
        page.push_str(&format!("\n{}\n\n{}", gpu::RESIDENTS, gpu::resident_table(found).to_markdown()));
    }
    if let Some(found) = &results.energies {
        page.push_str(&format!("\n## Energy by energy\n\n{}\n\n", energies::description(found)));
        page.push_str("```sh\ncargo run --release -p pliant-bench --features reference -- energies --save docs/performance.json\n```\n\n");
        page.push_str(&energies::table(found).to_markdown());
    }
    if let Some(found) = &results.presets {
        page.push_str(&format!("\n## Named materials\n\n{}\n\n", presets::description(found)));
        page.push_str("```sh\ncargo run --release -p pliant-bench -- presets --save docs/performance.json\n```\n\n");
        page.push_str(&presets::table(found).to_markdown());
        if !found.drapes.is_empty() {
            page.push_str(&format!("\n{}\n\n", presets::drape::description(&found.drapes)));
            page.push_str(&presets::drape::table(&found.drapes).to_markdown());
        }
    }
    page
}

fn position_based_section(found: &PositionBasedResults) -> String {
    let load = found.load.map_or_else(|| "unknown".to_owned(), |load| format!("{load:.1}"));
    format!(
        "\n## Position-based dynamics\n\nFrom a run of its own, `pliant-bench --features reference,rapier -- position-based --save \
         docs/performance.json`; load by other programs when it began: {load}. {}\n\n{}\n{}\n\n{}",
        position_based::EXPLANATION,
        position_based::loop_table(found).to_markdown(),
        position_based::ENGINES,
        position_based::engine_table(found).to_markdown(),
    )
}

/// Methods in the order in which they appear.
fn method_names(results: &Results) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for method in results.problems.iter().flat_map(|problem| &problem.methods) {
        if !names.contains(&method.name.as_str()) {
            names.push(&method.name);
        }
    }
    names
}

/// Ratios to the baseline, solve and frame, for each problem and each method that has any.
fn summary(results: &Results) -> Table {
    let names = method_names(results);
    let problems = results.problems.iter().map(|problem| problem.name.as_str());
    let mut table = Table::new(["solve / frame"].into_iter().chain(problems));
    let has_ratio = |name: &str| {
        let of_name =
            |method: &&MethodResults| method.name == name && (method.solve.is_some() || method.frame.is_some());
        results.problems.iter().flat_map(|problem| &problem.methods).any(|method| of_name(&method))
    };
    for name in names.into_iter().filter(|name| has_ratio(name)) {
        let mut row = vec![name.to_owned()];
        for problem in &results.problems {
            let method = problem.methods.iter().find(|method| method.name == name);
            let ratio =
                |what: fn(&MethodResults) -> Option<Timing>| Some(problem.baseline(what)?.min / what(method?)?.min);
            row.push(format!("{} / {}", or_dash(ratio(|m| m.solve)), or_dash(ratio(|m| m.frame))));
        }
        table.row(row);
    }
    table
}

/// Colours of the methods, that of the baseline grey.
const COLORS: [Color; 8] = [
    Color::hex(0x777777),
    Color::hex(0xc9a227),
    Color::hex(0x8c6bb1),
    Color::hex(0x2b6cb0),
    Color::hex(0x38a169),
    Color::hex(0xdd6b20),
    Color::hex(0xc53030),
    Color::hex(0x319795),
];

/// Solves and frames over the number of vertices: cloths as lines, solids dashed.
fn plots(results: &Results) -> [Plot; 2] {
    [
        plot(results, "A solve with three right-hand sides", |method| method.solve),
        plot(results, "A frame of ten local/global iterations", |method| method.frame),
    ]
}

fn plot(results: &Results, title: &str, what: fn(&MethodResults) -> Option<Timing>) -> Plot {
    let mut series = Vec::new();
    for (name, color) in method_names(results).into_iter().zip(COLORS.into_iter().cycle()) {
        let mut legend = name;
        for (kind, style) in [("springs", Style::Line), ("tets", Style::Dashed)] {
            let problems = results.problems.iter().filter(|problem| problem.element_kind == kind);
            let mut points: Vec<[f64; 2]> = Vec::new();
            for problem in problems {
                let method = problem.methods.iter().find(|method| method.name == name);
                points.extend(method.and_then(what).map(|timing| [problem.vertices as f64, timing.min]));
            }
            points.sort_by(|a, b| a[0].total_cmp(&b[0]));
            if points.is_empty() {
                continue;
            }
            series.push(Series { style: Style::Dots, color: Some(color), ..Series::new("", points.clone()) });
            series.push(Series { style, color: Some(color), ..Series::new(std::mem::take(&mut legend), points) });
        }
    }
    let (x, y) = (Axis::log("vertices"), Axis::log("least time [ms]"));
    Plot { title: format!("{title} (cloths, and dashed solids)"), x, y, series, ..Plot::default() }
}
