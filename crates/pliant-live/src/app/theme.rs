//! Letters, colours and sizes.

use std::sync::Arc;

use eframe::egui::{self, Color32, CornerRadius, FontData, FontDefinitions, FontFamily, Theme, Visuals};

/// Text over pictures, and what lies behind it.
pub(crate) const INK: Color32 = Color32::from_rgb(0x2b, 0x34, 0x40);
pub(crate) const PLATE: Color32 = Color32::from_rgba_premultiplied(0xbd, 0xbd, 0xbd, 0xbd);
/// What is held, cut or pointed at.
pub(crate) const MARK: Color32 = Color32::from_rgb(0xe2, 0x6d, 0x3d);
/// Something could not be done.
pub(crate) const WARNING: Color32 = Color32::from_rgb(0xb3, 0x5c, 0x00);
/// The simulation stands still.
pub(crate) const ALARM: Color32 = Color32::from_rgb(0xb0, 0x2a, 0x3c);
/// Lines of plots.
pub(crate) const LINES: [Color32; 8] = [
    Color32::from_rgb(0x2f, 0x6f, 0xb5),
    Color32::from_rgb(0xe2, 0x6d, 0x3d),
    Color32::from_rgb(0x3f, 0x9b, 0x76),
    Color32::from_rgb(0xc8, 0x45, 0x5a),
    Color32::from_rgb(0xd9, 0xa4, 0x2e),
    Color32::from_rgb(0x7a, 0x5f, 0xae),
    Color32::from_rgb(0x3a, 0xa3, 0xb5),
    Color32::from_rgb(0x8a, 0x6a, 0x50),
];

/// Narrower windows [points] have a bar and a sheet in place of the panel.
pub(crate) const NARROW: f32 = 700.0;
/// Height of what fingers touch.
pub(crate) const FINGER: f32 = 44.0;

/// The one font that is linked into the program.
pub(crate) fn fonts() -> FontDefinitions {
    let mut fonts = FontDefinitions::empty();
    let name = "Ubuntu-Light";
    fonts.font_data.insert(name.to_owned(), Arc::new(FontData::from_static(epaint_default_fonts::UBUNTU_LIGHT)));
    for family in [FontFamily::Proportional, FontFamily::Monospace] {
        fonts.families.insert(family, vec![name.to_owned()]);
    }
    fonts
}

pub(crate) fn install(context: &egui::Context) {
    context.set_fonts(fonts());
    context.set_theme(Theme::Light);
    context.all_styles_mut(|style| {
        style.visuals = Visuals::light();
        let visuals = &mut style.visuals;
        visuals.panel_fill = Color32::from_rgb(0xf6, 0xf7, 0xf9);
        visuals.window_fill = visuals.panel_fill;
        visuals.override_text_color = Some(INK);
        visuals.selection.bg_fill = Color32::from_rgb(0xbb, 0xd3, 0xec);
        for widget in [
            &mut visuals.widgets.inactive,
            &mut visuals.widgets.hovered,
            &mut visuals.widgets.active,
            &mut visuals.widgets.open,
        ] {
            widget.corner_radius = CornerRadius::same(5);
        }
        style.spacing.item_spacing = egui::vec2(8.0, 6.0);
        style.spacing.button_padding = egui::vec2(8.0, 4.0);
        style.spacing.slider_width = 130.0;
        for font in style.text_styles.values_mut() {
            font.family = FontFamily::Proportional;
        }
    });
}

/// What eframe should be told to open a window for the view. It draws into pictures of its own, so that the window needs neither a depth buffer nor several samples.
#[cfg(not(target_arch = "wasm32"))]
pub fn native_options(title: &str) -> eframe::NativeOptions {
    let viewport = egui::ViewportBuilder::default()
        .with_title(title)
        .with_inner_size([1280.0, 800.0])
        .with_min_inner_size([320.0, 400.0]);
    eframe::NativeOptions {
        viewport,
        renderer: eframe::Renderer::Wgpu,
        multisampling: 0,
        depth_buffer: 0,
        stencil_buffer: 0,
        ..eframe::NativeOptions::default()
    }
}

/// A number for a label: three digits that matter.
pub(crate) fn short(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() {
        "?".to_owned()
    } else if size == 0.0 {
        "0".to_owned()
    } else if (1e-3..1e5).contains(&size) {
        let digits = (2 - size.log10().floor() as i32).clamp(0, 5) as usize;
        let text = format!("{value:.digits$}");
        let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
        text.to_owned()
    } else {
        format!("{value:.1e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        let found = [0.0, 1.0, 0.25, 123.4, 0.01234, 4567.8, 1e-6, f64::NAN].map(short);
        assert_eq!(found, ["0", "1", "0.25", "123", "0.0123", "4568", "1.0e-6", "?"]);
    }

    #[test]
    fn the_font_has_every_character_that_the_view_writes() {
        let context = egui::Context::default();
        install(&context);
        let mut missing = None;
        let mut output = context.run_ui(egui::RawInput::default(), |ui| {
            let font = egui::FontId::proportional(14.0);
            let texts = [
                include_str!("bar.rs"),
                include_str!("overlay.rs"),
                include_str!("panel.rs"),
                include_str!("plots.rs"),
                include_str!("saving.rs"),
                include_str!("viewport.rs"),
                include_str!("logic/keys.rs"),
                "äöüß²³·×µ±°−",
            ];
            let used = texts.iter().flat_map(|text| text.chars()).filter(|c| !c.is_ascii());
            missing =
                missing.or(used.into_iter().find(|&c| ui.fonts_mut(|fonts| !fonts.has_glyphs(&font, &c.to_string()))));
        });
        // Nothing is drawn here.
        output.textures_delta.clear();
        assert_eq!(missing, None);
    }
}
