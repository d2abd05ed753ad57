//! What is stored of a running world: the elements of its bodies, and the state of their vertices.

use pliant::Simulation;
use pliant::math::Vec3;
use pliant::mesh::{TriangleMesh, tet_volume};

use super::frame::Frame;
use super::topology::Topology;

/// Vertices inside a rigid body, which carry its mass.
const INSIDE_RIGID: usize = 5;

impl Topology {
    /// The bodies of a world as they are now: their cells, or their surface or segments if they are made of loose
    /// vertices. The five vertices inside a rigid body are corners of tets, as [`add_rigid`](Self::add_rigid) has them.
    ///
    /// ```
    /// use pliant::prelude::*;
    /// use pliant_io::store::Topology;
    ///
    /// let mesh = Sheet { columns: 2, rows: 2, ..Sheet::default() }.mesh()?;
    /// let sim = Simulation::builder().body(Body::cloth(&mesh, &ClothMaterial::default())?.named("cloth")).build()?;
    /// let topology = Topology::of(&sim);
    /// assert_eq!(topology.triangles, mesh.triangles);
    /// assert_eq!(topology.bodies[0].vertices, 0..9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(sim: &Simulation) -> Self {
        let (model, mut topology) = (sim.model(), Self::default());
        for (number, body) in model.bodies().iter().enumerate() {
            let start = topology.add_vertices(&body.name, &model.rest()[body.vertices.clone()]);
            let (cells, first) = (model.cells(number), body.vertices.start as u32);
            // Cells have the numbers of their body, surfaces those of the world.
            let of_body = |v: u32| v + start;
            let of_world = |v: u32| v - first + start;
            if cells.is_empty() {
                topology.triangles.extend(body.surface.iter().map(|t| t.map(of_world)));
                if body.surface.is_empty() {
                    topology.add_segments(body.segments.iter().map(|s| s.map(of_world)));
                } else if sim.rigid_pose(&body.name).is_ok() {
                    topology.add_inside_of_rigid();
                }
                continue;
            }
            topology.triangles.extend(cells.arrays::<3>().iter().map(|t| t.map(of_body)));
            topology.tets.extend(cells.arrays::<4>().iter().map(|t| t.map(of_body)));
            topology.add_segments(cells.arrays::<2>().iter().map(|s| s.map(of_body)));
        }
        topology
    }

    /// Adds segments as polylines: each run of segments in which one begins where the last ends is one of them.
    fn add_segments(&mut self, segments: impl IntoIterator<Item = [u32; 2]>) {
        let mut row: Vec<u32> = Vec::new();
        for [a, b] in segments {
            if row.last() != Some(&a) {
                if !row.is_empty() {
                    self.polylines.push_row(&row);
                }
                row = vec![a];
            }
            row.push(b);
        }
        if !row.is_empty() {
            self.polylines.push_row(&row);
        }
    }

    /// Adds a rigid body: its surface, and after its vertices the five inside, as corners of tets that surface formats
    /// omit.
    pub fn add_rigid(&mut self, name: &str, mesh: &TriangleMesh) {
        self.add_surface(name, mesh);
        self.add_inside_of_rigid();
    }

    /// The last five vertices of the last body as tets around the first of them.
    fn add_inside_of_rigid(&mut self) {
        let hub = (self.rest.len() - INSIDE_RIGID) as u32;
        let tets = [[1, 2, 3], [1, 3, 4], [1, 4, 2], [2, 4, 3]].map(|[a, b, c]| [hub, hub + a, hub + b, hub + c]);
        for mut tet in tets {
            // Principal axes may be left-handed.
            if tet_volume(tet.map(|v| self.rest[v as usize])) < 0.0 {
                tet.swap(2, 3);
            }
            self.tets.push(tet);
        }
    }

    /// All edges of its elements, each once, ascending.
    pub fn edges(&self) -> Vec<[u32; 2]> {
        let sides = |corners: &[u32]| {
            let pairs = (0..corners.len()).flat_map(|i| (i + 1..corners.len()).map(move |j| (i, j)));
            pairs.map(|(i, j)| [corners[i].min(corners[j]), corners[i].max(corners[j])]).collect::<Vec<_>>()
        };
        let mut edges: Vec<[u32; 2]> = self.triangles.iter().flat_map(|triangle| sides(triangle)).collect();
        edges.extend(self.tets.iter().flat_map(|tet| sides(tet)));
        edges.extend(self.polylines.rows().flat_map(|line| line.windows(2)).flat_map(sides));
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// Adds a body as another topology has it.
    pub fn add_body_of(&mut self, from: &Self, body: usize) {
        let range = from.bodies[body].vertices.clone();
        let start = self.add_vertices(&from.bodies[body].name, &from.rest[range.clone()]);
        let is_own = |v: u32| range.contains(&(v as usize));
        let moved = |v: u32| v - range.start as u32 + start;
        self.triangles.extend(from.triangles.iter().filter(|t| is_own(t[0])).map(|t| t.map(moved)));
        self.tets.extend(from.tets.iter().filter(|t| is_own(t[0])).map(|t| t.map(moved)));
        for line in from.polylines.rows().filter(|line| is_own(line[0])) {
            self.polylines.push_row(&line.iter().map(|v| moved(*v)).collect::<Vec<_>>());
        }
    }

    /// The topology after `before` in a run: the bodies of `before` first, without vertices if they are gone, then those
    /// that are new.
    pub fn continuing(&self, before: &Self) -> Self {
        let mut next = Self::default();
        let place = |name: &str| self.bodies.iter().position(|body| body.name == name);
        for body in &before.bodies {
            match place(&body.name) {
                Some(number) => next.add_body_of(self, number),
                None => next.add_absent(&body.name),
            }
        }
        for (number, body) in self.bodies.iter().enumerate() {
            if before.bodies.iter().all(|known| known.name != body.name) {
                next.add_body_of(self, number);
            }
        }
        next
    }
}

impl Frame<'static> {
    /// The state of a world, in the order in which a topology has its bodies.
    pub fn of(sim: &Simulation, topology: &Topology) -> Self {
        let bodies = sim.model().bodies();
        let gather = |all: &[Vec3]| {
            let own = |name: &str| bodies.iter().find(|body| body.name == name).map(|body| body.vertices.clone());
            let present = topology.bodies.iter().filter_map(|body| own(&body.name));
            present.flat_map(|vertices| all[vertices].to_vec()).collect::<Vec<Vec3>>()
        };
        Frame::new(sim.time(), gather(sim.positions())).with_velocities(gather(sim.velocities()))
    }
}

#[cfg(test)]
mod tests {
    use pliant::mesh::PointSet;
    use pliant::mesh::generate::Icosphere;
    use pliant::prelude::*;

    use super::*;

    fn cloth() -> Body {
        let mesh = Sheet { columns: 2, rows: 2, ..Sheet::default() }.mesh().expect("a sheet");
        Body::cloth(&mesh, &ClothMaterial::default()).expect("cloth").named("cloth")
    }

    fn ball() -> Body {
        let mesh = Icosphere { radius: 0.1, subdivisions: 1 }.mesh().expect("a ball");
        Body::rigid(&mesh, &RigidMaterial::default()).expect("a rigid body").named("ball")
    }

    fn cord() -> Body {
        let strand = rope(Vec3::ZERO, Vec3::X, 3).expect("a rope");
        Body::strands(&strand, &StrandMaterial::default()).expect("a cord").named("cord")
    }

    fn world(bodies: [Body; 3]) -> Simulation {
        let builder = bodies.into_iter().fold(Simulation::builder(), |builder, body| builder.body(body));
        builder.build().expect("a world")
    }

    #[test]
    fn bodies_are_stored_by_their_cells_or_surfaces() {
        let topology = Topology::of(&world([cloth(), ball(), cord()]));
        topology.check().expect("it can be written");
        let vertices: Vec<_> = topology.bodies.iter().map(|body| body.vertices.clone()).collect();
        assert_eq!(vertices, [0..9, 9..9 + 42 + 5, 56..60]);
        assert_eq!(topology.triangles.len(), 8 + 80);
        assert_eq!(topology.polylines.rows().map(<[u32]>::to_vec).collect::<Vec<_>>(), [vec![56, 57, 58, 59]]);
        // The five vertices inside the ball, as tets of positive volume.
        assert_eq!(topology.tets.len(), 4);
        assert!(topology.tets.iter().all(|t| tet_volume(t.map(|v| topology.rest[v as usize])) > 0.0));
        assert!(topology.tets.iter().flatten().all(|v| (51..56).contains(v)));
        assert_eq!(topology.edges().len(), 16 + 120 + 10 + 3);
        let dots = Body::points(&PointSet { positions: vec![Vec3::ZERO, Vec3::X] }, 1.0);
        let loose = Topology::of(&Simulation::builder().body(dots).build().expect("a world"));
        assert!(loose.edges().is_empty() && loose.vertex_count() == 2);
    }

    #[test]
    fn a_later_topology_keeps_the_places_of_bodies_and_frames_follow_it() {
        let before = Topology::of(&world([ball(), cloth(), cord()]));
        // The ball has left and come again, after the others.
        let sim = world([cloth(), cord(), ball()]);
        let after = Topology::of(&sim).continuing(&before);
        assert_eq!(after, before);
        let frame = Frame::of(&sim, &after);
        for body in sim.model().bodies() {
            let place = after.bodies.iter().find(|known| known.name == body.name).expect("a place").vertices.clone();
            assert_eq!(frame.positions[place], sim.positions()[body.vertices.clone()]);
        }
        let gone = Topology::of(&Simulation::builder().body(cord()).build().expect("a world")).continuing(&before);
        let counts: Vec<usize> = gone.bodies.iter().map(|body| body.vertices.len()).collect();
        assert_eq!(counts, [0, 0, 4]);
    }
}
