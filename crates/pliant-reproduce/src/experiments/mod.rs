//! One file per figure or table.

mod bargteil2014_bounce;
mod bargteil2014_cubes;
mod bargteil2014_fig2;
mod bender2014_fig12;
mod bender2014_fig16;
mod bender2014_fig20;
mod bender2014_fig21;
mod bender2014_fig23;
mod bender2014_fig25;
mod bender2014_fig4;
mod bender2014_fig5;
mod bender2014_fig7;
mod bender2014_fig9;
mod bouaziz2014_fig1;
mod bouaziz2014_fig10;
mod bouaziz2014_fig11;
mod bouaziz2014_fig12;
mod bouaziz2014_fig4;
mod bouaziz2014_fig5;
mod bouaziz2014_fig6;
mod bouaziz2014_fig7;
mod bouaziz2014_fig8;
mod bouaziz2014_fig9;
mod liu2013_dress;
mod liu2013_fig2;
mod liu2013_fig3;
mod liu2013_fig4;
mod liu2013_impact;
mod liu2013_table1;

use crate::Experiment;

/// All experiments, in the order of papers and figures.
pub const ALL: &[Experiment] = &[
    liu2013_table1::EXPERIMENT,
    liu2013_fig2::EXPERIMENT,
    liu2013_fig3::EXPERIMENT,
    liu2013_fig4::EXPERIMENT,
    liu2013_impact::FIGURE_7,
    liu2013_impact::FIGURE_8,
    liu2013_dress::EXPERIMENT,
    bouaziz2014_fig1::EXPERIMENT,
    bouaziz2014_fig4::EXPERIMENT,
    bouaziz2014_fig5::EXPERIMENT,
    bouaziz2014_fig6::EXPERIMENT,
    bouaziz2014_fig7::EXPERIMENT,
    bouaziz2014_fig8::EXPERIMENT,
    bouaziz2014_fig9::EXPERIMENT,
    bouaziz2014_fig10::EXPERIMENT,
    bouaziz2014_fig11::EXPERIMENT,
    bouaziz2014_fig12::EXPERIMENT,
    bender2014_fig4::EXPERIMENT,
    bender2014_fig5::EXPERIMENT,
    bender2014_fig7::EXPERIMENT,
    bender2014_fig9::EXPERIMENT,
    bender2014_fig12::EXPERIMENT,
    bender2014_fig16::EXPERIMENT,
    bender2014_fig20::EXPERIMENT,
    bender2014_fig21::EXPERIMENT,
    bender2014_fig23::EXPERIMENT,
    bender2014_fig25::EXPERIMENT,
    bargteil2014_cubes::STRETCHED,
    bargteil2014_cubes::DROPPED,
    bargteil2014_fig2::EXPERIMENT,
    bargteil2014_bounce::EXPERIMENT,
];
