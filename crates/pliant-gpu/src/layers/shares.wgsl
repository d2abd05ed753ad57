// By how much movements are cut so that a pair stays apart, as in the engine's `truncate.rs`.

// Share of the room between two sides that one may have which follows the other.
const FOLLOWED = 0.99;

// A pair in a frame of its own: seen from the first corner, at the safe positions and at the ends, as exact as the differences are.
struct Local {
    start: Quad,
    end: Quad,
    // Movements of the corners.
    moves: Quad,
    rounding: f32,
    // Rounding of a movement on its way into memory.
    rounding_of_moves: f32,
}

fn local_pair(corners: vec4<u32>) -> Local {
    var pair: Local;
    let anchor = anchors[corners.x].xyz;
    let safe_a = safe[corners.x].xyz;
    let aim_a = offsets[corners.x].xyz;
    let safe_b = safe[corners.y].xyz;
    let aim_b = offsets[corners.y].xyz;
    let safe_c = safe[corners.z].xyz;
    let aim_c = offsets[corners.z].xyz;
    let safe_d = safe[corners.w].xyz;
    let aim_d = offsets[corners.w].xyz;
    let b = anchors[corners.y].xyz - anchor;
    let c = anchors[corners.z].xyz - anchor;
    let d = anchors[corners.w].xyz - anchor;
    pair.start = Quad(vec3<f32>(), b + (safe_b - safe_a), c + (safe_c - safe_a), d + (safe_d - safe_a));
    pair.end = Quad(vec3<f32>(), b + (aim_b - aim_a), c + (aim_c - aim_a), d + (aim_d - aim_a));
    pair.moves = Quad(aim_a - safe_a, aim_b - safe_b, aim_c - safe_c, aim_d - safe_d);
    let apart = max(largest(b), max(largest(c), largest(d)));
    pair.rounding = ROUNDING * (apart + 2.0 * max(size_of(pair.start), size_of(pair.end)));
    let far = max(size_of(Quad(safe_a, safe_b, safe_c, safe_d)), size_of(Quad(aim_a, aim_b, aim_c, aim_d)));
    pair.rounding_of_moves = ROUNDING * far;
    return pair;
}

// The share of each corner's movement that a plane between the sides allows. A plane that follows goes with the side that makes way; what is then proved must be
// looked at again. One that stands is certain, whatever else is cut.
fn divide(pair: Local, gap: Gap, is_edges: bool, follows: bool) -> vec4<f32> {
    if (gap.width <= 0.0) {
        return vec4<f32>();
    }
    // Towards the other side.
    let towards = vec4<f32>(-1.0, select(1.0, -1.0, is_edges), 1.0, 1.0);
    let moves = pair.moves;
    let n = gap.normal;
    let advance = towards * vec4<f32>(dot(n, moves.a), dot(n, moves.b), dot(n, moves.c), dot(n, moves.d));
    let height = towards * heights(n, pair.start);
    let is_first = vec4<bool>(true, is_edges, false, false);
    // How far each corner lies behind the foremost of its side.
    let nowhere = vec4<f32>(-FAR);
    let of_first = select(nowhere, height, is_first);
    let of_second = select(height, nowhere, is_first);
    let front_of_first = max(of_first.x, of_first.y);
    let front_of_second = max(of_second.y, max(of_second.z, of_second.w));
    let behind = select(vec4<f32>(front_of_second), vec4<f32>(front_of_first), is_first) - height;
    let need = advance - behind;
    let need_of_first = max(need.x, select(-FAR, need.y, is_edges));
    let need_of_second = max(max(need.z, need.w), select(need.y, -FAR, is_edges));
    let room = gap.width - gap.keep;
    let total = max(need_of_first, 0.0) + max(need_of_second, 0.0);
    let ways = select(vec2<f32>(), max(-vec2<f32>(need_of_second, need_of_first), vec2<f32>()), follows);
    var share = vec2<f32>();
    if (total > 0.0) {
        share = room * max(vec2<f32>(need_of_first, need_of_second), vec2<f32>()) / total;
    }
    share = select(share, ways + FOLLOWED * room, ways > vec2<f32>());
    let allowed = max(behind + select(vec4<f32>(share.y), vec4<f32>(share.x), is_first) - pair.rounding_of_moves, vec4<f32>());
    let cut = clamp(allowed / max(advance, vec4<f32>(1e-30)), vec4<f32>(), vec4<f32>(1.0));
    return select(vec4<f32>(1.0), cut, advance > allowed);
}

fn cut_share(vertex: u32, cut: f32) {
    if (cut < 1.0) {
        // Shares are positive: their bits are in the order of the numbers.
        let before = bitcast<f32>(atomicLoad(&shares[4u * vertex + 1u]));
        atomicMin(&shares[4u * vertex], bitcast<u32>(before * cut));
    }
}

fn cut_shares(corners: vec4<u32>, cut: vec4<f32>) {
    cut_share(corners.x, cut.x);
    cut_share(corners.y, cut.y);
    cut_share(corners.z, cut.z);
    cut_share(corners.w, cut.w);
}
