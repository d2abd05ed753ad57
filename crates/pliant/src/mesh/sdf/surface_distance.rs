//! The signed distance to a surface of triangles, however bad the surface.

use super::SignedDistance;
use super::winding::{Dipole, dipoles, winding};
use crate::math::Vec3;
use crate::mesh::bvh::{Bvh, nearest_on_triangle};
use crate::mesh::{Bounds, MeshError, TriangleMesh, tet_volume};

/// Where the surface is judged: this many points spread through its box.
const SAMPLES: usize = 2048;

/// A winding number farther than this from an integer does not say clearly what is inside.
const UNCLEAR: f64 = 0.1;

/// How well a surface bounds a solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceReport {
    /// Edges along which triangles do not cancel: rims of holes, and neighbours of opposite winding. Corners at the
    /// same place count as one vertex. Zero for a closed surface.
    pub open_edges: usize,
    /// Share of the box in which the winding number is more than 0.1 from an integer: 0 for a closed surface.
    pub unclear: f64,
    /// Share of the box that the surface encloses more than once: overlapping pieces.
    pub overlapping: f64,
    /// Whether the triangles faced inwards and were flipped.
    pub flipped: bool,
    /// Connected pieces.
    pub pieces: usize,
}

/// The signed distance to a surface: it handles holes, self-intersections, overlapping pieces and inward normals,
/// because inside is where the winding number exceeds ½.
///
/// ```
/// use pliant::math::Vec3;
/// use pliant::mesh::generate::Icosphere;
/// use pliant::mesh::sdf::{SignedDistance, SurfaceDistance};
///
/// let sphere = Icosphere { radius: 1.0, subdivisions: 4 }.mesh()?;
/// let solid = SurfaceDistance::new(&sphere)?;
/// assert!((solid.distance(Vec3::ZERO) + 1.0).abs() < 0.01);
/// assert!((solid.distance(Vec3::new(0.0, 3.0, 0.0)) - 2.0).abs() < 0.01);
/// assert_eq!(solid.report().open_edges, 0);
/// # Ok::<(), pliant::mesh::MeshError>(())
/// ```
#[derive(Clone, Debug)]
pub struct SurfaceDistance {
    triangles: Vec<[Vec3; 3]>,
    tree: Bvh,
    dipoles: Vec<Dipole>,
    bounds: Bounds,
    report: SurfaceReport,
}

impl SurfaceDistance {
    /// Prepares a surface for queries. It returns the errors of [`TriangleMesh::check`].
    pub fn new(mesh: &TriangleMesh) -> Result<Self, MeshError> {
        mesh.check()?;
        let mut triangles: Vec<[Vec3; 3]> = (0..mesh.triangles.len()).map(|t| mesh.corners(t)).collect();
        let corners: Vec<Vec3> = triangles.iter().flatten().copied().collect();
        let bounds = Bounds::around(&corners).ok_or(MeshError::Empty { what: "triangles" })?;
        let middle = bounds.centre();
        let flipped = triangles.iter().map(|&[a, b, c]| tet_volume([middle, a, b, c])).sum::<f64>() < 0.0;
        if flipped {
            triangles.iter_mut().for_each(|corners| corners.swap(1, 2));
        }
        let boxes: Vec<Bounds> = triangles.iter().filter_map(|corners| Bounds::around(corners)).collect();
        let tree = Bvh::new(&boxes);
        let dipoles = dipoles(&tree, &triangles);
        let report = SurfaceReport { open_edges: 0, unclear: 0.0, overlapping: 0.0, flipped, pieces: 0 };
        let mut solid = Self { triangles, tree, dipoles, bounds, report };
        solid.judge(mesh);
        Ok(solid)
    }

    /// How open, overlapping and scattered the surface is.
    pub fn report(&self) -> &SurfaceReport {
        &self.report
    }

    /// How many times the surface encloses `p`, within 0.03: an integer if the surface is closed.
    pub fn winding(&self, p: Vec3) -> f64 {
        winding(&self.tree, &self.dipoles, &self.triangles, p)
    }

    /// The point of the surface nearest to `p` \[m\].
    pub fn nearest_point(&self, p: Vec3) -> Vec3 {
        let nearest_on = |item: u32| nearest_on_triangle(p, self.triangles[item as usize]);
        let found = self.tree.nearest(p, |item| nearest_on(item).distance_squared(p));
        nearest_on(found.item)
    }

    fn judge(&mut self, mesh: &TriangleMesh) {
        let welded = welded(mesh);
        self.report.open_edges = open_edges(&welded);
        self.report.pieces = welded.components().labels_in_use(&welded);
        // The additive recurrence of the generalised golden ratio fills the box evenly.
        let windings = (1..=SAMPLES).map(|i| {
            let place = (Vec3::new(0.8191725133961645, 0.6710436067037893, 0.5497004779019703) * i as f64).fract();
            self.winding(self.bounds.min + place * self.bounds.size())
        });
        let (mut unclear, mut overlapping) = (0, 0);
        for winding in windings {
            unclear += usize::from((winding - winding.round()).abs() > UNCLEAR);
            overlapping += usize::from(winding > 1.5);
        }
        self.report.unclear = unclear as f64 / SAMPLES as f64;
        self.report.overlapping = overlapping as f64 / SAMPLES as f64;
    }
}

impl SignedDistance for SurfaceDistance {
    fn distance(&self, p: Vec3) -> f64 {
        let distance = self.nearest_point(p).distance(p);
        // Beyond its box nothing of the solid is left, whatever the winding number of many open layers says.
        let outside = p.cmplt(self.bounds.min).any() || p.cmpgt(self.bounds.max).any();
        let winding = if outside { 0.0 } else { self.winding(p) };
        if distance > 0.0 {
            return if winding > 0.5 { -distance } else { distance };
        }
        // On the outer surface half the view is filled. Walls within overlapping pieces, and sheets without a solid behind
        // them, are no surface of the solid: zero there would be a false boundary.
        match winding {
            w if w > 0.9 => -f64::MIN_POSITIVE,
            w if w < 0.1 => f64::MIN_POSITIVE,
            _ => 0.0,
        }
    }

    fn bounds(&self) -> Bounds {
        self.bounds
    }

    fn clearance(&self, p: Vec3) -> f64 {
        // The winding number passes ½ within holes too, away from all triangles.
        if self.report.open_edges == 0 { self.nearest_point(p).distance(p) } else { 0.0 }
    }

    fn nearest(&self, p: Vec3, _step: f64) -> Vec3 {
        self.nearest_point(p)
    }
}

/// The same surface with one vertex for all corners at one place: files often repeat them along seams.
fn welded(mesh: &TriangleMesh) -> TriangleMesh {
    // Adding zero turns −0 into 0.
    let key = |vertex: u32| mesh.positions[vertex as usize].to_array().map(|x| (x + 0.0).to_bits());
    let mut order: Vec<u32> = (0..mesh.positions.len() as u32).collect();
    order.sort_unstable_by_key(|&vertex| (key(vertex), vertex));
    let mut first = vec![0; order.len()];
    for same in order.chunk_by(|&a, &b| key(a) == key(b)) {
        same.iter().for_each(|&vertex| first[vertex as usize] = same[0]);
    }
    let triangles = mesh.triangles.iter().map(|corners| corners.map(|vertex| first[vertex as usize]));
    TriangleMesh { positions: mesh.positions.clone(), triangles: triangles.collect() }
}

/// Edges that are not run through as often one way as the other.
fn open_edges(mesh: &TriangleMesh) -> usize {
    let mut sides: Vec<([u32; 2], i32)> = Vec::with_capacity(3 * mesh.triangles.len());
    for &[a, b, c] in &mesh.triangles {
        for [start, end] in [[a, b], [b, c], [c, a]] {
            if start != end {
                sides.push(([start.min(end), start.max(end)], if start < end { 1 } else { -1 }));
            }
        }
    }
    sides.sort_unstable();
    let edges = sides.chunk_by(|a, b| a.0 == b.0);
    edges.filter(|sides| sides.iter().map(|side| side.1).sum::<i32>() != 0).count()
}

impl crate::mesh::Components {
    /// Pieces that have a triangle.
    fn labels_in_use(&self, mesh: &TriangleMesh) -> usize {
        let mut used = vec![false; self.count];
        mesh.triangles.iter().for_each(|corners| used[self.labels[corners[0] as usize] as usize] = true);
        used.iter().filter(|&&used| used).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Placed;
    use crate::mesh::generate::{Icosphere, TetBox};

    fn box_surface(size: Vec3) -> Result<TriangleMesh, MeshError> {
        Ok(TetBox { size, cells: [3, 3, 3], ..TetBox::default() }.mesh()?.surface()?.mesh)
    }

    #[test]
    fn the_distance_to_a_box_of_triangles_is_that_of_the_box() -> Result<(), MeshError> {
        let size = Vec3::new(1.0, 2.0, 3.0);
        let solid = SurfaceDistance::new(&box_surface(size)?)?;
        let exact = super::super::Block { centre: Vec3::ZERO, size };
        for i in 1..1000 {
            let p = (Vec3::new(0.8191725, 0.6710436, 0.5497005) * i as f64).fract() * 5.0 - 2.5;
            let (found, expected) = (solid.distance(p), exact.distance(p));
            assert!((found - expected).abs() < 1e-12, "at {p}: {found}, expected {expected}");
        }
        let clean = SurfaceReport { open_edges: 0, unclear: 0.0, overlapping: 0.0, flipped: false, pieces: 1 };
        assert_eq!(*solid.report(), clean);
        Ok(())
    }

    #[test]
    fn inward_normals_are_noticed_and_survived() -> Result<(), MeshError> {
        let mut mesh = box_surface(Vec3::ONE)?;
        mesh.flip();
        let solid = SurfaceDistance::new(&mesh)?;
        assert!(solid.report().flipped);
        assert!((solid.distance(Vec3::ZERO) + 0.5).abs() < 1e-12);
        Ok(())
    }

    #[test]
    fn a_hole_is_reported_and_the_rest_stays_inside() -> Result<(), MeshError> {
        let mut mesh = Icosphere { radius: 1.0, subdivisions: 4 }.mesh()?;
        mesh.triangles = (0..mesh.triangles.len())
            .filter(|&t| mesh.corners(t).iter().any(|p| p.y < 0.8))
            .map(|t| mesh.triangles[t])
            .collect();
        let solid = SurfaceDistance::new(&mesh)?;
        let report = solid.report();
        assert!(report.open_edges > 20 && report.unclear > 0.02 && report.unclear < 0.5, "{report:?}");
        assert!(solid.distance(Vec3::ZERO) < 0.0);
        assert!(solid.distance(Vec3::Y * 0.5) < 0.0);
        assert!(solid.distance(Vec3::Y * 1.2) > 0.0);
        Ok(())
    }

    #[test]
    fn walls_inside_overlapping_pieces_are_no_boundary() -> Result<(), MeshError> {
        let mut mesh = box_surface(Vec3::ONE)?;
        mesh.append(&box_surface(Vec3::ONE)?.translated(Vec3::X * 0.5))?;
        let solid = SurfaceDistance::new(&mesh)?;
        // On a face of the second box, in the middle of the first.
        assert!(solid.distance(Vec3::new(0.0, 0.1, 0.2)) < 0.0);
        assert!(solid.distance(Vec3::new(-0.5, 0.1, 0.2)).abs() < 1e-15);
        assert_eq!(solid.report().pieces, 2);
        assert!((solid.report().overlapping - 1.0 / 3.0).abs() < 0.01);
        Ok(())
    }

    #[test]
    fn corners_repeated_along_seams_leave_a_surface_closed() -> Result<(), MeshError> {
        let mesh = box_surface(Vec3::ONE)?;
        let positions = mesh.triangles.iter().flatten().map(|&v| mesh.positions[v as usize]).collect();
        let soup = TriangleMesh::new(
            positions,
            (0..mesh.triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect(),
        )?;
        let report = *SurfaceDistance::new(&soup)?.report();
        assert_eq!((report.open_edges, report.pieces), (0, 1));
        Ok(())
    }
}
