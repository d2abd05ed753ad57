//! Paths over a mesh along which regions are few runs [Diziol 2011; Bender 2014, §4.3.3].

use std::collections::VecDeque;

use super::regions::{RegionError, Regions, neighbours_of, ring_around};
use super::runs::{LONGEST, Runs};
use crate::math::Vec3;
use crate::mesh::Csr;

impl Regions {
    /// Like [`rings`](Self::rings), but summed along paths over the mesh: the time of a step grows with the width, not
    /// with its square. Strain is limited for the mean over a particle's regions, as on lattices.
    ///
    /// ```
    /// use pliant::mesh::generate::Sheet;
    /// use pliant::Regions;
    /// let mesh = Sheet { columns: 20, rows: 20, ..Sheet::default() }.mesh()?;
    /// let fast = Regions::rings_along_paths(&mesh.positions, &mesh.edges(), 3)?;
    /// assert_eq!(fast.lists(), Regions::rings(mesh.positions.len(), &mesh.edges(), 3)?.lists());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn rings_along_paths(points: &[Vec3], edges: &[[u32; 2]], width: usize) -> Result<Self, RegionError> {
        super::clusters::check_points(points)?;
        let neighbours = neighbours_of(points.len(), edges)?;
        let paths = lay_paths(points, &neighbours);
        let mut seen_by = vec![u32::MAX; points.len()];
        let region = |centre| ring_around(centre, &neighbours, width, &mut seen_by);
        Ok(Self::of_runs(Runs::new(points, &paths, region)))
    }
}

/// Lays all particles into paths of neighbours that lie side by side.
///
/// A path goes on to the neighbour that has most particles on paths already beside it, so that no gaps are left, and among those to the
/// one that is nearest to a plane through the path's first particle, so that paths are parallel. The next path begins beside the oldest
/// one that has room at its side.
fn lay_paths(points: &[Vec3], neighbours: &Csr) -> Vec<Vec<u32>> {
    let low = points.iter().fold(Vec3::INFINITY, |low, p| low.min(*p));
    let extent = points.iter().fold(Vec3::NEG_INFINITY, |high, p| high.max(*p)) - low;
    let across = extent.max_position();
    let mut laid_beside = vec![0u32; points.len()];
    let mut is_laid = vec![false; points.len()];
    let mut beside: VecDeque<u32> = VecDeque::new();
    let mut paths = Vec::new();
    let mut first_unlaid = 0;
    loop {
        while beside.front().is_some_and(|&v| is_laid[v as usize]) {
            beside.pop_front();
        }
        while first_unlaid < points.len() && is_laid[first_unlaid] {
            first_unlaid += 1;
        }
        let Some(start) = beside.pop_front().or((first_unlaid < points.len()).then_some(first_unlaid as u32)) else {
            return paths;
        };
        let plane = points[start as usize][across];
        let (mut path, mut next) = (Vec::new(), Some(start));
        while let Some(v) = next.filter(|_| path.len() < LONGEST) {
            path.push(v);
            is_laid[v as usize] = true;
            neighbours.row(v as usize).iter().for_each(|&n| laid_beside[n as usize] += 1);
            let unlaid = neighbours.row(v as usize).iter().copied().filter(|&n| !is_laid[n as usize]);
            next = unlaid.min_by(|&a, &b| {
                let off = |v: u32| (points[v as usize][across] - plane).abs();
                laid_beside[b as usize].cmp(&laid_beside[a as usize]).then(off(a).total_cmp(&off(b))).then(a.cmp(&b))
            });
        }
        for &v in &path {
            beside.extend(neighbours.row(v as usize).iter().filter(|&&n| !is_laid[n as usize]));
        }
        paths.push(path);
    }
}
