//! Generalised winding numbers: how often a surface goes round a point [Jacobson 2013], summed over a tree [Barill 2018].
//!
//! w(p) = Σ Ω_t(p)/4π over the signed solid angles Ω_t of the triangles seen from p. A closed surface gives integers; a hole
//! blurs them smoothly, so that w > ½ still tells inside from outside. Triangles far away act as one dipole,
//!
//!   w ≈ n·(c − p)/(4π |c − p|³) + second order,    n = Σ area normals,  c = area centroid,
//!
//! with the second-order term of the Taylor series about c [Barill 2018, eq. 14].

use std::f64::consts::PI;

use crate::math::functions::atan2;
use crate::math::{Mat3, Vec3, outer};
use crate::mesh::bvh::Bvh;
use crate::mesh::{triangle_area, triangle_area_vector};

/// A group of triangles seen from farther than this many of its radii counts as one dipole. All together err by less than
/// 0.03, which could mislead only where holes leave the number that close to ½.
const FAR: f64 = 2.3;

/// What a group of triangles looks like from afar.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dipole {
    centre: Vec3,
    area: f64,
    /// Σ area normals \[m²\].
    moment: Vec3,
    /// Σ (own centre − centre) ⊗ area normal \[m³\].
    second: Mat3,
    /// Radius about the centre within which all corners lie \[m\].
    radius: f64,
}

/// One dipole for each node of the tree.
pub(super) fn dipoles(tree: &Bvh, triangles: &[[Vec3; 3]]) -> Vec<Dipole> {
    let nothing = Dipole { centre: Vec3::ZERO, area: 0.0, moment: Vec3::ZERO, second: Mat3::ZERO, radius: 0.0 };
    let mut dipoles = vec![nothing; tree.nodes.len()];
    // Children come after their parents.
    for own in (0..tree.nodes.len()).rev() {
        let node = &tree.nodes[own];
        let parts: Vec<Dipole> = match node.children(own) {
            Some(children) => children.map(|child| dipoles[child]).to_vec(),
            None => tree.items[node.items.start as usize..node.items.end as usize]
                .iter()
                .map(|&item| {
                    let [a, b, c] = triangles[item as usize];
                    let (area, moment) = (triangle_area([a, b, c]), triangle_area_vector([a, b, c]));
                    Dipole { centre: (a + b + c) / 3.0, area, moment, ..nothing }
                })
                .collect(),
        };
        let area: f64 = parts.iter().map(|part| part.area).sum();
        let mut sum = Dipole { area, centre: node.bounds.centre(), ..nothing };
        if area > 0.0 {
            sum.centre = parts.iter().map(|part| part.centre * part.area).sum::<Vec3>() / area;
        }
        for part in &parts {
            sum.moment += part.moment;
            sum.second += part.second + outer(part.centre - sum.centre, part.moment);
        }
        let reach = (node.bounds.max - sum.centre).max(sum.centre - node.bounds.min);
        sum.radius = reach.length();
        dipoles[own] = sum;
    }
    dipoles
}

/// The signed solid angle of a triangle seen from `p`, positive from behind [Van Oosterom & Strackee 1983].
fn solid_angle(p: Vec3, triangle: [Vec3; 3]) -> f64 {
    let [a, b, c] = triangle.map(|corner| corner - p);
    let (la, lb, lc) = (a.length(), b.length(), c.length());
    let volume = a.dot(b.cross(c));
    let below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    // Within the plane of the triangle the view jumps from −2π to 2π; its mean is zero.
    if volume == 0.0 { 0.0 } else { 2.0 * atan2(volume, below) }
}

/// How often the surface goes round `p`.
pub(super) fn winding(tree: &Bvh, dipoles: &[Dipole], triangles: &[[Vec3; 3]], p: Vec3) -> f64 {
    let mut sum = 0.0;
    let mut waiting = [0u32; 64];
    let mut count = 1;
    while count > 0 {
        count -= 1;
        let own = waiting[count] as usize;
        let dipole = &dipoles[own];
        let towards = dipole.centre - p;
        let squared = towards.length_squared();
        if squared > (FAR * dipole.radius).powi(2) {
            let inverse_cubed = 1.0 / (squared * squared.sqrt());
            let trace = dipole.second.x_axis.x + dipole.second.y_axis.y + dipole.second.z_axis.z;
            let along = towards.dot(dipole.second * towards);
            sum += inverse_cubed * (dipole.moment.dot(towards) + trace - 3.0 * along / squared);
            continue;
        }
        let node = &tree.nodes[own];
        if let Some([first, second]) = node.children(own) {
            waiting[count] = second as u32;
            waiting[count + 1] = first as u32;
            count += 2;
        } else {
            let items = &tree.items[node.items.start as usize..node.items.end as usize];
            sum += items.iter().map(|&item| solid_angle(p, triangles[item as usize])).sum::<f64>();
        }
    }
    sum / (4.0 * PI)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate::{Icosphere, Torus};
    use crate::mesh::{Bounds, MeshError, TriangleMesh};

    fn tree_of(mesh: &TriangleMesh) -> (Bvh, Vec<Dipole>, Vec<[Vec3; 3]>) {
        let triangles: Vec<[Vec3; 3]> = (0..mesh.triangles.len()).map(|t| mesh.corners(t)).collect();
        let boxes: Vec<Bounds> = triangles.iter().filter_map(|corners| Bounds::around(corners)).collect();
        let tree = Bvh::new(&boxes);
        let dipoles = dipoles(&tree, &triangles);
        (tree, dipoles, triangles)
    }

    #[test]
    fn an_octant_fills_an_eighth_of_the_view() {
        let octant = solid_angle(Vec3::ZERO, [Vec3::X, Vec3::Y, Vec3::Z]);
        assert!((octant - 0.5 * PI).abs() < 1e-14, "{octant}");
        assert!((solid_angle(Vec3::ZERO, [Vec3::X, Vec3::Z, Vec3::Y]) + 0.5 * PI).abs() < 1e-14);
    }

    #[test]
    fn dipoles_sum_to_what_all_triangles_sum_to_within_three_percent() -> Result<(), MeshError> {
        let mut mesh = Torus::default().mesh()?;
        mesh.append(&Icosphere { radius: 0.4, subdivisions: 3 }.mesh()?)?;
        // A hole, so that not all is integer.
        mesh.triangles.truncate(mesh.triangles.len() * 9 / 10);
        let (tree, dipoles, triangles) = tree_of(&mesh);
        for i in 1..2000 {
            let p = (Vec3::new(0.8191725, 0.6710436, 0.5497005) * i as f64).fract() * 4.0 - 2.0;
            let exact = triangles.iter().map(|&t| solid_angle(p, t)).sum::<f64>() / (4.0 * PI);
            let fast = winding(&tree, &dipoles, &triangles, p);
            assert!((fast - exact).abs() < 0.03, "at {p}: {fast}, exactly {exact}");
        }
        Ok(())
    }
}
