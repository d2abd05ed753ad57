//! All tests of the engine but those that count allocations: one program links once.

mod architecture;
mod changes;
mod closed_forms;
mod contact;
mod energies;
mod explicit;
mod fluids;
mod follow_leader;
mod groups;
mod guard;
mod hair;
mod interaction;
mod invariants;
mod islands;
mod limits;
mod matching;
mod matter;
mod oriented;
mod own_solver;
mod ponytail;
mod position_based;
mod random_worlds;
mod refusals;
mod rigid;
mod robustness;
mod rods;
mod self_collision;
mod settle;
mod solvers;
#[cfg(feature = "serde")]
mod stored;
mod substeps;
mod tearing;
mod tetrahedralise;
mod updates;
mod wind;
