//! Contacts in the iteration: their forces in the gradient, their stiffness by conjugate gradients on the unmodified factor.
//!
//! (H + K) δ = b = −∇g with K the stiffness of the contacts that press. K is a moderate multiple of the inertia in H, so that H⁻¹ is a
//! good preconditioner. It starts from δ = 0: the error falls in every linear iteration, so stopping early is always safe.
//! Contact forces have no sum; where b has none either, as from the predicted start, the linear momentum is exact however
//! early it stops. H p is had from the residuals (H z = r), so H itself is never applied.

use super::local::{Order, Point};
use crate::math::Vec3;
use crate::self_collision::{Contacts, Response};
use crate::sparse::dot;

/// The residual is brought below this fraction; the next iteration goes on from there.
const TOLERANCE: f64 = 0.1;
/// Most linear iterations in an iteration.
const MOST: usize = 20;

/// What contacts do at the current positions, and vectors to solve with.
#[derive(Debug, Default)]
pub(super) struct ContactWork {
    responses: Vec<Response>,
    /// Gradient at each free vertex, in order; that of other energies included \[N\].
    pub(super) gradient: Vec<Vec3>,
    pub(super) step: Vec<Vec3>,
    residual: Vec<Vec3>,
    direction: Vec<Vec3>,
    /// H p.
    applied: Vec<Vec3>,
    product: Vec<Vec3>,
    /// rᵀH⁻¹r of the last linear iteration and of the first.
    rho: f64,
    first_rho: f64,
}

impl ContactWork {
    /// Forces and energy \[J\] at the current positions, on top of another gradient (or none).
    pub(super) fn evaluate(&mut self, contacts: &Contacts, order: &Order, points: &[Point], other: &[Vec3]) -> f64 {
        let at = |v: u32| {
            let p = points[order.places[v as usize] as usize];
            Vec3::new(p[0], p[1], p[2])
        };
        self.responses.clear();
        self.responses.extend(contacts.list.iter().map(|contact| contact.respond(contact.offset(at))));
        self.gradient.clear();
        self.gradient.extend_from_slice(other);
        self.gradient.resize(order.free, Vec3::ZERO);
        for &(v, corner) in &contacts.corners {
            let (k, c) = (corner as usize / 4, corner as usize % 4);
            let place = order.places[v as usize] as usize;
            self.gradient[place] -= self.responses[k].force * contacts.list[k].weights[c];
        }
        self.responses.iter().map(|response| response.energy).sum()
    }

    /// `product` = K p.
    fn multiply(&mut self, contacts: &Contacts, order: &Order) {
        let Self { responses, direction, product, .. } = self;
        product.clear();
        product.resize(order.free, Vec3::ZERO);
        let at = |v: u32| direction.get(order.places[v as usize] as usize).copied().unwrap_or(Vec3::ZERO);
        for (contact, response) in contacts.list.iter().zip(responses) {
            if response.along == 0.0 {
                continue;
            }
            let force = contact.stiffness_times(response, contact.offset(at));
            for (&v, w) in contact.vertices.iter().zip(contact.weights) {
                if let Some(sum) = product.get_mut(order.places[v as usize] as usize) {
                    *sum += force * w;
                }
            }
        }
    }

    /// Whether a contact presses: else H⁻¹ b is the solution.
    pub(super) fn presses(&self) -> bool {
        self.responses.iter().any(|response| response.along > 0.0)
    }

    /// Makes room for b, to be put into what is returned.
    pub(super) fn begin(&mut self, order: &Order) -> &mut [Vec3] {
        for vector in [&mut self.step, &mut self.direction, &mut self.applied] {
            vector.clear();
            vector.resize(order.free, Vec3::ZERO);
        }
        (self.rho, self.first_rho) = (0.0, 0.0);
        self.residual.resize(order.free, Vec3::ZERO);
        &mut self.residual
    }

    pub(super) fn residual(&self) -> &[Vec3] {
        &self.residual
    }

    /// Takes z = H⁻¹ r; whether to go on, then with the new residual.
    pub(super) fn advance(&mut self, contacts: &Contacts, order: &Order, iteration: usize, z: &[Vec3]) -> bool {
        let rho = dot(&self.residual, z);
        if iteration == 0 {
            self.first_rho = rho;
        }
        if !rho.is_finite() || rho <= TOLERANCE * TOLERANCE * self.first_rho {
            return false;
        }
        let beta = if iteration == 0 { 0.0 } else { rho / self.rho };
        self.rho = rho;
        for (p, z) in self.direction.iter_mut().zip(z) {
            *p = *z + *p * beta;
        }
        for (hp, r) in self.applied.iter_mut().zip(&self.residual) {
            *hp = *r + *hp * beta;
        }
        self.multiply(contacts, order);
        self.product.iter_mut().zip(&self.applied).for_each(|(sum, hp)| *sum += *hp);
        let alpha = rho / dot(&self.direction, &self.product);
        if !alpha.is_finite() {
            return false;
        }
        self.step.iter_mut().zip(&self.direction).for_each(|(x, p)| *x += *p * alpha);
        self.residual.iter_mut().zip(&self.product).for_each(|(r, ap)| *r -= *ap * alpha);
        iteration + 1 < MOST
    }
}
