//! Which axis points up, in files that are read, stored and written.

use pliant::math::Vec3;

/// The axis that points up. The engine's own is y.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum UpAxis {
    /// x up: (x, y, z) of a file is (−y, x, z) of the engine.
    X,
    /// y up, as in the engine's defaults, glTF, Maya and Houdini: nothing changes.
    #[default]
    Y,
    /// z up, as in Blender, CAD and most robotics: (x, y, z) of a file is (x, z, −y) of the engine.
    Z,
}

impl UpAxis {
    /// A vector of a file with this axis up, in the axes of the engine.
    pub(crate) fn to_engine(self, v: Vec3) -> Vec3 {
        match self {
            Self::X => Vec3::new(-v.y, v.x, v.z),
            Self::Y => v,
            Self::Z => Vec3::new(v.x, v.z, -v.y),
        }
    }

    /// A vector in the axes of the engine, in a file with this axis up.
    pub(crate) fn to_file(self, v: Vec3) -> Vec3 {
        match self {
            Self::X => Vec3::new(v.y, -v.x, v.z),
            Self::Y => v,
            Self::Z => Vec3::new(v.x, -v.z, v.y),
        }
    }

    /// Its letter.
    pub(crate) fn letter(self) -> &'static str {
        match self {
            Self::X => "X",
            Self::Y => "Y",
            Self::Z => "Z",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_axis_goes_up_and_vectors_come_back() {
        for (axis, up) in [(UpAxis::X, Vec3::X), (UpAxis::Y, Vec3::Y), (UpAxis::Z, Vec3::Z)] {
            assert_eq!(axis.to_engine(up), Vec3::Y);
            let v = Vec3::new(1.0, 2.0, 3.0);
            assert_eq!(axis.to_file(axis.to_engine(v)), v);
            // A turn, not a reflection.
            let [x, y, z] = [Vec3::X, Vec3::Y, Vec3::Z].map(|v| axis.to_engine(v));
            assert_eq!(x.cross(y), z);
        }
    }
}
