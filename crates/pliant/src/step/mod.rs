//! The simulation: how it is built, what a step does, and what a user reads and sets between steps.
//!
//! | file | does |
//! |---|---|
//! | `substeps` | the step, on one screen: its equal parts, one after the other |
//! | `predict` | what a part works out before it solves: damping, external forces, the first stage |
//! | `stages` | how it is solved, phase by phase |
//! | `groups` | which solver moves which bodies |
//! | `coupling` | rounds between groups: contacts, attachments and fluid between bodies of different solvers |
//! | `energy` | where energy comes from and goes, and what is done if it comes from nowhere |
//! | `applies` | refuses features that would do nothing to a body |
//! | `commit` | how it becomes the state of the world, unless something is wrong with it |
//! | `simulation` | the world itself |
//! | `self_collision` | rounds of solving and truncating movements, so that no surface passes through another |
//! | `lineage` | what a simulation does when its model is replaced |
//! | `change` | what comes, goes and changes while it runs: bodies, pins, attachments, materials, colliders |
//! | `tear` | tearing and cutting |
//! | `rollback` | all or nothing: the state to which a simulation returns when a substep fails |
//! | `builder` | checks and builds a simulation |
//! | `pool` | its threads |
//! | `solver_choice` | replaces its solver, or uses another one for a single step |
//! | `inputs` | what a user reads and sets between steps |
//! | `grab` | vertices that a user holds softly and drags |
//! | `turns` | the same for orientations |
//! | `restore` | saving and restoring |
//! | `report`, `error` | how a step went, and why it failed |
//! | `settle` | statics: brings a world to rest |
//! | `problem` | one implicit stage as a problem to study |

mod applies;
pub(crate) mod builder;
pub(crate) mod change;
mod commit;
pub(crate) mod coupling;
pub(crate) mod energy;
pub(crate) mod error;
pub(crate) mod grab;
pub(crate) mod groups;
pub(crate) mod inputs;
pub(crate) mod lineage;
pub(crate) mod pool;
mod predict;
pub(crate) mod problem;
pub(crate) mod report;
pub(crate) mod restore;
pub(crate) mod rollback;
pub(crate) mod self_collision;
pub(crate) mod settle;
pub(crate) mod simulation;
pub(crate) mod solver_choice;
mod stages;
pub(crate) mod substeps;
pub(crate) mod tear;
pub(crate) mod turns;
