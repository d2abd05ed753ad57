//! Which energies and constraints have kernels, and what these need of an element.

use pliant::Model;
use pliant::constraint::{Allowed, ConstraintArrays, Rule};
use pliant::energy::{Arrays, Operator};
use pliant::math::{Mat3, Vec3, symmetric_eigen};
use pliant::solve::pbd::{VisitSource, Visits};

use super::numbers::literal;
use crate::error::GpuError;

/// Corners that an element may have.
const MOST_CORNERS: usize = 24;

/// What a kernel does with an element.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Law {
    /// Functions of which the last is `visit`, and the constants that are its own.
    pub(super) text: String,
    pub(super) corners: usize,
    /// Numbers of an element.
    pub(super) numbers: usize,
    /// What an element gathers within a substep.
    pub(super) multipliers: usize,
    /// What it keeps from one substep to the next, with the values at first.
    pub(super) kept: &'static [f32],
    /// Whether either of them is used.
    pub(super) has_memory: bool,
}

/// All elements of one pass, in the order of visits.
#[derive(Debug)]
pub(super) struct Elements {
    pub(super) law: Law,
    /// Vertices, as many for each; the first one again where an element has fewer.
    pub(super) corners: Vec<u32>,
    /// Numbers, as many for each.
    pub(super) numbers: Vec<f32>,
}

/// How a pass moves its elements.
#[derive(Debug, Clone, Copy)]
pub(super) struct Manner<'a> {
    pub(super) rule: Rule,
    /// Inverse masses in units of the inverse of `mass`; 0 for vertices that do not move.
    pub(super) inverse_masses: &'a [f64],
    /// The mass that counts as 1 \[kg\]. f32 then reaches far enough for all products.
    pub(super) mass: f64,
}

/// What kernels have to know of an element, but its softness.
type NumbersOf<'a> = Box<dyn Fn(usize) -> Vec<f64> + 'a>;

/// A kind of elements, as the engine's own kernels tell them apart.
struct Form<'a> {
    visit: &'static str,
    texts: &'static [&'static str],
    /// Constants that differ from 0 and false.
    constants: Vec<(&'static str, String)>,
    multipliers: usize,
    kept: &'static [f32],
    is_one_sided: bool,
    numbers_of: NumbersOf<'a>,
}

impl<'a> Form<'a> {
    fn new(
        visit: &'static str,
        texts: &'static [&'static str],
        multipliers: usize,
        numbers_of: impl Fn(usize) -> Vec<f64> + 'a,
    ) -> Self {
        let (constants, numbers_of) = (Vec::new(), Box::new(numbers_of));
        Self { visit, texts, constants, multipliers, kept: &[], is_one_sided: false, numbers_of }
    }

    fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        self.constants.push((name, value.to_string()));
        self
    }

    /// Bounds of stretches, or of an area or a volume.
    fn within(self, [low, high]: [f64; 2], is_measure: bool) -> Self {
        self.with("LOW", literal(low)).with("HIGH", literal(high)).with("IS_MEASURE", is_measure)
    }
}

const SPRING: &[&str] = &[include_str!("laws/spring.wgsl")];
const DISTANCE: &[&str] = &[include_str!("laws/distance.wgsl")];
const FUNCTIONS: &[&str] = &[include_str!("laws/functions.wgsl")];
const BENDING: &[&str] = &[include_str!("laws/bending.wgsl")];
const TRIANGLE: &[&str] =
    &[crate::local::STRETCHES, include_str!("laws/strain.wgsl"), include_str!("laws/triangle.wgsl")];
const TET: &[&str] = &[crate::local::STRETCHES, include_str!("laws/strain.wgsl"), include_str!("laws/tet.wgsl")];

impl Elements {
    /// Number of elements.
    pub(super) fn len(&self) -> usize {
        self.corners.len() / self.law.corners
    }

    /// The elements of a pass; an error that names the body where there is no kernel.
    pub(super) fn new(model: &Model, visits: &Visits, manner: Manner<'_>) -> Result<Self, GpuError> {
        match visits.source {
            VisitSource::Energy(number) => {
                let entry = &model.energies()[number];
                let operator = entry.batch.operator();
                let refused = |feature: String| {
                    let body = entry.body.map(|body| &model.bodies()[body].name);
                    let what = body.map_or_else(|| "the world".to_owned(), |name| format!("body {name:?}"));
                    GpuError::Unsupported { what, feature, instead: super::world::ON_CPU }
                };
                if entry.damping.is_some() {
                    return Err(refused("damping in proportion to stiffness".to_owned()));
                }
                let form = energy_form(entry.batch.arrays(), operator, manner)
                    .ok_or_else(|| refused(format!("the energy {:?}", entry.batch.kind())))?;
                let softness = |e: usize| operator.weight(e).recip();
                Self::gather(visits, form, |e| operator.stencil(e), softness, manner).map_err(refused)
            }
            VisitSource::Constraints(number) => {
                let batch = &model.constraints()[number];
                let refused = |feature: String| {
                    let vertex = visits.elements.first().map_or(0, |&e| batch.stencil(e as usize)[0]);
                    let what = format!("body {:?}", model.locate(vertex as usize).0.name);
                    GpuError::Unsupported { what, feature, instead: super::world::ON_CPU }
                };
                if batch.is_damped() {
                    return Err(refused(format!("damping of the constraints {:?}", batch.kind())));
                }
                let (form, compliances) = constraint_form(batch.arrays())
                    .ok_or_else(|| refused(format!("the constraints {:?}", batch.kind())))?;
                Self::gather(visits, form, |e| batch.stencil(e), |e| compliances[e], manner).map_err(refused)
            }
        }
    }

    /// Fails with what elements have that kernels do not take.
    fn gather<'a>(
        visits: &Visits,
        form: Form<'_>,
        stencil: impl Fn(usize) -> &'a [u32],
        softness: impl Fn(usize) -> f64,
        manner: Manner<'_>,
    ) -> Result<Self, String> {
        let elements = || visits.elements.iter().map(|&e| e as usize);
        let corners = elements().map(|e| stencil(e).len()).max().unwrap_or(1);
        if corners > MOST_CORNERS {
            return Err(format!("elements with {corners} vertices, more than {MOST_CORNERS}"));
        }
        // Elements with fewer corners have numbers of 0 at the rest.
        let own = elements().map(|e| (form.numbers_of)(e).len()).max().unwrap_or(0);
        let factor = match manner.rule {
            Rule::Compliance { inertia } => Some(inertia * manner.mass),
            Rule::Share(_) => None,
        };
        let (mut all_corners, mut numbers) = (Vec::new(), Vec::new());
        for e in elements() {
            let vertices = stencil(e);
            all_corners.extend((0..corners).map(|k| vertices.get(k).copied().unwrap_or(vertices[0])));
            let first = numbers.len();
            numbers.extend((form.numbers_of)(e).into_iter().map(|number| number as f32));
            numbers.resize(first + own, 0.0);
            numbers.extend(factor.map(|factor| (softness(e) * factor) as f32));
        }
        let law = form.law(corners, own + usize::from(factor.is_some()), manner.rule);
        Ok(Self { law, corners: all_corners, numbers })
    }
}

impl Form<'_> {
    fn law(&self, corners: usize, numbers: usize, rule: Rule) -> Law {
        let mut text = String::new();
        let (is_compliant, share) = match rule {
            Rule::Compliance { .. } => (true, 1.0),
            Rule::Share(share) => (false, share),
        };
        text += &format!("const IS_COMPLIANT = {is_compliant};\nconst SHARE = {};\n", literal(share));
        for (name, otherwise) in [
            ("IS_LIMITED", "false"),
            ("IS_BOUNDED", "false"),
            ("IS_MEASURE", "false"),
            ("ROWS", "1u"),
            ("LOW", "1.0"),
            ("HIGH", "1.0"),
        ] {
            let own = self.constants.iter().find(|(own, _)| *own == name);
            text += &format!("const {name} = {};\n", own.map_or(otherwise, |(_, value)| value));
        }
        self.texts.iter().for_each(|part| text += part);
        text += &format!("\nfn visit() {{\n    {}();\n}}\n", self.visit);
        let (multipliers, kept) = (self.multipliers, self.kept);
        let has_memory = is_compliant || self.is_one_sided || !kept.is_empty();
        Law { text, corners, numbers, multipliers, kept, has_memory }
    }
}

fn energy_form<'a>(arrays: Arrays, operator: &'a Operator, manner: Manner<'a>) -> Option<Form<'a>> {
    let simplex = move |e: usize| simplex_numbers(operator, e, manner);
    let triangle = |bounds, is_area| {
        Some(Form::new("visit_triangle", TRIANGLE, 6, simplex).with("ROWS", "2u").within(bounds, is_area))
    };
    let tet = |bounds, is_volume| {
        let form = Form::new("visit_tet", TET, 9, simplex).with("ROWS", "3u").within(bounds, is_volume);
        Some(Form { kept: &[0.0, 0.0, 0.0, 1.0], ..form })
    };
    match arrays {
        Arrays::EdgeSpring(lengths) if lengths.iter().all(|[low, high]| low == high) => {
            Some(Form::new("visit_spring", SPRING, 3, move |e| vec![lengths[e][0]]))
        }
        Arrays::EdgeSpring(lengths) => {
            Some(Form::new("visit_spring", SPRING, 3, move |e| lengths[e].to_vec()).with("IS_LIMITED", true))
        }
        Arrays::TriangleStrain(bounds) => triangle(bounds, false),
        Arrays::TriangleArea(bounds) => triangle(bounds, true),
        Arrays::TetStrain(bounds) => tet(bounds, false),
        Arrays::TetVolume(bounds) => tet(bounds, true),
        Arrays::MeanCurvature(lengths) if lengths.iter().all(|length| *length == 0.0) => {
            Some(Form::new("visit_ring", BENDING, 3, |e| operator.coefficients(e).to_vec()))
        }
        Arrays::Quadratic if operator.rows() == 3 => {
            Some(Form::new("visit_quadratic", BENDING, 9, move |e| independent_rows(operator, e, manner)))
        }
        _ => None,
    }
}

/// A of all corners but the first, row by row; with a compliance also (A W Aᵀ + α/τ²)⁻¹, the columns of its upper half.
fn simplex_numbers(operator: &Operator, element: usize, manner: Manner<'_>) -> Vec<f64> {
    let (stencil, rows) = (operator.stencil(element), operator.rows());
    let row = |r: usize| &operator.coefficients(element)[r * stencil.len()..(r + 1) * stencil.len()];
    let mut numbers: Vec<f64> = (0..rows).flat_map(|r| row(r)[1..].iter().copied()).collect();
    if let Rule::Compliance { inertia } = manner.rule {
        let softness = inertia * manner.mass / operator.weight(element);
        let weights = stencil.iter().map(|&v| manner.inverse_masses[v as usize]);
        let entry =
            |i: usize, j: usize| row(i).iter().zip(row(j)).zip(weights.clone()).map(|((a, b), w)| a * b * w).sum();
        // A triangle has a third row that nothing asks for.
        let of = |i: usize, j: usize| if i.max(j) < rows { entry(i, j) } else { f64::from(u8::from(i == j)) };
        let matrix = Mat3::from_cols(
            Vec3::new(of(0, 0), of(1, 0), of(2, 0)),
            Vec3::new(of(0, 1), of(1, 1), of(2, 1)),
            Vec3::new(of(0, 2), of(1, 2), of(2, 2)),
        );
        let inverse = (matrix + Mat3::from_diagonal(Vec3::splat(softness))).inverse();
        numbers.extend((0..rows).flat_map(|j| (0..=j).map(move |i| inverse.col(j)[i])));
    }
    numbers
}

/// Coefficients of each corner in three rows that add up to the same energy, turned so that A W Aᵀ is diagonal, as the engine has them.
fn independent_rows(operator: &Operator, element: usize, manner: Manner<'_>) -> Vec<f64> {
    let (stencil, coefficients) = (operator.stencil(element), operator.coefficients(element));
    let n = stencil.len();
    let (mut gram, mut axes) = ([0.0; 9], [0.0; 9]);
    for (corner, &v) in stencil.iter().enumerate() {
        let weight = manner.inverse_masses[v as usize];
        for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
            gram[3 * i + j] += weight * coefficients[i * n + corner] * coefficients[j * n + corner];
        }
    }
    symmetric_eigen(&mut gram, &mut axes, 3);
    let turned = |corner: usize, k: usize| (0..3).map(|i| axes[3 * i + k] * coefficients[i * n + corner]).sum::<f64>();
    (0..n).flat_map(|corner| (0..3).map(move |k| (corner, k))).map(|(corner, k)| turned(corner, k)).collect()
}

/// The form of constraints, and their compliances.
fn constraint_form(arrays: ConstraintArrays<'_>) -> Option<(Form<'_>, &[f64])> {
    Some(match arrays {
        ConstraintArrays::Opaque => return None,
        ConstraintArrays::Distance { lengths, compliances } => {
            (Form::new("visit_distance", DISTANCE, 1, move |e| vec![lengths[e]]), compliances)
        }
        ConstraintArrays::BoundedDistance { lengths, allowed, compliances } => {
            let side = move |e: usize| match allowed[e] {
                Allowed::Exactly => 0.0,
                Allowed::AtLeast => 1.0,
                Allowed::AtMost => -1.0,
            };
            let form = Form::new("visit_distance", DISTANCE, 1, move |e| vec![lengths[e], side(e)]);
            (Form { is_one_sided: true, ..form.with("IS_BOUNDED", true) }, compliances)
        }
        ConstraintArrays::Isometric { weights, compliances } => {
            (Form::new("visit_isometric", FUNCTIONS, 1, move |e| weights[e][1..].to_vec()), compliances)
        }
        ConstraintArrays::Dihedral { angles, compliances } => {
            let numbers = move |e: usize| vec![angles[e].cos(), angles[e].sin()];
            (Form::new("visit_dihedral", FUNCTIONS, 1, numbers), compliances)
        }
        ConstraintArrays::TetVolume { volumes, compliances } => {
            (Form::new("visit_volume", FUNCTIONS, 1, move |e| vec![volumes[e]]), compliances)
        }
    })
}
