//! Numbers that distinguish meshes and detect damaged bytes: FNV-1a.

use crate::mesh::TriangleMesh;

/// FNV-1a over bytes.
pub(super) fn hash(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// By topology and shape at rest, to the last bit.
pub(super) fn mesh_fingerprint(mesh: &TriangleMesh) -> u64 {
    let counts = [mesh.positions.len() as u64, mesh.triangles.len() as u64];
    let coordinates = mesh.positions.iter().flat_map(|p| p.to_array()).flat_map(f64::to_le_bytes);
    let corners = mesh.triangles.iter().flatten().flat_map(|vertex| vertex.to_le_bytes());
    hash(counts.into_iter().flat_map(u64::to_le_bytes).chain(coordinates).chain(corners))
}
