//! Buffers that are reused from step to step, so that a step does not allocate memory.

use crate::math::Vec3;

/// Lets go of memory that a vector will hardly need again, if so many values are wanted of it.
pub(crate) fn fit<T>(vector: &mut Vec<T>, len: usize) {
    if vector.capacity() > 4 * len {
        vector.truncate(len);
        vector.shrink_to(len);
    }
}

/// Vectors to be had again.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    vectors: Vec<Vec<Vec3>>,
    /// Factors of energies, in the hands of the current problem.
    pub(crate) scales: Vec<f64>,
    /// Goals of energies, in the hands of the current problem.
    pub(crate) goals: Vec<Vec<Vec3>>,
}

impl Scratch {
    /// A vector of these values.
    pub(crate) fn collect(&mut self, values: impl Iterator<Item = Vec3>) -> Vec<Vec3> {
        let mut vector = self.vector(values.size_hint().0);
        vector.extend(values);
        vector
    }

    /// A vector with the values of another.
    pub(crate) fn copy(&mut self, values: &[Vec3]) -> Vec<Vec3> {
        let mut vector = self.vector(values.len());
        vector.extend_from_slice(values);
        vector
    }

    /// An empty vector with room for so many values, and for the bodies that may come.
    fn vector(&mut self, len: usize) -> Vec<Vec3> {
        let mut vector = self.vectors.pop().unwrap_or_default();
        vector.clear();
        fit(&mut vector, len);
        if vector.capacity() < len {
            vector.reserve_exact(len + len / 4);
        }
        vector
    }

    /// Takes vectors back.
    pub(crate) fn give(&mut self, vectors: impl IntoIterator<Item = Vec<Vec3>>) {
        self.vectors.extend(vectors);
    }
}
