//! A film of a stored run: which frame comes next.

/// The frames of a film that is being made.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FilmPlan {
    frames: Vec<u64>,
    done: usize,
}

impl FilmPlan {
    /// Of all these frames; none if there are none.
    pub(crate) fn new(frames: &[u64]) -> Option<Self> {
        (!frames.is_empty()).then(|| Self { frames: frames.to_vec(), done: 0 })
    }

    /// The frame that is drawn next; none at the end.
    pub(crate) fn next(&self) -> Option<u64> {
        self.frames.get(self.done).copied()
    }

    /// The next frame was handed on.
    pub(crate) fn advance(&mut self) {
        self.done += 1;
    }

    /// Share that is done.
    pub(crate) fn progress(&self) -> f32 {
        self.done as f32 / self.frames.len() as f32
    }

    pub(crate) fn len(&self) -> usize {
        self.frames.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_frame_comes_once() {
        let mut plan = FilmPlan::new(&[3, 5, 9]).expect("there are frames");
        let mut seen = Vec::new();
        while let Some(frame) = plan.next() {
            seen.push(frame);
            plan.advance();
        }
        assert_eq!((seen, plan.progress(), plan.len()), (vec![3, 5, 9], 1.0, 3));
        assert_eq!(FilmPlan::new(&[]), None);
    }
}
