//! Where buttons and menus are in the window, for programs that drive it.

use std::collections::BTreeMap;

use eframe::egui::{Context, Id, Rect, Response};

/// Rectangles by name.
pub(crate) type Places = BTreeMap<String, Rect>;

/// Notes where something with a name is.
pub(crate) fn note(response: &Response, name: &str) {
    let rect = response.rect;
    response.ctx.data_mut(|data| {
        data.get_temp_mut_or_default::<Places>(Id::unique("places")).insert(name.to_owned(), rect);
    });
}

/// All that was noted since the last call.
pub(crate) fn take(context: &Context) -> Places {
    context.data_mut(|data| std::mem::take(data.get_temp_mut_or_default::<Places>(Id::unique("places"))))
}
