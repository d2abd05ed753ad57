//! Experiments in miniature: what they claim of errors and shapes holds; what they claim of time is left to the command.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use pliant_reproduce::{ALL, Experiment, Kind, ReproduceError, Size};

/// Runs an experiment small and checks its claims about errors and shapes.
#[track_caller]
fn holds(name: &str) {
    let outcome = match Experiment::find(name).unwrap().run(Size::Reduced) {
        Err(absent @ ReproduceError::NoData { .. }) => return eprintln!("{name} is skipped: {absent}"),
        outcome => outcome.unwrap(),
    };
    assert!(!outcome.chosen.is_empty() && !outcome.tables.is_empty() && !outcome.plots.is_empty());
    for table in &outcome.tables {
        assert!(table.rows.iter().all(|(_, numbers)| numbers.len() == table.columns.len()), "{}", table.name);
    }
    for verdict in outcome.verdicts.iter().filter(|verdict| verdict.criterion.kind == Kind::Shape) {
        let (criterion, measured) = (verdict.criterion, verdict.measured);
        assert!(verdict.holds, "{}: {measured}, must be {} ({})", criterion.statement, criterion.bound, verdict.note);
    }
}

#[test]
fn names_of_experiments_and_of_their_criteria_are_unique() {
    let names: BTreeSet<&str> = ALL.iter().map(|experiment| experiment.name).collect();
    assert_eq!(names.len(), ALL.len());
    for experiment in ALL {
        let criteria: BTreeSet<&str> = experiment.criteria.iter().map(|criterion| criterion.name).collect();
        assert_eq!(criteria.len(), experiment.criteria.len(), "{}", experiment.name);
        assert!(experiment.criteria.iter().any(|criterion| criterion.kind == Kind::Shape), "{}", experiment.name);
    }
}

macro_rules! experiments {
    ($($(#[$attribute:meta])* $test:ident: $name:literal;)*) => {
        $($(#[$attribute])* #[test] fn $test() { holds($name); })*

        #[test]
        fn every_experiment_is_run_here() {
            let here = BTreeSet::from([$($name),*]);
            assert_eq!(here, ALL.iter().map(|experiment| experiment.name).collect());
        }
    };
}

experiments! {
    stand_ins_have_the_printed_numbers_of_vertices_and_springs: "liu2013-table1";
    #[ignore = "long: twelve frames by a thousand iterations"]
    ten_iterations_do_better_than_a_semi_implicit_step: "liu2013-fig2";
    stiffer_springs_converge_more_slowly: "liu2013-fig3";
    more_iterations_come_closer_to_the_exact_motion: "liu2013-fig4";
    a_strong_impact_loses_wrinkles: "liu2013-fig7";
    a_moderate_impact_keeps_wrinkles: "liu2013-fig8";
    #[ignore = "long: ./test full"]
    a_dress_neither_enters_the_dancer_nor_passes_through_itself: "liu2013-dress";
    a_garden_sways_and_comes_back: "bouaziz2014-fig1";
    #[ignore = "long: ./test full"]
    sag_does_not_depend_on_the_number_of_iterations: "bouaziz2014-fig4";
    a_drape_does_not_depend_on_the_mesh: "bouaziz2014-fig5";
    #[ignore = "long: three curtains until they rest"]
    strain_limits_are_kept: "bouaziz2014-fig6";
    volume_constraints_keep_volume: "bouaziz2014-fig7";
    colliding_cars_follow_their_examples: "bouaziz2014-fig8";
    bending_makes_buckles_longer: "bouaziz2014-fig9";
    no_wind_makes_a_flag_explode_and_a_storm_tears_it: "bouaziz2014-fig10";
    ten_iterations_are_near_the_exact_motion: "bouaziz2014-fig11";
    newton_converges_faster_by_iteration: "bouaziz2014-fig12";
    bending_and_stretching_are_tuned_independently: "bender2014-fig4";
    overpressure_sets_the_volume_of_a_skin: "bender2014-fig5";
    attachments_keep_a_cloth_as_long_as_it_is: "bender2014-fig7";
    followers_keep_the_lengths_of_hair: "bender2014-fig9";
    a_fine_mesh_wrinkles_where_a_coarse_one_is_compressed: "bender2014-fig12";
    #[ignore = "long: ./test full"]
    larger_regions_are_stiffer: "bender2014-fig16";
    a_squeezed_sphere_keeps_its_volume: "bender2014-fig20";
    a_stretched_cube_swings_and_stays_bounded: "bargteil2014-stretched";
    dropped_cubes_bounce_and_stay_whole: "bargteil2014-dropped";
    a_spinning_cube_keeps_its_spin_by_matching_alone: "bargteil2014-fig2";
    two_thousand_particles_bounce: "bargteil2014-bounce";
    #[ignore = "long: ./test full"]
    levels_make_matched_cloth_stiff_where_one_is_too_soft: "bender2014-fig21";
    #[ignore = "long: fine simulations to learn from"]
    detail_from_examples_is_nearer_to_the_fine_flag_than_subdivision: "bender2014-fig23";
    #[ignore = "long: fine simulations to learn from"]
    a_dress_shows_wrinkles_from_six_poses: "bender2014-fig25";
}
