//! Stable handles: a number and a generation, so that the handle of what is gone never stands for something new.

/// A handle. Those of a kind differ, also from all that are gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Handle {
    pub(crate) slot: u32,
    pub(crate) generation: u32,
}

/// A place for one thing after the other.
#[derive(Debug, Clone, PartialEq)]
struct Slot<T> {
    generation: u32,
    item: Option<T>,
}

/// Things with handles.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Slots<T> {
    slots: Vec<Slot<T>>,
}

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Self { slots: Vec::new() }
    }
}

impl<T> Slots<T> {
    /// Adds a thing in the first free place.
    pub(crate) fn add(&mut self, item: T) -> Handle {
        let free = self.slots.iter().position(|slot| slot.item.is_none());
        let slot = free.unwrap_or_else(|| {
            self.slots.push(Slot { generation: 0, item: None });
            self.slots.len() - 1
        });
        self.slots[slot].item = Some(item);
        Handle { slot: slot as u32, generation: self.slots[slot].generation }
    }

    /// Puts a thing where a handle says, as in an earlier state.
    pub(crate) fn put(&mut self, handle: Handle, item: T) {
        while self.slots.len() <= handle.slot as usize {
            self.slots.push(Slot { generation: 0, item: None });
        }
        self.slots[handle.slot as usize] = Slot { generation: handle.generation, item: Some(item) };
    }

    pub(crate) fn get(&self, handle: Handle) -> Option<&T> {
        let slot = self.slots.get(handle.slot as usize)?;
        slot.item.as_ref().filter(|_| slot.generation == handle.generation)
    }

    pub(crate) fn get_mut(&mut self, handle: Handle) -> Option<&mut T> {
        let slot = self.slots.get_mut(handle.slot as usize)?;
        slot.item.as_mut().filter(|_| slot.generation == handle.generation)
    }

    /// Takes a thing out; its handle is void from then on.
    pub(crate) fn remove(&mut self, handle: Handle) -> Option<T> {
        let slot = self.slots.get_mut(handle.slot as usize).filter(|slot| slot.generation == handle.generation)?;
        let item = slot.item.take()?;
        slot.generation = slot.generation.wrapping_add(1);
        Some(item)
    }

    /// How many things there are.
    pub(crate) fn len(&self) -> usize {
        self.iter().count()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (Handle, &T)> {
        (0..).zip(&self.slots).filter_map(|(number, slot)| {
            let handle = Handle { slot: number, generation: slot.generation };
            slot.item.as_ref().map(|item| (handle, item))
        })
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.slots.iter_mut().filter_map(|slot| slot.item.as_mut())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_of_what_is_gone_never_stands_for_something_new() {
        let mut slots = Slots::default();
        let [a, b] = ["a", "b"].map(|item| slots.add(item));
        assert_eq!(slots.remove(a), Some("a"));
        assert_eq!((slots.remove(a), slots.get_mut(a)), (None, None));
        let c = slots.add("c");
        assert_eq!((c.slot, c == a), (a.slot, false));
        let found = [a, b, c].map(|handle| slots.get_mut(handle).copied());
        assert_eq!(found, [None, Some("b"), Some("c")]);
        assert_eq!(slots.iter().map(|(_, item)| *item).collect::<Vec<_>>(), ["c", "b"]);
    }
}
