//! Marks as an SVG document.

use std::fmt::Write;

use super::layout::Mark;
use crate::Color;
use crate::canvas::{Anchor, Run};

pub(super) fn write(marks: &[Mark], width: usize, height: usize) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"Inter, 'Helvetica Neue', Arial, sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
    );
    for mark in marks {
        // Writing to a string cannot fail.
        let _ = write_mark(&mut svg, mark);
    }
    svg.push_str("</svg>\n");
    svg
}

fn write_mark(svg: &mut String, mark: &Mark) -> std::fmt::Result {
    match mark {
        Mark::Lines { strokes, pen, dash } => {
            let mut path = String::new();
            for stroke in strokes {
                for (k, [x, y]) in stroke.iter().enumerate() {
                    write!(path, "{}{x:.2} {y:.2}", if k == 0 { 'M' } else { 'L' })?;
                }
                // A point has no length, but a round cap.
                if stroke.len() == 1 {
                    path.push_str("h0");
                }
            }
            if path.is_empty() {
                return Ok(());
            }
            write!(
                svg,
                "<path d=\"{path}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"",
                hex(pen.color),
                pen.width
            )?;
            if pen.opacity < 1.0 {
                write!(svg, " opacity=\"{}\"", pen.opacity)?;
            }
            if let Some([drawn, left_out]) = dash {
                write!(svg, " stroke-dasharray=\"{drawn} {left_out}\"")?;
            } else {
                svg.push_str(" stroke-linecap=\"round\"");
            }
            svg.push_str(" stroke-linejoin=\"round\"/>\n");
            Ok(())
        }
        Mark::Dots { middles, radius, color } => {
            writeln!(svg, "<g fill=\"{}\">", hex(*color))?;
            for [x, y] in middles {
                writeln!(svg, "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"{radius}\"/>")?;
            }
            writeln!(svg, "</g>")
        }
        Mark::Box { from, to, color, opacity } => writeln!(
            svg,
            "<rect x=\"{:.2}\" y=\"{:.2}\" width=\"{:.2}\" height=\"{:.2}\" rx=\"3\" fill=\"{}\" opacity=\"{opacity}\"/>",
            from[0],
            from[1],
            to[0] - from[0],
            to[1] - from[1],
            hex(*color)
        ),
        Mark::Text { text, at: [x, y], size, anchor, run, color } => {
            let anchor = match anchor {
                Anchor::Start => "start",
                Anchor::Middle => "middle",
                Anchor::End => "end",
            };
            let turn =
                if *run == Run::Up { format!(" transform=\"rotate(-90 {x:.2} {y:.2})\"") } else { String::new() };
            let fill = hex(*color);
            write!(
                svg,
                "<text x=\"{x:.2}\" y=\"{y:.2}\" font-size=\"{size}\" text-anchor=\"{anchor}\" fill=\"{fill}\"{turn}>"
            )?;
            writeln!(svg, "{}</text>", escaped(text))
        }
    }
}

fn hex(color: Color) -> String {
    let [r, g, b] = color.0;
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// Text for XML; control characters, which it cannot hold, become spaces.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            letter if letter.is_control() => out.push(' '),
            letter => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_break_the_document() {
        assert_eq!(escaped("a<b & \"c\"\u{1}"), "a&lt;b &amp; &quot;c&quot; ");
    }
}
