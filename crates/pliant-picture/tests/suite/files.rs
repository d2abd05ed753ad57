//! What is written can be read back.
#![allow(clippy::unwrap_used)]

use std::io::Cursor;

use pliant::math::Vec3;
use pliant_picture::plot::{Axis, Figure, Plot, Series, Style};
use pliant_picture::{Animation, Camera, Color, Ground, Image, Points, RenderOptions, Scene, ViewError, render};

/// A ball that crosses the picture.
fn frames(count: usize) -> Vec<Image> {
    let options =
        RenderOptions { width: 120, height: 80, sky_samples: 8, shadow_resolution: 128, ..Default::default() };
    let camera = Camera::new(Vec3::new(0.0, 1.0, 5.0), Vec3::ZERO);
    let frame = |k: usize| {
        let middle = Vec3::new(k as f64 * 0.2 - 0.6, 0.0, 0.0);
        let points = vec![Points::new(vec![middle], 0.4, Color::of_body(k))];
        render(&Scene { points, ground: Some(Ground::at(-0.4)), ..Scene::default() }, &camera, &options).unwrap()
    };
    (0..count).map(frame).collect()
}

fn animation(count: usize) -> Animation {
    let mut animation = Animation::new(20.0);
    frames(count).into_iter().for_each(|frame| animation.push(frame).unwrap());
    animation
}

#[test]
fn a_png_holds_every_pixel() {
    let image = &frames(1)[0];
    let mut reader = png::Decoder::new(Cursor::new(image.to_png().unwrap())).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    assert_eq!((info.width, info.height), (120, 80));
    assert!(bytes == image.bytes());
}

#[test]
fn an_animated_png_holds_every_frame() {
    let animation = animation(5);
    let mut reader = png::Decoder::new(Cursor::new(animation.to_apng().unwrap())).read_info().unwrap();
    assert_eq!(reader.info().animation_control().unwrap().num_frames, 5);
    for frame in animation.frames() {
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut bytes).unwrap();
        assert!(bytes == frame.bytes());
        let control = reader.info().frame_control().unwrap();
        assert_eq!(f64::from(control.delay_num) / f64::from(control.delay_den), 0.05);
    }
}

#[test]
fn a_gif_shows_every_frame_within_its_few_colours() {
    let animation = animation(6);
    let bytes = animation.to_gif().unwrap();
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(Cursor::new(bytes)).unwrap();
    let mut shown = vec![[0u8; 3]; 120 * 80];
    let mut delays = 0;
    for frame in animation.frames() {
        let part = decoder.read_next_frame().unwrap().unwrap();
        delays += part.delay;
        for (k, pixel) in part.buffer.chunks(4).enumerate().filter(|(_, pixel)| pixel[3] > 0) {
            let x = usize::from(part.left) + k % usize::from(part.width);
            let y = usize::from(part.top) + k / usize::from(part.width);
            shown[y * 120 + x] = [pixel[0], pixel[1], pixel[2]];
        }
        let error: f64 = (shown.as_flattened().iter().zip(frame.bytes()))
            .map(|(&a, &b)| f64::from(a.abs_diff(b)).powi(2))
            .sum::<f64>()
            / frame.bytes().len() as f64;
        assert!(error.sqrt() < 4.0, "root mean square error of {} of 255", error.sqrt());
    }
    assert_eq!(delays, 30, "six frames at 20 a second take 30 hundredths");
    assert!(decoder.read_next_frame().unwrap().is_none());
}

#[test]
fn a_png_of_few_colours_is_smaller_and_looks_the_same() {
    let image = &frames(1)[0];
    let bytes = image.to_indexed_png().unwrap();
    assert!(2 * bytes.len() < image.to_png().unwrap().len());
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().unwrap();
    let mut shown = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut shown).unwrap();
    let squares = shown.iter().zip(image.bytes()).map(|(&a, &b)| f64::from(a.abs_diff(b)).powi(2));
    let error = (squares.sum::<f64>() / shown.len() as f64).sqrt();
    assert!(error < 4.0, "root mean square error of {error} of 255");
}

#[test]
fn a_video_holds_every_frame() {
    let path = std::env::temp_dir().join(format!("pliant-picture-video-{}.mp4", std::process::id()));
    let animation = animation(6);
    match animation.save_mp4(&path) {
        Err(ViewError::FfmpegNotFound) => return println!("skipped: ffmpeg is not installed"),
        saved => saved.unwrap(),
    }
    let back = std::process::Command::new("ffmpeg")
        .args(["-loglevel", "error", "-i"])
        .arg(&path)
        .args(["-f", "rawvideo", "-pix_fmt", "rgb24", "-"])
        .output()
        .unwrap();
    assert!(back.status.success(), "{}", String::from_utf8_lossy(&back.stderr));
    let bytes: Vec<u8> = animation.frames().iter().flat_map(|frame| frame.bytes().to_vec()).collect();
    assert_eq!(back.stdout.len(), bytes.len());
    // Video loses colour detail; a wrong or missing frame would be off by much more.
    let mean = back.stdout.iter().zip(&bytes).map(|(a, b)| f64::from(a.abs_diff(*b))).sum::<f64>() / bytes.len() as f64;
    assert!(mean < 6.0, "mean difference {mean} of 255");
    std::fs::remove_file(path).unwrap();
}

#[test]
fn animations_need_frames_of_one_size() {
    assert!(matches!(Animation::new(25.0).to_gif(), Err(ViewError::Empty("frames"))));
    let mut animation = Animation::new(25.0);
    animation.push(Image::new(4, 4, [0; 3])).unwrap();
    let error = animation.push(Image::new(4, 5, [0; 3])).unwrap_err();
    assert_eq!(error.to_string(), "frame 1 has 4×5 pixels, but the first has 4×4");
    let mut stopped = Animation::new(0.0);
    stopped.push(Image::new(4, 4, [0; 3])).unwrap();
    assert!(matches!(stopped.to_apng(), Err(ViewError::BadParameter { .. })));
    let mut nothing = Animation::new(25.0);
    nothing.push(Image::new(0, 4, [0; 3])).unwrap();
    assert!(matches!(nothing.to_gif(), Err(ViewError::ImageSize { .. })));
    assert!(Image::new(0, 0, [0; 3]).to_png().is_err());
}

fn plot() -> Plot {
    let line = |slope: f64| (0..20).map(|k| [f64::from(k), slope * f64::from(k)]).collect();
    Plot {
        title: "Sag < 1 & more".to_owned(),
        x: Axis::linear("time [s]"),
        y: Axis::linear("sag [m]"),
        series: vec![
            Series::new("soft", line(2.0)),
            Series { style: Style::Dashed, ..Series::new("predicted", line(1.0)) },
            Series { style: Style::Dots, ..Series::new("", vec![[3.0, 4.0], [f64::NAN, 1.0]]) },
        ],
        ..Plot::default()
    }
}

#[test]
fn a_line_is_plotted_where_its_axes_say() {
    let corner = [[0.0, 0.0], [10.0, 10.0]];
    let plot = Plot {
        x: Axis::linear("").with_range(0.0, 10.0),
        y: Axis::linear("").with_range(0.0, 10.0),
        series: vec![Series { color: Some(Color::hex(0xff0000)), ..Series::new("", corner.to_vec()) }],
        ..Plot::default()
    };
    let image = plot.to_image().unwrap();
    let red = |x: usize, y: usize| image.pixel(x, y) == [255, 0, 0];
    let hits: Vec<[usize; 2]> = (0..800 * 500).map(|k| [k % 800, k / 800]).filter(|&[x, y]| red(x, y)).collect();
    let [first, last] = [hits.iter().min().unwrap(), hits.iter().max().unwrap()];
    // Half-way along the line in both directions.
    let middle = [(first[0] + last[0]) / 2, (first[1] + last[1]) / 2];
    assert!((middle[1] - 2..=middle[1] + 2).any(|y| red(middle[0], y)), "{first:?} to {last:?}");
    assert!(last[0] - first[0] > 700 && first[1] - last[1] > 400);
}

#[test]
fn svg_has_its_texts_and_is_escaped() {
    let svg = plot().to_svg().unwrap();
    for text in ["Sag &lt; 1 &amp; more", "time [s]", "sag [m]", "soft", "predicted", "stroke-dasharray", "<circle"] {
        assert!(svg.contains(text), "{text} is missing");
    }
    assert!(!svg.contains("NaN") && !svg.contains("inf"));
    assert_eq!(svg.matches("<text").count(), svg.matches("</text>").count());
}

#[test]
fn a_figure_has_its_plots_beside_and_below_each_other() {
    let figure = Figure { plots: vec![plot(), plot(), plot()], columns: 2 };
    let (one, image) = (plot().to_image().unwrap(), figure.to_image().unwrap());
    assert_eq!((image.width(), image.height()), (2 * one.width(), 2 * one.height()));
    for (left, top) in [(0, 0), (one.width(), 0), (0, one.height())] {
        let differing = (0..one.width() * one.height())
            .map(|k| (k % one.width(), k / one.width()))
            .filter(|&(x, y)| one.pixel(x, y) != image.pixel(left + x, top + y))
            .count();
        assert_eq!(differing, 0, "at ({left}, {top})");
    }
    assert_eq!(figure.to_svg().unwrap().matches("time [s]").count(), 3);
    assert!(matches!(Figure { plots: vec![], columns: 2 }.to_svg(), Err(ViewError::Empty("plots"))));
}

#[test]
fn odd_plots_are_drawn_and_impossible_ones_refused() {
    let points = vec![[0.0, 0.0], [-1.0, 1e300], [f64::NAN, 1.0], [1e-300, f64::INFINITY], [5.0, 5.0]];
    for (x, y) in [(Axis::linear("a"), Axis::log("b")), (Axis::log("a"), Axis::linear("b"))] {
        for style in [Style::Line, Style::Dashed, Style::Dots] {
            let series = vec![Series { style, ..Series::new("odd", points.clone()) }];
            let plot = Plot { x: x.clone(), y: y.clone(), series, ..Plot::default() };
            plot.to_image().unwrap();
            assert!(!plot.to_svg().unwrap().contains("NaN"));
        }
    }
    Plot::default().to_image().unwrap();
    assert!(matches!(Plot { width: 0, ..plot() }.to_svg(), Err(ViewError::ImageSize { .. })));
    let backwards = Plot { x: Axis::log("").with_range(-1.0, 1.0), ..plot() };
    assert!(matches!(backwards.to_svg(), Err(ViewError::BadParameter { .. })));
}
