//! How long a time step elements allow.
//!
//! The highest frequency of a world is at most that of its worst element alone, with a share of its vertices' masses
//! [Irons & Treharne 1971]. Any shares work that add up to one. If shares follow the weights, which for elements of one
//! material are volumes, slivers have almost no mass and seem far worse than they are; if they follow the stiffness,
//! all elements around a sliver have almost none. The mean of both is within √2 of the better one. An element w/2‖A x −
//! p‖² has at most the stiffness w AᵀA, so ω² = w λ for the largest eigenvalue λ of M⁻½ AᵀA M⁻½, and it allows h < 2/ω.

use crate::energy::Operator;
use crate::math::symmetric_eigen;
use crate::world::model::Model;

/// Batch and number of the elements that allow no step as long as h \[s\], in order. Goals of single vertices have no shape to be matched to, and are
/// never among them.
pub(super) fn unstable_elements(model: &Model, h: f64) -> Vec<(usize, usize)> {
    let all = squared_frequencies(model).into_iter();
    let unstable = all.filter(|&(batch, element, squared)| {
        let has_shape = model.energies()[batch].batch.operator().stencil(element).len() > 1;
        has_shape && squared * h * h >= 4.0
    });
    unstable.map(|(batch, element, _)| (batch, element)).collect()
}

/// The longest time step at which explicit integration of a world is guaranteed to be stable \[s\]; infinite if nothing
/// is elastic.
///
/// ```
/// use pliant::prelude::*;
/// use pliant::solve::stable_time_step;
/// let solid = TetBox { size: Vec3::ONE, cells: [2, 2, 2], ..TetBox::default() }.mesh()?;
/// let soft = SolidMaterial { youngs_modulus: 1e4, ..SolidMaterial::default() };
/// let stiff = SolidMaterial { youngs_modulus: 1e6, ..SolidMaterial::default() };
/// let longest = |material: &SolidMaterial| -> Result<f64, Box<dyn std::error::Error>> {
///     let sim = Simulation::builder().body(Body::solid(&solid, material)?).build()?;
///     Ok(stable_time_step(sim.model()))
/// };
/// assert!((longest(&soft)? / longest(&stiff)? - 10.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn stable_time_step(model: &Model) -> f64 {
    let most = squared_frequencies(model).into_iter().fold(0.0_f64, |most, (_, _, squared)| most.max(squared));
    2.0 / most.sqrt()
}

/// Batch, number and ω² of each element \[1/s²\].
fn squared_frequencies(model: &Model) -> Vec<(usize, usize, f64)> {
    let elastic = || model.energies().iter().enumerate().filter(|(_, entry)| entry.damping.is_none());
    // Of each vertex the weights, and the stiffnesses, of all its elements.
    let mut sums = vec![[0.0; 2]; model.rest().len()];
    for (_, entry) in elastic() {
        let operator = entry.batch.operator();
        for element in 0..operator.weights().len() {
            for (corner, &v) in operator.stencil(element).iter().enumerate() {
                let own = [operator.weight(element), stiffness(operator, element, corner)];
                (0..2).for_each(|k| sums[v as usize][k] += own[k]);
            }
        }
    }
    let mut all = Vec::new();
    for (batch, entry) in elastic() {
        let operator = entry.batch.operator();
        for element in 0..operator.weights().len() {
            let (stencil, a, weight) =
                (operator.stencil(element), operator.coefficients(element), operator.weight(element));
            let n = stencil.len();
            // The weight over the mass that a corner has in the element; 0 where it is held.
            let mobility = |corner: usize| {
                let v = stencil[corner] as usize;
                let own = [weight, stiffness(operator, element, corner)];
                let share: f64 = (0..2).filter(|&k| own[k] > 0.0).map(|k| 0.5 * own[k] / sums[v][k]).sum();
                let is_free = model.free_index(stencil[corner]).is_some() && share > 0.0;
                if is_free { weight / (share * model.mass().lumped()[v]) } else { 0.0 }
            };
            let mobility: Vec<f64> = (0..n).map(mobility).collect();
            let mut matrix = vec![0.0; n * n];
            for i in 0..n {
                for j in 0..n {
                    let product: f64 = (0..operator.rows()).map(|r| a[r * n + i] * a[r * n + j]).sum();
                    matrix[i * n + j] = product * (mobility[i] * mobility[j]).sqrt();
                }
            }
            symmetric_eigen(&mut matrix, &mut vec![0.0; n * n], n);
            let squared = (0..n).fold(0.0_f64, |most, i| most.max(matrix[i * n + i]));
            all.push((batch, element, squared));
        }
    }
    all
}

/// How stiff an element is against the movement of one corner alone \[N/m\].
fn stiffness(operator: &Operator, element: usize, corner: usize) -> f64 {
    let (a, n) = (operator.coefficients(element), operator.stencil(element).len());
    operator.weight(element) * (0..operator.rows()).map(|r| a[r * n + corner].powi(2)).sum::<f64>()
}
