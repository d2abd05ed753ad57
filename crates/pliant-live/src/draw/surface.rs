//! Surfaces for drawing: which corners share a normal, and the normals.

use glam::Vec3;

/// Cosine of the angle above which an edge of a closed surface is sharp.
const CREASE: f32 = 0.5;

/// A surface whose vertices are doubled along sharp edges.
#[derive(Debug, Default)]
pub(crate) struct Surface {
    /// The vertex of the frame, of each vertex that is drawn.
    pub(crate) sources: Vec<u32>,
    /// Of vertices that are drawn.
    pub(crate) triangles: Vec<[u32; 3]>,
}

impl Surface {
    /// Sheets are smooth, as a fold that is sharp now is not sharp for ever; closed surfaces have the sharp edges that they have at these positions.
    pub(crate) fn new(positions: &[Vec3], triangles: &[[u32; 3]]) -> Self {
        let triangles: Vec<[u32; 3]> =
            triangles.iter().copied().filter(|t| t.iter().all(|&v| (v as usize) < positions.len())).collect();
        let edges = edges(&triangles);
        let is_closed = edges.chunk_by(|a, b| a.ends == b.ends).all(|around| around.len() == 2);
        let mut groups = Groups::new(3 * triangles.len());
        if is_closed {
            let normals: Vec<Vec3> = triangles.iter().map(|t| area(positions, t).normalize_or_zero()).collect();
            for pair in edges.chunk_by(|a, b| a.ends == b.ends) {
                let [a, b] = [&pair[0], &pair[1]];
                if normals[a.corners[0] as usize / 3].dot(normals[b.corners[0] as usize / 3]) >= CREASE {
                    groups.join(a.corners[0], b.corners[0]);
                    groups.join(a.corners[1], b.corners[1]);
                }
            }
        }
        let mut surface = Self::default();
        // What a corner is drawn as: one vertex for each group of corners, or for each vertex of a sheet.
        let mut numbers = vec![u32::MAX; if is_closed { 3 * triangles.len() } else { positions.len() }];
        for (index, triangle) in triangles.iter().enumerate() {
            let corner = |k: usize| {
                let key = if is_closed { groups.find((3 * index + k) as u32) } else { triangle[k] } as usize;
                if numbers[key] == u32::MAX {
                    numbers[key] = surface.sources.len() as u32;
                    surface.sources.push(triangle[k]);
                }
                numbers[key]
            };
            surface.triangles.push([0, 1, 2].map(corner));
        }
        surface
    }
}

fn area(positions: &[Vec3], triangle: &[u32; 3]) -> Vec3 {
    let [a, b, c] = triangle.map(|v| positions[v as usize]);
    (b - a).cross(c - a)
}

/// An edge of a triangle.
struct Edge {
    ends: [u32; 2],
    /// The triangle's corners at the ends.
    corners: [u32; 2],
}

/// All edges of all triangles, those between the same vertices next to each other.
fn edges(triangles: &[[u32; 3]]) -> Vec<Edge> {
    let mut edges = Vec::with_capacity(3 * triangles.len());
    for (index, t) in triangles.iter().enumerate() {
        for (i, j) in [(0, 1), (1, 2), (2, 0)] {
            let corners = [3 * index + i, 3 * index + j].map(|corner| corner as u32);
            let is_rising = t[i] < t[j];
            edges.push(Edge {
                ends: if is_rising { [t[i], t[j]] } else { [t[j], t[i]] },
                corners: if is_rising { corners } else { [corners[1], corners[0]] },
            });
        }
    }
    edges.sort_unstable_by_key(|edge| (edge.ends, edge.corners));
    edges
}

/// Disjoint sets of corners.
struct Groups(Vec<u32>);

impl Groups {
    fn new(count: usize) -> Self {
        Self((0..count as u32).collect())
    }

    fn find(&mut self, mut corner: u32) -> u32 {
        while self.0[corner as usize] != corner {
            let above = self.0[self.0[corner as usize] as usize];
            self.0[corner as usize] = above;
            corner = above;
        }
        corner
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}

/// Unit normals of vertices: those of the triangles around, weighted by their areas. Where there is none, up.
pub(crate) fn normals(positions: &[Vec3], triangles: &[[u32; 3]], normals: &mut Vec<Vec3>) {
    normals.clear();
    normals.resize(positions.len(), Vec3::ZERO);
    for triangle in triangles {
        let area = area(positions, triangle);
        if area.is_finite() {
            for &v in triangle {
                normals[v as usize] += area;
            }
        }
    }
    for normal in normals {
        *normal = normal.try_normalize().unwrap_or(Vec3::Y);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube() -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let corners = (0..8).map(|k| Vec3::new((k & 1) as f32, (k >> 1 & 1) as f32, (k >> 2) as f32)).collect();
        let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        (corners, sides.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect())
    }

    #[test]
    fn a_cube_has_sharp_edges_and_a_sheet_has_none() {
        let (positions, triangles) = cube();
        let surface = Surface::new(&positions, &triangles);
        assert_eq!(surface.sources.len(), 24);
        let drawn: Vec<Vec3> = surface.sources.iter().map(|&v| positions[v as usize]).collect();
        let mut found = Vec::new();
        normals(&drawn, &surface.triangles, &mut found);
        assert!(found.iter().all(|n| n.abs().max_element() > 0.999), "{found:?}");
        // Without its top it is a bag, and smooth.
        let bag: Vec<[u32; 3]> = triangles[..10].to_vec();
        assert_eq!(Surface::new(&positions, &bag).sources.len(), 8);
    }

    #[test]
    fn bad_triangles_do_no_harm() {
        let positions = [Vec3::ZERO, Vec3::X, Vec3::splat(f32::NAN)];
        let surface = Surface::new(&positions, &[[0, 1, 2], [0, 0, 1], [0, 1, 9]]);
        assert_eq!(surface.triangles.len(), 2);
        let mut found = Vec::new();
        normals(&positions, &[[0, 1, 2], [0, 0, 1]], &mut found);
        assert!(found.iter().all(|&normal| normal == Vec3::Y));
        assert!(Surface::new(&[], &[]).sources.is_empty());
    }
}
