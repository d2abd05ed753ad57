//! Small pictures on buttons, drawn as shapes: the font has none.

use eframe::egui::{Pos2, Rect, Response, Role, Sense, Shape, Stroke, Ui, Vec2, WidgetInfo, pos2, vec2};

use super::places;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Icon {
    Play,
    Pause,
    Next,
    Previous,
    Reset,
    Slower,
    Faster,
    Hand,
    Cut,
    Panel,
}

/// A button with a picture; `name` is told on hovering.
pub(crate) fn button(ui: &mut Ui, icon: Icon, name: &str, size: f32, is_chosen: bool) -> Response {
    let (rect, response) = ui.allocate_exact_size(Vec2::splat(size), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, ui.is_enabled(), name));
    if ui.is_rect_visible(rect) {
        let style = ui.style().interact_selectable(&response, is_chosen);
        ui.painter().rect_filled(rect.expand(style.expansion), style.corner_radius, style.weak_bg_fill);
        let side = (0.42 * size).min(20.0);
        let inner = Rect::from_center_size(rect.center(), Vec2::splat(side));
        let stroke = Stroke::new((0.1 * side).max(1.5), style.fg_stroke.color);
        ui.painter().extend(shapes(icon, inner, stroke));
    }
    places::note(&response, name);
    response.on_hover_text(name)
}

fn shapes(icon: Icon, rect: Rect, stroke: Stroke) -> Vec<Shape> {
    let at = |x: f32, y: f32| pos2(rect.left() + x * rect.width(), rect.top() + y * rect.height());
    let fill = |points: Vec<Pos2>| Shape::convex_polygon(points, stroke.color, Stroke::NONE);
    let bar =
        |x: f32, width: f32| Shape::rect_filled(Rect::from_min_max(at(x, 0.0), at(x + width, 1.0)), 0.0, stroke.color);
    let right = |x: f32, width: f32| fill(vec![at(x, 0.0), at(x + width, 0.5), at(x, 1.0)]);
    let left = |x: f32, width: f32| fill(vec![at(x + width, 0.0), at(x + width, 1.0), at(x, 0.5)]);
    let line = |points: Vec<Pos2>| Shape::line(points, stroke);
    let circle = |x: f32, y: f32, radius: f32| Shape::circle_stroke(at(x, y), radius * rect.width(), stroke);
    match icon {
        Icon::Play => vec![right(0.1, 0.85)],
        Icon::Pause => vec![bar(0.1, 0.28), bar(0.62, 0.28)],
        Icon::Next => vec![right(0.05, 0.65), bar(0.75, 0.18)],
        Icon::Previous => vec![bar(0.07, 0.18), left(0.3, 0.65)],
        Icon::Slower => vec![left(0.0, 0.5), left(0.5, 0.5)],
        Icon::Faster => vec![right(0.0, 0.5), right(0.5, 0.5)],
        Icon::Reset => {
            let radius = 0.45 * rect.width();
            let arc = (0..=20).map(|k| {
                let angle = (-60.0 + 290.0 * k as f32 / 20.0).to_radians();
                rect.center() + radius * vec2(angle.cos(), angle.sin())
            });
            let arc: Vec<Pos2> = arc.collect();
            let tip = arc[0];
            vec![
                line(arc),
                fill(vec![
                    tip + vec2(-0.32, -0.2) * rect.width(),
                    tip + vec2(0.2, -0.12) * rect.width(),
                    tip + vec2(-0.05, 0.32) * rect.width(),
                ]),
            ]
        }
        Icon::Hand => {
            // A vertex that is pulled.
            vec![
                circle(0.2, 0.8, 0.17),
                line(vec![at(0.33, 0.67), at(0.9, 0.1)]),
                fill(vec![at(1.0, 0.0), at(0.95, 0.4), at(0.6, 0.05)]),
            ]
        }
        Icon::Cut => vec![
            circle(0.18, 0.85, 0.15),
            circle(0.82, 0.85, 0.15),
            line(vec![at(0.26, 0.71), at(0.75, 0.0)]),
            line(vec![at(0.74, 0.71), at(0.25, 0.0)]),
        ],
        Icon::Panel => {
            (0..3).map(|k| line(vec![at(0.0, 0.1 + 0.4 * k as f32), at(1.0, 0.1 + 0.4 * k as f32)])).collect()
        }
    }
}
