//! Forces and damping besides energies and contacts.
//!
//! | file | does |
//! |---|---|
//! | `pressure` | overpressure inside surfaces |
//! | `wind` | drag of the air, gusts |
//! | `damping` | velocity filters |

pub(crate) mod damping;
pub(crate) mod pressure;
pub(crate) mod wind;
