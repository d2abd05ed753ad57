//! Positions as kernels read them.

use crate::math::Vec3;

/// Positions with inverse masses: all vertices, then images of pinned ones.
#[derive(Debug, Default)]
pub(in super::super) struct Points {
    pub(super) points: Vec<[f64; 4]>,
    vertices: usize,
    /// Vertex of each image.
    images: Vec<u32>,
    newest: Newest,
}

/// Which positions are up to date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Newest {
    /// The solver's.
    #[default]
    Solver,
    /// These.
    Points,
    Both,
}

impl Points {
    pub(in super::super) fn new(inverse_masses: &[f64]) -> Self {
        let points = inverse_masses.iter().map(|&w| [0.0, 0.0, 0.0, w]).collect();
        Self { points, vertices: inverse_masses.len(), images: Vec::new(), newest: Newest::Solver }
    }

    /// Place of a new image of a vertex.
    pub(super) fn image(&mut self, vertex: u32) -> u32 {
        self.images.push(vertex);
        self.points.push([0.0; 4]);
        (self.points.len() - 1) as u32
    }

    /// Takes positions over, if they are newer there, to move them.
    pub(super) fn load(&mut self, x: &[Vec3]) {
        if std::mem::replace(&mut self.newest, Newest::Points) != Newest::Solver {
            return;
        }
        let (vertices, images) = self.points.split_at_mut(self.vertices);
        vertices.iter_mut().zip(x).for_each(|(point, x)| *point = [x.x, x.y, x.z, point[3]]);
        for (point, &v) in images.iter_mut().zip(&self.images) {
            let x = x[v as usize];
            *point = [x.x, x.y, x.z, 0.0];
        }
    }

    /// Gives positions back, if they are newer here.
    pub(in super::super) fn store(&mut self, x: &mut [Vec3]) {
        if self.newest == Newest::Points {
            x.iter_mut().zip(&self.points).for_each(|(x, point)| *x = Vec3::new(point[0], point[1], point[2]));
            self.newest = Newest::Both;
        }
    }

    /// The solver's positions were moved.
    pub(in super::super) fn others_moved(&mut self) {
        self.newest = Newest::Solver;
    }
}
