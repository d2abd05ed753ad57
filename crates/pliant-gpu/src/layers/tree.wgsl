// A tree over leaves in a fixed order: a node is above four neighbours. Nodes lie as one comes across them from the root, each followed by what is below it, and know
// where to go on if one does not look below. A node is two vectors: the lower corner with the highest number of an element below; the upper corner with the next node
// and marks.

const IS_LEAF = 0x10000000u;
// Something below has changed.
const HAS_CHANGED = 0x20000000u;
const NEXT = 0x0fffffffu;
// A bit that makes any of these an ordinary number, which no device changes.
const ORDINARY = 0x40000000u;
const NUMBER = 0x3fffffffu;

// Where a node is, by its level above the leaves and its number there.
fn node_at(level: u32, number: u32, levels: u32) -> u32 {
    let leaf = number << (2u * level);
    var at = leaf + levels - level;
    for (var above = 1u; above <= levels; above++) {
        at += leaf >> (2u * above);
    }
    return at;
}

// The node after everything below one; `leaves` and `nodes` are how many there are in all.
fn node_after(level: u32, number: u32, levels: u32, leaves: u32, nodes: u32) -> u32 {
    let leaf = (number + 1u) << (2u * level);
    if (leaf >= leaves) {
        return nodes;
    }
    let highest = min(countTrailingZeros(leaf) / 2u, levels);
    return node_at(highest, leaf >> (2u * highest), levels);
}
