//! Checkpoints of a run: writes them, reads them, and finds the last usable one.

use super::*;

impl RunStore {
    /// Saves what is needed to continue the run after a frame; a checkpoint of the same frame is replaced. Earlier log
    /// entries reach the disk before the checkpoint. Fails if a frame that was written is [gone](Self::check_complete).
    pub fn write_checkpoint(&mut self, frame: u64, bytes: &[u8]) -> Result<(), StoreError> {
        self.writer()?;
        self.check_complete()?;
        let log = self.dir.join(LOG_FILE);
        self.writer()?.log.sync_all().map_err(io_error("write", &log))?;
        let mut content = sealed::Builder::default();
        content.u64(frame);
        content.0.extend(bytes);
        self.write(Item::Checkpoint(frame), &content.0)?;
        if let Err(place) = self.checkpoints.binary_search(&frame) {
            self.checkpoints.insert(place, frame);
        }
        Ok(())
    }

    /// Checks that every frame, topology and checkpoint of this store is still in the folder, and that the folder is
    /// still the one to which this process writes. Their contents are not read: see [`verify`](Self::verify).
    pub fn check_complete(&self) -> Result<(), StoreError> {
        if let Some(writer) = &self.writer {
            writer.lock.check()?;
        }
        expect_file(&self.path(Item::Scene))?;
        let expect = |known: &[u64], folder: &str, item: fn(u64) -> Item| {
            let found = numbered(&self.dir.join(folder))?;
            match known.iter().find(|number| found.binary_search(number).is_err()) {
                Some(&lost) => Err(StoreError::Vanished { path: self.path(item(lost)) }),
                None => Ok(()),
            }
        };
        expect(&self.frames, FRAMES, Item::Frame)?;
        expect(&self.topologies, TOPOLOGIES, Item::Topology)?;
        expect(&self.checkpoints, CHECKPOINTS, Item::Checkpoint)
    }

    /// Reads the checkpoint of a frame.
    pub fn read_checkpoint(&self, frame: u64) -> Result<SavedCheckpoint, StoreError> {
        let item = Item::Checkpoint(frame);
        let path = self.path(item);
        let mut bytes = sealed::read(item, &path, MOST_BYTES)?;
        match (Content { bytes: &bytes, at: 0 }).u64() {
            None => Err(damaged(item, &path, Damage::Content { at: 0 })),
            Some(found) if found != frame => Err(damaged(item, &path, Damage::Number { found })),
            Some(_) => {
                bytes.drain(..size_of::<u64>());
                Ok(SavedCheckpoint { frame, bytes })
            }
        }
    }

    /// The latest usable checkpoint: it is not damaged, and no frame up to it is damaged or missing.
    pub fn last_checkpoint(&self) -> Result<Option<SavedCheckpoint>, StoreError> {
        self.last_checkpoint_after(|_| {})
    }

    /// Like [`last_checkpoint`](Self::last_checkpoint); `passed_over` is called with the reason why each later
    /// checkpoint was not used.
    pub fn last_checkpoint_after(
        &self,
        mut passed_over: impl FnMut(StoreError),
    ) -> Result<Option<SavedCheckpoint>, StoreError> {
        let gap = self.first_gap();
        for &frame in self.checkpoints.iter().rev() {
            if let Some(missing) = gap.filter(|missing| *missing <= frame) {
                passed_over(StoreError::BeyondGap { path: self.path(Item::Checkpoint(frame)), frame, missing });
                continue;
            }
            match self.read_checkpoint(frame) {
                Err(error @ StoreError::Damaged { .. }) => passed_over(error),
                other => return other.map(Some),
            }
        }
        Ok(None)
    }

    /// The first frame that is missing or damaged although others, or checkpoints, follow.
    fn first_gap(&self) -> Option<u64> {
        let damaged = self.damaged.first().map(|(number, _)| *number);
        let Some(&last) = self.frames.last() else { return damaged.or(self.checkpoints.first().copied()) };
        let jump = self.frames.windows(2).find(|pair| pair[1] - pair[0] > 1).map(|pair| pair[0] + 1);
        let beyond = self.checkpoints.last().filter(|checkpoint| **checkpoint > last).map(|_| last + 1);
        [jump.or(beyond), damaged].into_iter().flatten().min()
    }
}
