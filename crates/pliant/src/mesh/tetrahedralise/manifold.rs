//! A boundary on which every edge has two faces.
//!
//! Parts of a solid thinner than the lattice can touch in a vertex or an edge only. Such parts are taken apart: the vertex is
//! doubled wherever its tets are not connected through faces. Where an edge is shared by tets that are connected only around
//! it, doubling does not help, and all but the largest fan of tets around the edge are dropped.

use crate::mesh::{TetMesh, tet_volume};

/// Takes apart what touches in vertices and edges only. Returns how many tets had to be dropped.
pub(super) fn make_manifold(mesh: &mut TetMesh) -> usize {
    let before = mesh.tets.len();
    loop {
        double_vertices(mesh);
        let crowded = crowded_edges(mesh);
        if crowded.is_empty() {
            return before - mesh.tets.len();
        }
        drop_fans(mesh, &crowded);
        drop_unused_vertices(mesh);
    }
}

/// A face of a tet: its vertices ascending, and the corners of all tets at them.
struct Face {
    key: [u32; 3],
    /// 4·tet + corner, in the order of the key.
    corners: [u32; 3],
}

fn sorted_faces(tets: impl Iterator<Item = (usize, [u32; 4])>) -> Vec<Face> {
    let mut faces = Vec::new();
    for (tet, vertices) in tets {
        for left_out in 0..4 {
            let mut corners = [1, 2, 3].map(|k| (left_out + k) % 4);
            corners.sort_unstable_by_key(|&corner| vertices[corner]);
            let key = corners.map(|corner| vertices[corner]);
            faces.push(Face { key, corners: corners.map(|corner| (4 * tet + corner) as u32) });
        }
    }
    faces.sort_unstable_by_key(|face| (face.key, face.corners[0]));
    faces
}

fn root(parents: &mut [u32], mut item: u32) -> u32 {
    while parents[item as usize] != item {
        parents[item as usize] = parents[parents[item as usize] as usize];
        item = parents[item as usize];
    }
    item
}

fn join(parents: &mut [u32], a: u32, b: u32) {
    let (a, b) = (root(parents, a), root(parents, b));
    parents[a.max(b) as usize] = a.min(b);
}

/// Gives each group of tets around a vertex, connected through faces at the vertex, a vertex of its own.
fn double_vertices(mesh: &mut TetMesh) {
    let mut parents: Vec<u32> = (0..4 * mesh.tets.len() as u32).collect();
    let faces = sorted_faces(mesh.tets.iter().copied().enumerate());
    for pair in faces.chunk_by(|a, b| a.key == b.key).filter(|sharing| sharing.len() == 2) {
        for k in 0..3 {
            join(&mut parents, pair[0].corners[k], pair[1].corners[k]);
        }
    }
    // The lowest corner of a group is its root: the first group of a vertex keeps it.
    let mut taken = vec![false; mesh.positions.len()];
    let mut vertex_of = vec![u32::MAX; parents.len()];
    for corner in 0..parents.len() {
        let root = root(&mut parents, corner as u32) as usize;
        if root == corner {
            let vertex = mesh.tets[corner / 4][corner % 4];
            vertex_of[corner] = if std::mem::replace(&mut taken[vertex as usize], true) {
                mesh.positions.push(mesh.positions[vertex as usize]);
                mesh.positions.len() as u32 - 1
            } else {
                vertex
            };
        }
        vertex_of[corner] = vertex_of[root];
    }
    for (tet, vertices) in mesh.tets.iter_mut().enumerate() {
        *vertices = [0, 1, 2, 3].map(|corner| vertex_of[4 * tet + corner]);
    }
}

/// Edges with more than two outer faces, ascending.
fn crowded_edges(mesh: &TetMesh) -> Vec<[u32; 2]> {
    let faces = sorted_faces(mesh.tets.iter().copied().enumerate());
    let outer = faces.chunk_by(|a, b| a.key == b.key).filter(|sharing| sharing.len() == 1);
    let mut edges: Vec<[u32; 2]> = outer
        .flat_map(|face| {
            let [a, b, c] = face[0].key;
            [[a, b], [a, c], [b, c]]
        })
        .collect();
    edges.sort_unstable();
    edges.chunk_by(|a, b| a == b).filter(|faces| faces.len() > 2).map(|faces| faces[0]).collect()
}

/// Around each of the edges, keeps the fan of tets with the largest volume.
fn drop_fans(mesh: &mut TetMesh, crowded: &[[u32; 2]]) {
    let mut fans: Vec<([u32; 2], u32)> = Vec::new();
    for (tet, &[a, b, c, d]) in mesh.tets.iter().enumerate() {
        for [p, q] in [[a, b], [a, c], [a, d], [b, c], [b, d], [c, d]] {
            let edge = [p.min(q), p.max(q)];
            if crowded.binary_search(&edge).is_ok() {
                fans.push((edge, tet as u32));
            }
        }
    }
    fans.sort_unstable();
    let mut dropped = vec![false; mesh.tets.len()];
    for around in fans.chunk_by(|a, b| a.0 == b.0) {
        let edge = around[0].0;
        let mut parents: Vec<u32> = (0..around.len() as u32).collect();
        let own = |k: usize| mesh.tets[around[k].1 as usize];
        let faces = sorted_faces((0..around.len()).map(|k| (k, own(k))));
        for pair in faces.chunk_by(|a, b| a.key == b.key).filter(|sharing| sharing.len() == 2) {
            if edge.iter().all(|end| pair[0].key.contains(end)) {
                join(&mut parents, pair[0].corners[0] / 4, pair[1].corners[0] / 4);
            }
        }
        let mut volumes = vec![0.0; around.len()];
        for k in 0..around.len() {
            let root = root(&mut parents, k as u32) as usize;
            volumes[root] += tet_volume(mesh.corners(around[k].1 as usize));
        }
        // The first of equally large ones.
        let largest = (0..volumes.len()).fold(0, |best, k| if volumes[k] > volumes[best] { k } else { best });
        for k in 0..around.len() {
            if root(&mut parents, k as u32) as usize != largest {
                dropped[around[k].1 as usize] = true;
            }
        }
    }
    let mut tet = 0;
    mesh.tets.retain(|_| {
        tet += 1;
        !dropped[tet - 1]
    });
}

/// Removes vertices without a tet; the others keep their order.
pub(super) fn drop_unused_vertices(mesh: &mut TetMesh) {
    let mut renumbered = vec![u32::MAX; mesh.positions.len()];
    mesh.tets.iter().flatten().for_each(|&vertex| renumbered[vertex as usize] = 0);
    let mut positions = Vec::new();
    for (vertex, new) in renumbered.iter_mut().enumerate().filter(|(_, new)| **new == 0) {
        *new = positions.len() as u32;
        positions.push(mesh.positions[vertex]);
    }
    mesh.positions = positions;
    for vertex in mesh.tets.iter_mut().flatten() {
        *vertex = renumbered[*vertex as usize];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec3;
    use crate::mesh::MeshError;

    fn two_tets(second: [Vec3; 4]) -> Result<TetMesh, MeshError> {
        let first = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
        let mut positions = first.to_vec();
        let tet = second.map(|p| {
            positions.iter().position(|q| *q == p).unwrap_or_else(|| {
                positions.push(p);
                positions.len() - 1
            }) as u32
        });
        TetMesh::new(positions, vec![[0, 1, 2, 3], tet])
    }

    #[test]
    fn tets_that_touch_in_a_vertex_or_an_edge_are_taken_apart() -> Result<(), MeshError> {
        let at_vertex = [Vec3::ZERO, -Vec3::X, -Vec3::Z, -Vec3::Y];
        let at_edge = [Vec3::ZERO, Vec3::X, -Vec3::Y, -Vec3::Z];
        for second in [at_vertex, at_edge] {
            let mut mesh = two_tets(second)?;
            assert_eq!(mesh.components().count, 1);
            assert_eq!(make_manifold(&mut mesh), 0);
            assert_eq!(mesh.components().count, 2);
            mesh.surface()?.mesh.check_closed()?;
            mesh.check_referenced()?;
        }
        Ok(())
    }

    #[test]
    fn tets_that_share_a_face_stay_together() -> Result<(), MeshError> {
        let mut mesh = two_tets([Vec3::ZERO, Vec3::Y, Vec3::X, -Vec3::Z])?;
        let before = mesh.clone();
        assert_eq!(make_manifold(&mut mesh), 0);
        assert_eq!(mesh, before);
        Ok(())
    }
}
