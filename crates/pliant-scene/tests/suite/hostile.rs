//! Whatever stands in a scene file: no panic, no memory without bound, and every error names a place.
#![allow(clippy::unwrap_used)]

use std::time::{Duration, Instant};

use pliant_scene::{BUILTIN, Scene, SceneError};

/// Enough for the scenes that come with Pliant, with the lattices that fill their solids.
const MOST_VERTICES: u64 = 120_000;

/// Builds a scene that nobody vouches for.
fn build(text: &str) -> Result<(), SceneError> {
    Scene::parse("hostile.toml", text, &[])?.with_most_vertices(MOST_VERTICES).build().map(|_| ())
}

/// The error names a place that is in the text.
fn check_place(text: &str, error: &SceneError) {
    let (line, column) = error.place.unwrap_or_else(|| panic!("no place: {error}\n{text}"));
    let lines = text.lines().count().max(1);
    assert!(line >= 1 && line <= lines + 1, "line {line} of {lines}: {error}");
    let length = text.lines().nth(line - 1).map_or(0, |line| line.chars().count());
    assert!(column >= 1 && column <= length + 1, "column {column} of {length}: {error}");
    assert!(!error.message.is_empty());
}

/// Small, fast, repeatable random numbers (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    fn choose<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}

const VALUES: &[&str] = &[
    "0",
    "-1",
    "1",
    "0.5",
    "-0.0",
    "1e9",
    "1000000000",
    "18446744073709551615",
    "9223372036854775807",
    "1e308",
    "1e-308",
    "nan",
    "inf",
    "-inf",
    "true",
    "\"\"",
    "\"top\"",
    "[]",
    "[0, 0, 0]",
    "[nan, 0, 0]",
    "[1e200, 1e200, 1e200]",
    "{}",
    "[{}]",
    "[[]]",
    "{ all = {} }",
    "\"all\"",
    "{ vertices = [0, 0] }",
    "{ vertices = [] }",
    "{ side = \"top\" }",
    "1979-05-27",
    "\"\\u0000\"",
    "\"ü€😀\"",
];

/// Byte ranges of tokens: words, numbers, and single other characters.
fn tokens(text: &str) -> Vec<std::ops::Range<usize>> {
    let is_word = |c: char| c.is_alphanumeric() || "_-.".contains(c);
    let mut tokens: Vec<std::ops::Range<usize>> = Vec::new();
    let mut in_word = false;
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        match tokens.last_mut() {
            Some(last) if in_word && is_word(c) => last.end = end,
            _ => tokens.push(at..end),
        }
        in_word = is_word(c);
    }
    tokens
}

/// A text with one to three changes.
fn mutated(text: &str, random: &mut Random) -> String {
    let mut text = text.to_owned();
    for _ in 0..=random.below(3) {
        let tokens = tokens(&text);
        let token = random.choose(&tokens).clone();
        let number = tokens.iter().filter(|t| text[(*t).clone()].starts_with(|c: char| c.is_ascii_digit() || c == '-'));
        let numbers: Vec<_> = number.cloned().collect();
        let lines: Vec<&str> = text.lines().collect();
        text = match random.below(8) {
            // Numbers are what most mistakes are made with.
            0..=2 if !numbers.is_empty() => {
                let range = random.choose(&numbers).clone();
                format!("{}{}{}", &text[..range.start], random.choose(VALUES), &text[range.end..])
            }
            3 => format!("{}{}{}", &text[..token.start], random.choose(VALUES), &text[token.end..]),
            4 => format!("{}{}", &text[..token.start], &text[token.end..]),
            5 => {
                let other = random.choose(&tokens).clone();
                format!("{}{}{}", &text[..token.start], &text[other], &text[token.end..])
            }
            6 => {
                let (gone, line) = (random.below(lines.len()), *random.choose(&lines));
                let mut lines = lines.clone();
                if random.below(2) == 0 {
                    lines.remove(gone);
                } else {
                    lines.insert(gone, line)
                }
                lines.join("\n")
            }
            _ => text[..token.end].to_owned(),
        };
        if text.is_empty() {
            break;
        }
    }
    text
}

fn run_mutations(seconds: u64, first_seed: u64) -> (usize, usize) {
    let end = Instant::now() + Duration::from_secs(seconds);
    let (mut count, mut refused) = (0, 0);
    for seed in first_seed.. {
        if Instant::now() > end {
            break;
        }
        let mut random = Random(seed);
        let text = mutated(random.choose(BUILTIN).text, &mut random);
        count += 1;
        let outcome = std::panic::catch_unwind(|| build(&text));
        match outcome.unwrap_or_else(|_| panic!("seed {seed} panics:\n{text}")) {
            Ok(()) => {}
            Err(error) => {
                refused += 1;
                check_place(&text, &error);
            }
        }
    }
    (count, refused)
}

#[test]
fn mutated_scenes_are_built_or_refused_at_a_place() {
    let (count, refused) = run_mutations(8, 0);
    println!("{count} scenes, {refused} refused");
    assert!(refused > 20 && refused < count, "{refused} of {count} refused");
}

#[test]
#[ignore = "long: two minutes of mutated scenes"]
fn many_mutated_scenes_are_built_or_refused_at_a_place() {
    let (count, refused) = run_mutations(120, 1 << 32);
    println!("{count} scenes, {refused} refused");
    assert!(refused > 20 && refused < count, "{refused} of {count} refused");
}

/// Each asks for a thousand million vertices or more; memory for them would not be there, nor the time.
#[test]
fn scenes_of_a_thousand_million_vertices_are_refused_before_they_take_memory() {
    let begun = Instant::now();
    for (shape, line) in [
        ("shape.sheet = { width = 1, height = 1, columns = 40000, rows = 40000 }", 3),
        ("shape.disc = { radius = 1, rings = 30000, sectors = 6 }", 3),
        ("shape.icosphere = { radius = 1, subdivisions = 30 }", 3),
        ("shape.cylinder = { radius = 1, height = 1, segments = 100000, rings = 100000 }", 3),
        (
            "shape.torus = { major_radius = 1, minor_radius = 0.1, major_segments = 1000000, minor_segments = 1000000 }",
            3,
        ),
        ("shape.box = { size = [1, 1, 1], cells = [1000, 1000, 1000] }", 3),
        ("shape.box = { size = [1, 1, 1], cells = [9000000000000000000, 9000000000000000000, 9] }", 3),
        ("shape.rope = { from = [0, 0, 0], to = [1, 0, 0], segments = 1000000000 }", 3),
        ("shape.bundle = { radius = 1, count = 1000000, direction = [0, 1, 0], length = 1, segments = 1000 }", 3),
        ("shape.sdf = { solid = { sphere = { radius = 1 } }, cells = 1000 }", 3),
        ("shape.sdf = { solid = { sphere = { radius = 1 } }, cell = 1e-40 }", 3),
    ] {
        let material = match shape {
            _ if shape.contains("rope") || shape.contains("bundle") => "strand",
            _ if shape.contains("box") || shape.contains("sdf") => "solid",
            _ => "cloth",
        };
        let text = format!("[[body]]\nname = \"huge\"\n{shape}\nmaterial.{material} = {{}}\n");
        let error = Scene::parse("huge.toml", &text, &[]).unwrap().build().map(|_| ()).unwrap_err();
        assert!(error.message.contains("too many vertices"), "{error}");
        assert_eq!(error.place.map(|(line, _)| line), Some(line), "{error}");
    }
    // Many bodies of moderate size are counted together.
    let body = |k: usize| {
        format!(
            "[[body]]\nname = \"{k}\"\nshape.box = {{ size = [1, 1, 1], cells = [17, 17, 17] }}\nmaterial.solid = {{}}\n"
        )
    };
    let text: String = (0..2).map(body).collect();
    let together = Scene::parse("two.toml", &text, &[]).unwrap().with_most_vertices(12_000);
    let error = together.build().map(|_| ()).unwrap_err();
    assert!(error.message.contains("1255 are left") && error.place == Some((7, 13)), "{error}");
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

#[test]
fn nesting_without_end_is_refused_and_does_not_overflow_the_stack() {
    let deep = 20_000;
    let nested = format!(
        "{}{{ sphere = {{ radius = 1 }} }}{}",
        "{ offset = { distance = 0, of = ".repeat(deep),
        " } }".repeat(deep)
    );
    let body = "[[body]]\nname = \"deep\"\nmaterial.solid = {}\n";
    let headers = format!("{body}[body.shape.sdf.solid{}]\nradius = 1\n", ".offset.of".repeat(deep));
    let dotted = format!("{body}shape.sdf.solid{}.sphere.radius = 1\n", ".offset.of".repeat(deep));
    for text in
        [format!("{body}shape.sdf.solid = {nested}\n"), headers, dotted, "[".repeat(100_000), "a.".repeat(100_000)]
    {
        let error = build(&text).unwrap_err();
        assert!(error.place.is_some(), "{}", error.message);
    }
    // And a list without end of solids is refused for its length.
    let list = "{ sphere = { radius = 1 } }, ".repeat(10_000);
    let error = build(&format!("{body}shape.sdf.solid.union.of = [{list}]\n")).unwrap_err();
    assert!(error.message.contains("at most 256"), "{}", error.message);
    assert_eq!(error.place.map(|(line, _)| line), Some(4));
}

/// What never ends, or is no file, is refused where it is named, before anything is read.
#[test]
#[cfg(unix)]
fn devices_pipes_and_folders_are_refused_where_they_are_named() {
    let folder = std::env::temp_dir().join(format!("pliant-scene-devices-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let pipe = folder.join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let kinds = [("/dev/zero", "a device"), (folder.to_str().unwrap(), "a folder"), (pipe.to_str().unwrap(), "a pipe")];
    for (path, what) in kinds {
        let expected = format!("is {what}, but must be a file");
        let error = Scene::read(std::path::Path::new(path), &[]).unwrap_err();
        assert_eq!(error.message, expected);
        let body = "[[body]]\nname = \"a\"\nmaterial.cloth = {}\n";
        let sheet = "shape.sheet = { width = 1, height = 1, columns = 1, rows = 1 }\n";
        for (text, place) in [
            (format!("include = [\"{path}\"]\n{body}{sheet}"), (1, 12)),
            (format!("{body}shape.file.path = \"{path}\"\n"), (4, 19)),
            (format!("{body}{sheet}[[collider]]\nshape.file.path = \"{path}\"\n"), (6, 19)),
            (format!("{body}{sheet}[[collider]]\nshape.plane = {{}}\nmotion.path = \"{path}\"\n"), (7, 15)),
        ] {
            let error = build(&text).unwrap_err();
            assert!(error.message.contains(path) && error.message.contains(&expected), "{error}");
            assert_eq!(error.place, Some(place), "{error}");
        }
    }
    // The largest text that is read, and one more byte.
    let long = folder.join("long.toml");
    std::fs::write(&long, vec![b'#'; (16 << 20) + 1]).unwrap();
    let error = Scene::read(&long, &[]).unwrap_err();
    assert!(error.message.contains("too large for a scene file, which may have 16777216 bytes"), "{error}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn numbers_that_nothing_could_mean_are_refused_with_the_range() {
    let text = |gravity: &str| {
        let body = "[[body]]\nname = \"a\"\nshape.rope = { from = [0, 0, 0], to = [1, 0, 0], segments = 2 }\n";
        format!("{body}material.strand = {{}}\n[world]\ngravity = [0, {gravity}, 0]\n")
    };
    for (value, shown) in [("1e308", "1e308"), ("-1e308", "-1e308"), ("1e-308", "1e-308"), ("-1.5e21", "-1.5e21")] {
        let error = build(&text(value)).unwrap_err();
        let expected = format!("gravity[1] is {shown}, but must be 0 or of a size from 1e-40 to 1e20");
        assert_eq!((error.message.as_str(), error.place), (expected.as_str(), Some((6, 15))));
    }
    let error = build(&text("nan")).unwrap_err();
    assert_eq!((error.message.as_str(), error.place), ("gravity[1] is nan, which is not a number", Some((6, 15))));
    assert!(build(&text("1e20")).is_ok() && build(&text("-1e-40")).is_ok() && build(&text("0.0")).is_ok());
}
