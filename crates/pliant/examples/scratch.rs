use pliant::math::Vec3;
use pliant::sparse::*;
use std::sync::Arc;
use std::time::Instant;
fn cloth(s: usize) -> (Vec<Vec3>, Vec<(u32, u32)>) {
    let id = |i: usize, j: usize| (i * s + j) as u32;
    let mut e = vec![];
    let mut p = vec![];
    for i in 0..s {
        for j in 0..s {
            p.push(Vec3::new(i as f64, j as f64, 0.0) / (s - 1) as f64);
            for (a, b) in [(0, 1), (1, 0), (1, 1), (0, 2), (2, 0)] {
                if i + a < s && j + b < s {
                    e.push((id(i, j), id(i + a, j + b)));
                }
            }
            if i + 1 < s && j > 0 {
                e.push((id(i, j), id(i + 1, j - 1)));
            }
        }
    }
    (p, e)
}
fn bar(a: usize, b: usize, c: usize) -> (Vec<Vec3>, Vec<(u32, u32)>) {
    let id = |i: usize, j: usize, k: usize| ((k * b + j) * a + i) as u32;
    let mut e = std::collections::BTreeSet::new();
    let mut pos = vec![];
    for k in 0..c {
        for j in 0..b {
            for i in 0..a {
                pos.push(Vec3::new(i as f64, j as f64, k as f64));
            }
        }
    }
    let perms = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    for k in 0..c - 1 {
        for j in 0..b - 1 {
            for i in 0..a - 1 {
                for p in perms {
                    let mut v = vec![[i, j, k]];
                    let mut q = [i, j, k];
                    for d in p {
                        q[d] += 1;
                        v.push(q);
                    }
                    for x in 0..4 {
                        for y in x + 1..4 {
                            let (u, w) = (id(v[x][0], v[x][1], v[x][2]), id(v[y][0], v[y][1], v[y][2]));
                            e.insert((u.min(w), u.max(w)));
                        }
                    }
                }
            }
        }
    }
    (pos, e.into_iter().collect())
}
use pliant::energy::*;
use pliant::prelude::*;
fn frames(name: &str) {
    let (sim, rounds) = if name == "curtain" {
        (
            move |t: usize, pr: Precision| {
                let (p, e) = cloth(81);
                let k = 120.0;
                let springs = EdgeSprings::new(e.iter().map(|&(a, b)| [a, b]).collect(), SpringStiffness::Uniform(k))
                    .build(&p)
                    .unwrap();
                let n = p.len();
                let body = pliant::Body::new(p, (0..n as u32).map(|v| (v, v, 1.0 / n as f64)).collect())
                    .with_energy(springs)
                    .pin([0, 80]);
                Simulation::builder()
                    .body(body)
                    .time_step(1.0 / 30.0)
                    .threads(t)
                    .solver(ProjectiveParams { precision: pr, ..ProjectiveParams::plain(10) })
                    .build()
                    .unwrap()
            },
            40,
        )
    } else {
        return bar_frames(name);
    };
    run(name, &sim, rounds);
}
fn bar_frames(name: &str) {
    let cells = if name == "bar1k" { [9, 9, 13] } else { [15, 15, 39] };
    let mesh = TetBox {
        cells,
        size: Vec3::new(cells[0] as f64, cells[1] as f64, cells[2] as f64) * 0.02,
        ..TetBox::default()
    }
    .mesh()
    .unwrap();
    let n = mesh.positions.len();
    println!("{name}: {} tets {} verts", mesh.tets.len(), n);
    run(
        name,
        &move |t: usize, pr: Precision| {
            let strain = TetStrain { tets: mesh.tets.clone(), stiffness: 1e6, set: StrainSet::Rotation }
                .build(&mesh.positions)
                .unwrap();
            let n = mesh.positions.len();
            let low = mesh.positions.iter().map(|p| p.z).fold(f64::MAX, f64::min);
            let pins: Vec<u32> = (0..n as u32).filter(|&v| mesh.positions[v as usize].z < low + 1e-9).collect();
            let body =
                pliant::Body::new(mesh.positions.clone(), (0..n as u32).map(|v| (v, v, 10.0 / n as f64)).collect())
                    .with_energy(strain)
                    .pin(pins);
            Simulation::builder()
                .body(body)
                .time_step(1.0 / 30.0)
                .threads(t)
                .solver(ProjectiveParams { precision: pr, ..ProjectiveParams::plain(10) })
                .build()
                .unwrap()
        },
        if name == "bar1k" { 40 } else { 15 },
    )
}
fn run(name: &str, make: &dyn Fn(usize, Precision) -> Simulation, rounds: usize) {
    if let Ok(k) = std::env::var("FR") {
        if !std::env::var("NAME").unwrap().contains(name) {
            return;
        }
        let mut sim = make(1, Precision::Single);
        let t = Instant::now();
        let k: usize = k.parse().unwrap();
        let mut best = f64::MAX;
        let mut l = 0.0;
        for _ in 0..k {
            let r = sim.step().unwrap();
            if r.seconds_total < best {
                best = r.seconds_total;
                l = r.solve.seconds_local;
            }
        }
        println!(
            "{name} mean {:.3} ms min {:.3} local {:.3}",
            t.elapsed().as_secs_f64() * 1e3 / k as f64,
            best * 1e3,
            l * 1e3
        );
        return;
    }
    for pr in [Precision::Single, Precision::Double] {
        for t in [1, 2] {
            let mut sim = make(t, pr);
            let mut best = (f64::MAX, 0.0, 0.0);
            for _ in 0..rounds {
                let r = sim.step().unwrap();
                if r.seconds_total < best.0 {
                    best = (r.seconds_total, r.solve.seconds_local, r.solve.seconds_global);
                }
            }
            println!(
                "{name} {pr:?} {t}T frame {:.3} ms local {:.3} global {:.3}",
                best.0 * 1e3,
                best.1 * 1e3,
                best.2 * 1e3
            );
        }
    }
}
fn main() {
    if std::env::var("SKIP").is_err() {
        for n in ["curtain", "bar1k", "bar10k"] {
            frames(n);
        }
    }
    let only = std::env::args().nth(1).unwrap_or_default();
    for (name, f) in [
        ("cloth81", (|| cloth(81)) as fn() -> (Vec<Vec3>, Vec<(u32, u32)>)),
        ("cloth161", || cloth(161)),
        ("bar1k", || bar(10, 10, 14)),
        ("bar10k", || bar(16, 16, 40)),
        ("cloth641", || cloth(641)),
        ("bar100k", || bar(36, 36, 78)),
    ] {
        if !only.is_empty() && !only.split(',').any(|o| o == name) {
            continue;
        }
        let (pos, e) = f();
        let n = pos.len();
        let ms = |t: Instant| t.elapsed().as_secs_f64() * 1e3;
        let mut m = SymmetricMatrix::zero(Arc::new(SymmetricPattern::new(n, e.iter().copied())));
        for (k, &(i, j)) in e.iter().enumerate() {
            m.add(k, -120.0);
            m.add_diagonal(i as usize, 120.0);
            m.add_diagonal(j as usize, 120.0);
        }
        for i in 0..n {
            m.add_diagonal(i, 0.55);
        }
        let t = Instant::now();
        let an = Analysis::with_positions(m.pattern(), &pos).unwrap();
        let ta = ms(t);
        let t = Instant::now();
        let mut ch = Cholesky::new(&an, &m).unwrap();
        let tf = ms(t);
        let t = Instant::now();
        let mut p32 = PackedFactor::new(&ch, Precision::Single);
        let tp = ms(t);
        let t = Instant::now();
        p32.refill(&ch);
        let tr = ms(t);
        let mut p64 = PackedFactor::new(&ch, Precision::Double);
        let b: Vec<Vec3> = (0..n).map(|i| Vec3::new((i as f64).sin(), (0.3 * i as f64).cos(), 1.0)).collect();
        let mut ex = b.clone();
        ch.solve(&mut ex);
        let mut x = b.clone();
        p32.solve(&mut x);
        let err = x.iter().zip(&ex).map(|(a, b)| (*a - *b).length()).fold(0.0, f64::max)
            / ex.iter().map(|v| v.length()).fold(0.0, f64::max);
        let pool2 = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        if let Ok(k) = std::env::var("LOOP") {
            let k: usize = k.parse().unwrap();
            let mut x = b.clone();
            let t = Instant::now();
            for _ in 0..k {
                p32.solve(&mut x);
                x.copy_from_slice(&b);
            }
            println!("loop {:.4} ms", ms(t) / k as f64);
            continue;
        }
        let rounds = if n < 30000 { 300 } else { 12 };
        let mut best = [f64::MAX; 5];
        let mut x = b.clone();
        for _ in 0..rounds {
            x.copy_from_slice(&b);
            let t = Instant::now();
            p32.solve(&mut x);
            best[0] = best[0].min(ms(t));
            x.copy_from_slice(&b);
            let t = Instant::now();
            p64.solve(&mut x);
            best[1] = best[1].min(ms(t));
            let (d0, d1) = pool2.install(|| {
                let mut y = (f64::MAX, f64::MAX);
                for _ in 0..3 {
                    x.copy_from_slice(&b);
                    let t = Instant::now();
                    p32.solve(&mut x);
                    y.0 = y.0.min(ms(t));
                    x.copy_from_slice(&b);
                    let t = Instant::now();
                    p64.solve(&mut x);
                    y.1 = y.1.min(ms(t));
                }
                y
            });
            best[2] = best[2].min(d0);
            best[3] = best[3].min(d1);
        }
        for _ in 0..(rounds / 10).max(3) {
            x.copy_from_slice(&b);
            let t = Instant::now();
            ch.solve(&mut x);
            best[4] = best[4].min(ms(t));
        }
        println!(
            "{name} n {n}: analysis {ta:.1} factor {tf:.1} pack {tp:.1} refill {tr:.1} | f32 {:.3} ms ({:.1} GB/s, {:.2} MB) f64 {:.3} | 2T f32 {:.3} f64 {:.3} | faer {:.3} | err {err:.1e}",
            best[0],
            p32.bytes() as f64 * 2e-6 / best[0],
            p32.bytes() as f64 * 1e-6,
            best[1],
            best[2],
            best[3],
            best[4]
        );
    }
}
