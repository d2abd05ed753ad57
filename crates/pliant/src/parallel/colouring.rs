//! Colours of constraints: those of one colour share no vertex that moves, so they can be solved at once, on any number of threads,
//! with the same bits.

/// Elements ordered by colour.
#[derive(Debug, Clone, Default)]
pub(crate) struct Colouring {
    /// Elements, colour by colour, ascending within each.
    pub(crate) order: Vec<u32>,
    /// First element of each colour in `order`, and the end.
    pub(crate) starts: Vec<usize>,
}

impl Colouring {
    /// Colours elements one after the other, each with the colour that has the fewest elements among those that none of its vertices has
    /// yet: colours come out about equally large, and threads have enough to do in each. `moves` tells whether a vertex can move; the
    /// others are only read.
    pub(crate) fn new<'a>(count: usize, stencil: impl Fn(usize) -> &'a [u32], moves: impl Fn(u32) -> bool) -> Self {
        let mut used = UsedColours::default();
        let mut sizes: Vec<u32> = Vec::new();
        let mut colours = Vec::with_capacity(count);
        for element in 0..count {
            let vertices = || stencil(element).iter().copied().filter(|&v| moves(v));
            used.gather(vertices(), sizes.len());
            let free = (0..sizes.len()).filter(|&colour| !used.gathered(colour));
            let colour = free.min_by_key(|&colour| sizes[colour]).unwrap_or_else(|| {
                sizes.push(0);
                sizes.len() - 1
            });
            sizes[colour] += 1;
            vertices().for_each(|v| used.insert(v, colour));
            colours.push(colour as u32);
        }
        let mut starts = vec![0];
        sizes.iter().for_each(|&size| starts.push(starts[starts.len() - 1] + size as usize));
        let mut next = starts.clone();
        let mut order = vec![0; count];
        for (element, &colour) in (0u32..).zip(&colours) {
            order[next[colour as usize]] = element;
            next[colour as usize] += 1;
        }
        Self { order, starts }
    }

    /// Places in `order` of each colour.
    pub(crate) fn colours(&self) -> impl DoubleEndedIterator<Item = std::ops::Range<usize>> {
        self.starts.windows(2).map(|ends| ends[0]..ends[1])
    }
}

/// Which colours each vertex has, as bits.
#[derive(Default)]
struct UsedColours {
    by_vertex: Vec<Vec<u64>>,
    gathered: Vec<u64>,
}

impl UsedColours {
    fn gather(&mut self, vertices: impl Iterator<Item = u32>, colours: usize) {
        self.gathered.clear();
        self.gathered.resize(colours.div_ceil(64), 0);
        for v in vertices {
            let own = self.by_vertex.get(v as usize).map_or(&[][..], Vec::as_slice);
            self.gathered.iter_mut().zip(own).for_each(|(all, own)| *all |= own);
        }
    }

    fn gathered(&self, colour: usize) -> bool {
        self.gathered[colour / 64] >> (colour % 64) & 1 == 1
    }

    fn insert(&mut self, vertex: u32, colour: usize) {
        let vertex = vertex as usize;
        if self.by_vertex.len() <= vertex {
            self.by_vertex.resize(vertex + 1, Vec::new());
        }
        let own = &mut self.by_vertex[vertex];
        if own.len() <= colour / 64 {
            own.resize(colour / 64 + 1, 0);
        }
        own[colour / 64] |= 1 << (colour % 64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(n: u32) -> Vec<[u32; 2]> {
        let at = |i: u32, j: u32| i * n + j;
        let right = (0..n).flat_map(|i| (0..n - 1).map(move |j| [at(i, j), at(i, j + 1)]));
        let down = (0..n - 1).flat_map(|i| (0..n).map(move |j| [at(i, j), at(i + 1, j)]));
        right.chain(down).collect()
    }

    #[test]
    fn no_two_constraints_of_a_colour_share_a_particle_and_each_has_one_colour() {
        let edges = grid(20);
        let colouring = Colouring::new(edges.len(), |e| &edges[e], |_| true);
        let mut seen = vec![0; edges.len()];
        for colour in colouring.colours() {
            let mut touched = vec![false; 400];
            for &e in &colouring.order[colour] {
                seen[e as usize] += 1;
                for v in edges[e as usize] {
                    assert!(!std::mem::replace(&mut touched[v as usize], true), "edge {e} meets another at {v}");
                }
            }
        }
        assert!(seen.iter().all(|&count| count == 1));
    }

    #[test]
    fn colours_are_about_equally_large() {
        let edges = grid(40);
        let colouring = Colouring::new(edges.len(), |e| &edges[e], |_| true);
        let sizes: Vec<usize> = colouring.colours().map(|colour| colour.len()).collect();
        // Four edges meet at a vertex; greedy colouring needs at most 2·4 − 1 colours.
        assert!((4..=7).contains(&sizes.len()), "{sizes:?}");
        let mean = edges.len() as f64 / sizes.len() as f64;
        assert!(sizes.iter().all(|&size| (size as f64 / mean - 1.0).abs() < 0.2), "{sizes:?}");
    }

    #[test]
    fn what_hangs_on_one_pinned_vertex_has_one_colour() {
        let threads: Vec<[u32; 2]> = (1..200).map(|v| [0, v]).collect();
        let pinned = Colouring::new(threads.len(), |e| &threads[e], |v| v != 0);
        assert_eq!(pinned.colours().count(), 1);
        let free = Colouring::new(threads.len(), |e| &threads[e], |_| true);
        assert_eq!(free.colours().count(), 199);
    }
}
