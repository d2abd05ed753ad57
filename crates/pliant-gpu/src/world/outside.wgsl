// Accelerations by forces from outside at the start of a substep: forces on vertices, pressure, and wind, as in the engine (force/pressure.rs, force/wind/drag.rs). Each vertex
// adds up the triangles around it.

// Velocity of the air, and ½ρC; h, what drag leaves of velocities, τ². Then by vertex: acceleration by forces on it, and 1/m.
@group(0) @binding(2) var<storage, read> constants: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> velocities: array<vec4<f32>>;
// First triangle and number of triangles of a slice of 64 vertices.
@group(0) @binding(4) var<storage, read> slices: array<vec2<u32>>;
// The other two corners, in the triangle's sense, and its overpressure.
@group(0) @binding(5) var<storage, read> triangles: array<vec4<f32>>;
// Accelerations by all but the air in the substep before, then those by air and by all forces from outside but gravity now.
@group(0) @binding(6) var<storage, read_write> outside: array<array<vec4<f32>, 3>>;

struct Parameters {
    free: u32,
    unused_0: u32,
    unused_1: u32,
    unused_2: u32,
}

@group(1) @binding(0) var<uniform> parameters: Parameters;

const SMALLEST = 1e-30;

// Velocity of the air relative to a vertex; what is held does not move.
fn relative(vertex: u32) -> vec3<f32> {
    var own = vec3<f32>();
    if (vertex < parameters.free) { own = velocities[vertex].xyz; }
    return constants[0].xyz - constants[1].y * own;
}

@compute @workgroup_size(64)
fn act_from_outside(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let number = group.x + group.y * groups.x;
    let vertex = number * 64u + lane;
    if (vertex >= parameters.free) {
        return;
    }
    let own = constants[2u + vertex];
    let slice = slices[number];
    let here = relative(vertex);
    var pressed = vec3<f32>();
    var force = vec3<f32>();
    var slope = mat3x3<f32>();
    for (var k = 0u; k < slice.y; k++) {
        let triangle = triangles[slice.x + k * 64u + lane];
        let b = index_of(triangle.x);
        let c = index_of(triangle.y);
        // Half the cross product is the area times the unit normal; a third of it is the vertex's.
        let area = cross(edge(vertex, b), edge(vertex, c)) / 6.0;
        pressed += triangle.z * area;
        let size = length(area);
        if (size < SMALLEST) { continue; }
        let normal = area / size;
        let across = dot(here + relative(b) + relative(c), normal) / 3.0;
        let drag = constants[0].w * abs(across);
        force += drag * across * area;
        slope += 2.0 * drag * mat3x3<f32>(area.x * normal, area.y * normal, area.z * normal);
    }
    // At the end of the substep: F = F(v) + J (v' − v), where all else accelerates the vertex as before.
    let h = constants[1].x;
    let turned = h * own.w * slope;
    let a = vec3<f32>(1.0, 0.0, 0.0) + turned[0];
    let b = vec3<f32>(0.0, 1.0, 0.0) + turned[1];
    let c = vec3<f32>(0.0, 0.0, 1.0) + turned[2];
    let side = own.w * force - turned * outside[vertex][0].xyz;
    // The matrix is symmetric and at least 1, so that its inverse has these rows.
    let bc = cross(b, c);
    let by_air = vec3<f32>(dot(bc, side), dot(cross(c, a), side), dot(cross(a, b), side)) / dot(a, bc);
    outside[vertex][1] = vec4<f32>(by_air, 0.0);
    outside[vertex][2] = vec4<f32>(own.xyz + own.w * pressed + by_air, 0.0);
}
