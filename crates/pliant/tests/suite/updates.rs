//! Rank-one updates of factors against fresh factorisations: springs that tear, tets that break, pins that come and go.

use std::sync::Arc;

use pliant::math::{Mat3, Vec3};
use pliant::mesh::generate::{Shear, Sheet, TetBox};
use pliant::sparse::{
    Analysis, ChangeError, Cholesky, DynamicFactor, FactorError, MatrixChange, PackedFactor, Precision, Refactorised,
    SymmetricMatrix, SymmetricPattern, Touched, Update, UpdateError,
};

/// A body whose matrix is a diagonal and terms v vᵀ.
struct Body {
    positions: Vec<Vec3>,
    diagonal: f64,
    terms: Vec<Vec<(u32, f64)>>,
}

impl Body {
    /// Springs along the edges of a sheet, along one diagonal of each cell and over every other vertex.
    fn cloth(cells: usize) -> Self {
        let sheet = Sheet { columns: cells, rows: cells, ..Sheet::default() };
        let mut edges = sheet.structural_edges().expect("edges");
        edges.extend(sheet.shear_edges(Shear::Single).expect("edges"));
        edges.extend(sheet.skip_one_edges().expect("edges"));
        let root = 100f64.sqrt();
        let terms = edges.iter().map(|&[i, j]| vec![(i, root), (j, -root)]).collect();
        Self { positions: sheet.mesh().expect("a mesh").positions, diagonal: 0.2, terms }
    }

    /// Three terms for each tet: the rows of its deformation gradient.
    fn tets(across: usize, along: usize) -> Self {
        let mesh = TetBox::bar(1.0, across as f64 / along as f64, along, across).mesh().expect("a mesh");
        let mut terms = Vec::new();
        for (tet, volume) in mesh.tets.iter().zip(mesh.tet_volumes()) {
            let [a, b, c, d] = tet.map(|v| mesh.positions[v as usize]);
            let inverse = Mat3::from_cols(b - a, c - a, d - a).inverse();
            for row in 0..3 {
                let [gb, gc, gd] = [0, 1, 2].map(|corner| (3e5 * volume).sqrt() * inverse.col(row)[corner]);
                terms.push(tet.iter().copied().zip([-(gb + gc + gd), gb, gc, gd]).collect());
            }
        }
        Self { positions: mesh.positions, diagonal: 50.0, terms }
    }

    fn pattern(&self) -> Arc<SymmetricPattern> {
        let pairs = self.terms.iter().flat_map(|term| {
            term.iter().enumerate().flat_map(|(k, &(i, _))| term[..=k].iter().map(move |&(j, _)| (i, j)))
        });
        Arc::new(SymmetricPattern::new(self.positions.len(), pairs))
    }

    /// The matrix of the terms that `keeps` lets in.
    fn matrix(&self, pattern: &Arc<SymmetricPattern>, keeps: impl Fn(usize) -> bool) -> SymmetricMatrix {
        let mut matrix = SymmetricMatrix::zero(pattern.clone());
        let mut contribution = 0;
        for (t, term) in self.terms.iter().enumerate() {
            for (k, &(_, at_i)) in term.iter().enumerate() {
                for &(_, at_j) in &term[..=k] {
                    if keeps(t) {
                        matrix.add(contribution, at_i * at_j);
                    }
                    contribution += 1;
                }
            }
        }
        (0..self.positions.len()).for_each(|v| matrix.add_diagonal(v, self.diagonal));
        matrix
    }

    fn right_hand_side(&self) -> Vec<Vec3> {
        (0..self.positions.len()).map(|i| Vec3::new((i as f64).sin(), (0.3 * i as f64).cos(), 1.0)).collect()
    }

    /// `count` terms, scattered.
    fn scattered(&self, count: usize) -> Vec<usize> {
        // Steps of a number without a common divisor visit every term once.
        let step = (self.terms.len() as f64 * 0.618) as usize;
        let step = (step..).find(|&step| greatest_divisor(step, self.terms.len()) == 1).expect("a prime comes");
        (0..count).map(|k| k * step % self.terms.len()).collect()
    }
}

fn greatest_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { greatest_divisor(b, a % b) }
}

/// Largest difference in relation to the largest entry.
fn difference(one: &[Vec3], other: &[Vec3]) -> f64 {
    let largest = |vectors: &mut dyn Iterator<Item = Vec3>| vectors.fold(0.0f64, |m, v| m.max(v.length()));
    largest(&mut one.iter().zip(other).map(|(a, b)| *a - *b)) / largest(&mut other.iter().copied())
}

fn solved(factor: &mut Cholesky, b: &[Vec3]) -> Vec<Vec3> {
    let mut x = b.to_vec();
    factor.solve(&mut x);
    x
}

fn packed_solve(packed: &mut PackedFactor, b: &[Vec3]) -> Vec<Vec3> {
    let mut x = b.to_vec();
    packed.solve(&mut x);
    x
}

fn downdates_equal_a_fresh_factor(body: &Body) {
    let pattern = body.pattern();
    let analysis = Analysis::with_positions(&pattern, &body.positions).expect("analysis");
    let b = body.right_hand_side();
    let mut factor = Cholesky::new(&analysis, &body.matrix(&pattern, |_| true)).expect("spd");
    let mut double = PackedFactor::new(&factor, Precision::Double);
    let mut single = PackedFactor::new(&factor, Precision::Single);
    let whole = solved(&mut factor, &b);
    let removed = body.scattered(500);
    let mut gone = 0;
    for k in [1, 10, 100, 500] {
        // A few at a time, as from step to step of a simulation.
        for few in removed[gone..k].chunks(3) {
            let change =
                |&term: &usize| factor.update(&body.terms[term], Update::Remove).expect("definite by its masses");
            let touched: Vec<Touched> = few.iter().map(change).collect();
            double.update(&factor, &touched);
            single.update(&factor, &touched);
        }
        gone = k;
        let matrix = body.matrix(&pattern, |term| !removed[..k].contains(&term));
        let fresh = solved(&mut Cholesky::new(&analysis, &matrix).expect("spd"), &b);
        let errors = [
            difference(&solved(&mut factor, &b), &fresh),
            difference(&packed_solve(&mut double, &b), &fresh),
            difference(&packed_solve(&mut single, &b), &fresh),
        ];
        println!("{k} downdates: {errors:?}");
        assert!(errors[0] < 1e-10 && errors[1] < 1e-10 && errors[2] < 1e-5, "{k} downdates: {errors:?}");
        // The removal is seen at all.
        assert!(difference(&whole, &fresh) > 1e-6);
    }
}

#[test]
fn cloth_after_up_to_500_torn_springs_solves_as_if_factored_anew() {
    downdates_equal_a_fresh_factor(&Body::cloth(40));
}

#[test]
fn solid_after_up_to_500_lost_rows_of_tets_solves_as_if_factored_anew() {
    downdates_equal_a_fresh_factor(&Body::tets(7, 16));
}

#[test]
fn what_comes_and_goes_again_leaves_the_solution() {
    for body in [Body::cloth(25), Body::tets(4, 9)] {
        let pattern = body.pattern();
        let analysis = Analysis::new(&pattern).expect("analysis");
        let mut factor = Cholesky::new(&analysis, &body.matrix(&pattern, |_| true)).expect("spd");
        let mut packed = PackedFactor::new(&factor, Precision::Double);
        let b = body.right_hand_side();
        let before = solved(&mut factor, &b);
        let mut touched = Vec::new();
        for update in [Update::Add, Update::Remove] {
            for &term in &body.scattered(20) {
                touched.push(factor.update(&body.terms[term], update).expect("definite"));
            }
            // Pins: a diagonal entry a hundred times as large.
            for v in (0..body.positions.len() as u32).step_by(61) {
                touched.push(factor.update(&[(v, 10.0 * body.diagonal.sqrt())], update).expect("definite"));
            }
            if update == Update::Add {
                let far = difference(&solved(&mut factor, &b), &before);
                assert!(far > 1e-3, "the pins are felt: {far:e}");
            }
        }
        packed.update(&factor, &touched);
        let errors =
            [difference(&solved(&mut factor, &b), &before), difference(&packed_solve(&mut packed, &b), &before)];
        assert!(errors.iter().all(|error| *error < 1e-11), "{errors:?}");
    }
}

#[test]
fn a_packed_factor_that_missed_a_change_is_filled_anew() {
    let body = Body::cloth(25);
    let pattern = body.pattern();
    let analysis = Analysis::new(&pattern).expect("analysis");
    let mut factor = Cholesky::new(&analysis, &body.matrix(&pattern, |_| true)).expect("spd");
    let mut packed = PackedFactor::new(&factor, Precision::Double);
    let b = body.right_hand_side();
    let change =
        |factor: &mut Cholesky, term: usize| factor.update(&body.terms[term], Update::Remove).expect("definite");
    change(&mut factor, 3);
    let touched = change(&mut factor, 90);
    assert_eq!(packed.update(&factor, &[touched]).updated, 0);
    assert!(difference(&packed_solve(&mut packed, &b), &solved(&mut factor, &b)) < 1e-12);
    // From there it follows again.
    let touched = change(&mut factor, 5);
    let done = packed.update(&factor, &[touched]);
    assert!(done.updated > 0 && done.refilled == 0);
    assert!(difference(&packed_solve(&mut packed, &b), &solved(&mut factor, &b)) < 1e-12);
}

#[test]
fn a_matrix_of_nothing_but_its_diagonal_is_updated_too() {
    let pattern = Arc::new(SymmetricPattern::new(3, [].into_iter()));
    let mut matrix = SymmetricMatrix::zero(pattern.clone());
    (0..3).for_each(|v| matrix.add_diagonal(v, 2.0));
    let mut factor = Cholesky::new(&Analysis::new(&pattern).expect("analysis"), &matrix).expect("spd");
    let mut packed = PackedFactor::new(&factor, Precision::Double);
    let touched = factor.update(&[(1, 3.0)], Update::Add).expect("definite");
    packed.update(&factor, &[touched]);
    let (b, expected) = ([2.0, 22.0, 6.0].map(Vec3::splat), [1.0, 2.0, 3.0].map(Vec3::splat));
    assert!(difference(&solved(&mut factor, &b), &expected) < 1e-15);
    assert!(difference(&packed_solve(&mut packed, &b), &expected) < 1e-15);
}

#[test]
fn entries_of_one_unknown_add_up() {
    let body = Body::cloth(6);
    let pattern = body.pattern();
    let analysis = Analysis::new(&pattern).expect("analysis");
    let matrix = body.matrix(&pattern, |_| true);
    let b = body.right_hand_side();
    let [one, other] = [&[(3, 1.5), (4, -1.0), (3, 0.5)][..], &[(3, 2.0), (4, -1.0)]].map(|vector| {
        let mut system = DynamicFactor::new(&analysis, matrix.clone(), Precision::Double).expect("spd");
        system.apply(&[MatrixChange { vector, update: Update::Add }]).expect("definite");
        let fresh = solved(&mut Cholesky::new(&analysis, system.matrix()).expect("spd"), &b);
        let mut x = b.clone();
        system.solve(&mut x);
        assert!(difference(&x, &fresh) < 1e-13);
        x
    });
    assert!(difference(&one, &other) < 1e-13);
}

#[test]
fn few_changes_are_updates_and_many_a_factorisation_with_the_same_result() {
    let body = Body::cloth(60);
    let pattern = body.pattern();
    let analysis = Analysis::with_positions(&pattern, &body.positions).expect("analysis");
    let mut system = DynamicFactor::new(&analysis, body.matrix(&pattern, |_| true), Precision::Double).expect("spd");
    let b = body.right_hand_side();
    let removed = body.scattered(1000);
    let change = |&term: &usize| MatrixChange { vector: &body.terms[term], update: Update::Remove };
    let (mut gone, mut kinds) = (0, Vec::new());
    for k in [1, 4, 9, 500, 503, 1000] {
        let changes: Vec<MatrixChange<'_>> = removed[gone..k].iter().map(change).collect();
        let report = system.apply(&changes).expect("definite by its masses");
        assert_eq!(report.updates, if report.refactorised.is_none() { k - gone } else { 0 });
        assert_eq!(report.columns > 0, report.refactorised.is_none());
        kinds.push(report.refactorised);
        gone = k;
        let matrix = body.matrix(&pattern, |term| !removed[..k].contains(&term));
        let fresh = solved(&mut Cholesky::new(&analysis, &matrix).expect("spd"), &b);
        let mut x = b.clone();
        system.solve(&mut x);
        assert!(difference(&x, &fresh) < 1e-10);
    }
    let many = Some(Refactorised::ManyChanges);
    assert_eq!(kinds, [None, None, None, many, None, many]);
    let totals = system.totals();
    assert_eq!((totals.batches, totals.updates, totals.factorisations, totals.weak_pivots), (6, 12, 2, 0));
    assert_eq!(system.apply(&[]).expect("nothing"), Default::default());
}

#[test]
fn a_weak_pivot_leads_to_a_factorisation_by_itself() {
    let body = Body::cloth(30);
    let pattern = body.pattern();
    let analysis = Analysis::new(&pattern).expect("analysis");
    // A goal so stiff that taking it away leaves a millionth of a millionth.
    let goal = [(77, 1e6)];
    let mut system = DynamicFactor::new(&analysis, body.matrix(&pattern, |_| true), Precision::Double).expect("spd");
    let b = body.right_hand_side();
    let mut before = b.clone();
    system.solve(&mut before);
    system.apply(&[MatrixChange { vector: &goal, update: Update::Add }]).expect("definite");
    let report = system.apply(&[MatrixChange { vector: &goal, update: Update::Remove }]).expect("definite");
    assert_eq!((report.refactorised, report.updates), (Some(Refactorised::WeakPivot), 0));
    assert_eq!(system.totals().weak_pivots, 1);
    let mut x = b.clone();
    system.solve(&mut x);
    // The matrix itself has lost digits: 1e12 came and went.
    assert!(difference(&x, &before) < 1e-3, "{:e}", difference(&x, &before));
    let fresh = solved(&mut Cholesky::new(&analysis, system.matrix()).expect("spd"), &b);
    assert!(difference(&x, &fresh) < 1e-12);
}

#[test]
fn refused_changes_leave_the_system() {
    let body = Body::cloth(20);
    let pattern = body.pattern();
    let analysis = Analysis::new(&pattern).expect("analysis");
    let mut system = DynamicFactor::new(&analysis, body.matrix(&pattern, |_| true), Precision::Double).expect("spd");
    let b = body.right_hand_side();
    let mut before = b.clone();
    system.solve(&mut before);
    let values = system.matrix().values().to_vec();
    let fits = MatrixChange { vector: &body.terms[0], update: Update::Add };
    let far = MatrixChange { vector: &[(0, 1.0), (400, 1.0)], update: Update::Add };
    let reason = UpdateError::OutsideOfPattern { first: 0, second: 400 };
    assert_eq!(system.apply(&[fits, far]), Err(ChangeError::Vector { change: 1, reason }));
    let too_much = MatrixChange { vector: &[(5, 100.0)], update: Update::Remove };
    for changes in [vec![fits, too_much], vec![too_much; 600]] {
        let refused = system.apply(&changes);
        assert!(
            matches!(refused, Err(ChangeError::Factor(FactorError::NotPositiveDefinite { size: 441, .. }))),
            "{refused:?}"
        );
        assert!(system.matrix().values() == values);
        let mut x = b.clone();
        system.solve(&mut x);
        assert!(difference(&x, &before) < 1e-13);
    }
    assert_eq!(system.totals(), Default::default());
}

#[test]
fn a_batch_that_is_definite_only_as_a_whole_goes_through_in_any_order() {
    let body = Body::cloth(12);
    let pattern = body.pattern();
    let analysis = Analysis::new(&pattern).expect("analysis");
    let mut system = DynamicFactor::new(&analysis, body.matrix(&pattern, |_| true), Precision::Double).expect("spd");
    // More is taken from vertex 5 than it has, and as much is given.
    let (goes, comes) = (&[(5, 40.0)], &[(5, 41.0)]);
    let goes = MatrixChange { vector: goes, update: Update::Remove };
    let report = system.apply(&[goes, MatrixChange { vector: comes, update: Update::Add }]).expect("definite");
    assert_eq!((report.updates, report.refactorised), (2, None));
    let b = body.right_hand_side();
    let fresh = solved(&mut Cholesky::new(&analysis, system.matrix()).expect("spd"), &b);
    assert!(difference(&solved(system.factor(), &b), &fresh) < 1e-11);
    assert!(difference(&packed_solve(system.packed(), &b), &fresh) < 1e-11);
}
