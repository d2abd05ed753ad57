//! A stored frame as a scene to draw: what can be seen of each body, coloured by body, speed or stretch.

use pliant::math::{Vec3, diagonal};
use pliant_io::store::{Frame, Topology};
use pliant_io::write::{ExportError, VisibleBody, visible_bodies};
use pliant_scene::format::ColourBy;
use pliant_view::{Color, ColorMap, Legend, Lines, Mesh, Paint, Points, Scene};

/// Thickness of strands and size of points, as a share of the world's diagonal.
const THICKNESS: f64 = 0.004;

/// Draws frames of one run.
pub(crate) struct Pictures {
    bodies: Vec<VisibleBody>,
    /// Rest positions of all vertices \[m\].
    rest: Vec<Vec3>,
    thickness: f64,
    colour_by: ColourBy,
}

impl Pictures {
    pub(crate) fn new(topology: &Topology, colour_by: ColourBy) -> Result<Self, ExportError> {
        let rest = topology.rest.clone();
        let thickness = THICKNESS * diagonal(&rest);
        Ok(Self { bodies: visible_bodies(topology)?, rest, thickness, colour_by })
    }

    /// What is seen at a frame; numbers are coloured over a range, see [`numbers`](Self::numbers).
    pub(crate) fn scene(&self, frame: &Frame<'_>, range: [f64; 2]) -> Scene {
        let mut scene = Scene::default();
        for (number, body) in self.bodies.iter().enumerate() {
            let positions: Vec<Vec3> = body.vertices.iter().map(|&v| frame.positions[v as usize]).collect();
            let paint: Paint = match self.numbers_of(body, frame) {
                None => Color::of_body(number).into(),
                Some(values) => Paint::Scalar { values, range, map: ColorMap::default() },
            };
            if !body.triangles.is_empty() {
                scene.meshes.push(Mesh::new(positions.clone(), body.triangles.clone(), paint.clone()));
            }
            if !body.segments.is_empty() {
                let lines = Lines::new(positions.clone(), body.segments.clone(), self.thickness, paint.clone());
                scene.lines.push(lines);
            }
            if !body.points.is_empty() {
                let loose = body.points.iter().map(|&point| positions[point as usize]).collect();
                scene.points.push(Points::new(loose, self.thickness, Color::of_body(number)));
            }
        }
        let label = match self.colour_by {
            ColourBy::Body => return scene,
            ColourBy::Speed => "speed [m/s]",
            ColourBy::Stretch => "stretch",
        };
        scene.legend = Some(Legend { label: label.to_owned(), range, map: ColorMap::default() });
        scene
    }

    /// All numbers that colours show at a frame.
    pub(crate) fn numbers(&self, frame: &Frame<'_>) -> Vec<f64> {
        self.bodies.iter().filter_map(|body| self.numbers_of(body, frame)).flatten().collect()
    }

    /// A number for each visible vertex of a body; none where colours mean bodies.
    fn numbers_of(&self, body: &VisibleBody, frame: &Frame<'_>) -> Option<Vec<f64>> {
        match self.colour_by {
            ColourBy::Body => None,
            ColourBy::Speed => {
                let velocities = frame.velocities.as_ref()?;
                Some(body.vertices.iter().map(|&v| velocities[v as usize].length()).collect())
            }
            ColourBy::Stretch => {
                let mut largest = vec![f64::NAN; body.vertices.len()];
                let sides = body.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
                for ends in sides.chain(body.segments.iter().copied()) {
                    let [a, b] = ends.map(|place| body.vertices[place as usize] as usize);
                    let ratio = frame.positions[a].distance(frame.positions[b]) / self.rest[a].distance(self.rest[b]);
                    // The larger of a number and no number is the number.
                    ends.iter().for_each(|&place| largest[place as usize] = largest[place as usize].max(ratio));
                }
                Some(largest)
            }
        }
    }
}
