//! Where a stored run stands.

use crate::protocol::Timeline;

/// The frames of a stored run, and the one that is shown or was asked for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Player {
    timeline: Timeline,
    /// Index into the frames.
    place: usize,
    /// The frame that was asked for, until it comes.
    wanted: Option<u64>,
}

impl Player {
    pub(crate) fn new(timeline: Timeline) -> Self {
        Self { timeline, place: 0, wanted: None }
    }

    pub(crate) fn last(&self) -> usize {
        self.timeline.frames.len().saturating_sub(1)
    }

    pub(crate) fn last_frame(&self) -> Option<u64> {
        self.timeline.frames.last().copied()
    }

    pub(crate) fn place(&self) -> usize {
        self.place
    }

    pub(crate) fn frame(&self) -> Option<u64> {
        self.timeline.frames.get(self.place).copied()
    }

    /// Time of the frame that is shown \[s\].
    pub(crate) fn time(&self) -> Option<f64> {
        let rate = self.timeline.rate;
        self.frame().filter(|_| rate > 0.0).map(|frame| frame as f64 / rate)
    }

    /// A frame has come. While another one is on its way, the slider stays where the hand has put it.
    pub(crate) fn arrive(&mut self, frame: u64) {
        if self.wanted.is_some_and(|wanted| wanted != frame) {
            return;
        }
        self.wanted = None;
        self.place = self.nearest(frame);
    }

    /// Goes to a place; returns the frame to ask for.
    pub(crate) fn seek(&mut self, place: usize) -> Option<u64> {
        self.place = place.min(self.last());
        self.wanted = self.frame();
        self.wanted
    }

    pub(crate) fn frame_at(&self, place: usize) -> Option<u64> {
        self.timeline.frames.get(place).copied()
    }

    /// Goes to the last frame up to a number.
    pub(crate) fn seek_to(&mut self, frame: u64) -> Option<u64> {
        self.seek(self.nearest(frame))
    }

    /// Goes some frames forwards or back.
    pub(crate) fn step(&mut self, by: isize) -> Option<u64> {
        self.seek(self.place.saturating_add_signed(by))
    }

    /// Playing moves on from wherever it is.
    pub(crate) fn forget_wanted(&mut self) {
        self.wanted = None;
    }

    /// The place of the last frame up to a number.
    fn nearest(&self, frame: u64) -> usize {
        self.timeline.frames.partition_point(|&number| number <= frame).saturating_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn player() -> Player {
        Player::new(Timeline { frames: vec![0, 2, 4, 10], rate: 2.0 })
    }

    #[test]
    fn frames_that_are_missing_are_stepped_over() {
        let mut player = player();
        assert_eq!(player.step(1), Some(2));
        assert_eq!(player.step(7), Some(10));
        assert_eq!(player.time(), Some(5.0));
        assert_eq!(player.step(-1), Some(4));
        assert_eq!(player.step(-9), Some(0));
    }

    #[test]
    fn the_slider_stays_under_the_hand_until_the_frame_comes() {
        let mut player = player();
        player.seek(3);
        player.arrive(2);
        assert_eq!(player.place(), 3);
        player.arrive(10);
        player.arrive(4);
        assert_eq!(player.place(), 2);
    }

    #[test]
    fn a_run_without_frames_has_nowhere_to_go() {
        let mut player = Player::new(Timeline { frames: Vec::new(), rate: 0.0 });
        assert_eq!((player.seek(5), player.time(), player.last()), (None, None, 0));
    }
}
