//! What lies over a picture: its title, how it goes, the scale of colours, notices, what is held and drawn.

use eframe::egui::{
    Align2, Area, Color32, CornerRadius, FontId, Frame, Id, Margin, Order, Painter, Pos2, Rect, RichText, Shape,
    Stroke, Ui, pos2, vec2,
};
use glam::DVec2;

use super::logic::{Rate, lag};
use super::pane::Pane;
use super::theme::{ALARM, INK, MARK, PLATE, WARNING, short};
use crate::draw::{Camera, value_color};
use crate::protocol::{Coloring, Severity};

/// Draws all of it but notices. `title` is shown where there are two pictures.
pub(crate) fn show(ui: &Ui, pane: &Pane, camera: &Camera, drawn: &Rate, time: f64, has_title: bool) {
    let painter = ui.painter_at(pane.rect);
    let corner = pane.rect.left_top() + vec2(12.0, 10.0);
    if has_title {
        plated(&painter, corner, Align2::LEFT_TOP, &pane.title, 15.0);
    } else if pane.layout.is_none() {
        plated(&painter, pane.rect.center(), Align2::CENTER_CENTER, "waiting for the simulation", 15.0);
    }
    legend(&painter, pane);
    status(&painter, pane, drawn, time);
    hands(&painter, pane, camera);
}

fn plated(painter: &Painter, place: Pos2, anchor: Align2, text: &str, size: f32) -> Rect {
    colored(painter, place, anchor, text, size, INK)
}

fn colored(painter: &Painter, place: Pos2, anchor: Align2, text: &str, size: f32, color: Color32) -> Rect {
    let galley = painter.layout_no_wrap(text.to_owned(), FontId::proportional(size), color);
    let rect = anchor.anchor_size(place, galley.size());
    painter.rect_filled(rect.expand2(vec2(6.0, 3.0)), CornerRadius::same(4), PLATE);
    painter.galley(rect.min, galley, color);
    rect
}

/// Time, step, how fast it is drawn and computed, and whether it falls behind.
fn status(painter: &Painter, pane: &Pane, drawn: &Rate, time: f64) {
    let Some(frame) = &pane.frame else { return };
    let mut parts = vec![format!("{:.2} s", frame.time)];
    match &pane.player {
        Some(player) => parts.push(format!("frame {} of {}", frame.step, player.last_frame().unwrap_or(0))),
        None => parts.push(format!("step {}", frame.step)),
    }
    if let Some(rate) = drawn.at(time) {
        parts.push(format!("{rate:.0} pictures/s"));
    }
    if frame.measured.milliseconds > 0.0 {
        parts.push(format!("{} ms a step", short(frame.measured.milliseconds)));
    }
    let place = pane.rect.left_bottom() + vec2(12.0, -10.0);
    let rect = plated(painter, place, Align2::LEFT_BOTTOM, &parts.join("  ·  "), 13.0);
    let speed = pane.controls.as_ref().map_or(1.0, |controls| controls.speed);
    if let Some(pace) = lag(frame.measured.pace, speed).filter(|_| pane.is_playing() && pane.player.is_none()) {
        let text = format!("falls behind: {} × real time", short(pace));
        colored(painter, rect.left_top() - vec2(0.0, 9.0), Align2::LEFT_BOTTOM, &text, 13.0, WARNING);
    }
}

/// A bar of colours with numbers.
fn legend(painter: &Painter, pane: &Pane) {
    let (Some(controls), Some(frame)) = (&pane.controls, &pane.frame) else { return };
    if controls.coloring == Coloring::Body || frame.values.is_empty() {
        return;
    }
    let (width, thick) = (150.0, 10.0);
    let corner = pane.rect.right_top() + vec2(-width - 20.0, 14.0);
    let plate = Rect::from_min_size(corner - vec2(10.0, 7.0), vec2(width + 20.0, 56.0));
    painter.rect_filled(plate, CornerRadius::same(4), PLATE);
    painter.text(corner, Align2::LEFT_TOP, controls.coloring.name(), FontId::proportional(13.0), INK);
    let top = corner.y + 19.0;
    let steps = 75;
    for step in 0..steps {
        let [r, g, b] = value_color((step as f32 + 0.5) / steps as f32);
        let x = corner.x + step as f32 * width / steps as f32;
        let piece = Rect::from_min_size(pos2(x, top), vec2(width / steps as f32 + 0.5, thick));
        painter.rect_filled(piece, CornerRadius::ZERO, Color32::from_rgb(r, g, b));
    }
    let marks = [(0.0, Align2::LEFT_TOP), (0.5, Align2::CENTER_TOP), (1.0, Align2::RIGHT_TOP)];
    for (share, anchor) in marks {
        let place = pos2(corner.x + share * width, top + thick + 2.0);
        let text = short(f64::from(share * frame.most));
        painter.text(place, anchor, text, FontId::proportional(12.0), INK);
    }
}

/// What pointers hold, where they pull it, and strokes.
fn hands(painter: &Painter, pane: &Pane, camera: &Camera) {
    let origin = pane.rect.min;
    let place = |place: DVec2| origin + vec2(place.x as f32, place.y as f32);
    for held in pane.held.values() {
        let target = camera.project(held.target, pane.size());
        let vertex = pane.vertex(held.vertex).and_then(|point| camera.project(point, pane.size()));
        if let (Some(target), Some(vertex)) = (target, vertex) {
            painter.line_segment([place(vertex), place(target)], Stroke::new(1.5, MARK));
        }
        if let Some(vertex) = vertex {
            painter.circle_stroke(place(vertex), 6.0, Stroke::new(2.0, MARK));
        }
        if let Some(target) = target {
            painter.circle_filled(place(target), 3.0, MARK);
        }
    }
    for stroke in pane.gestures.strokes() {
        let points: Vec<Pos2> = stroke.iter().map(|&point| place(point)).collect();
        painter.add(Shape::line(points.clone(), Stroke::new(4.0, Color32::from_white_alpha(180))));
        painter.add(Shape::line(points, Stroke::new(2.0, MARK)));
    }
}

/// Notices in the middle above; a click closes one.
pub(crate) fn notices(ui: &Ui, number: usize, pane: &mut Pane, time: f64) {
    let rect = pane.rect;
    let mut closed = None;
    let shown: Vec<_> = pane.notices.at(time).to_vec();
    if shown.is_empty() {
        return;
    }
    let width = (rect.width() - 40.0).clamp(120.0, 460.0);
    let area = Area::new(Id::unique(("notices", number)))
        .order(Order::Foreground)
        .constrain(false)
        .pivot(Align2::CENTER_TOP)
        .fixed_pos(rect.center_top() + vec2(0.0, 12.0));
    area.show(ui.ctx(), |ui| {
        ui.set_width(width);
        for (index, notice) in shown.iter().enumerate() {
            ui.set_opacity(notice.strength(time) as f32);
            let color = match notice.notice.severity {
                Severity::Info => INK,
                Severity::Refused => WARNING,
                Severity::Stopped => ALARM,
            };
            let frame = Frame::new()
                .fill(Color32::from_white_alpha(240))
                .stroke(Stroke::new(1.0, color))
                .corner_radius(CornerRadius::same(6))
                .inner_margin(Margin::symmetric(12, 8));
            let response = frame.show(ui, |ui| {
                ui.set_width(width - 26.0);
                ui.label(RichText::new(notice.text()).color(color));
                if let Some(hint) = &notice.notice.hint {
                    ui.label(RichText::new(hint).color(INK).small());
                }
            });
            if response.response.interact(eframe::egui::Sense::click()).clicked() {
                closed = Some(index);
            }
        }
    });
    if let Some(index) = closed {
        pane.notices.close(index);
    }
}
