//! Making tables: what is asked and everything it needs, skipping what exists.
//!
//! | file | does |
//! | --- | --- |
//! | `request`, `report`, `error` | what is asked, what a run says, why it ends early |
//! | `plan` | which tables, in which order, each in memory or in files; what that takes |
//! | `run` | all tables of the plan: small ones side by side, large ones one after the other |
//! | `table` | one table, from the tables below it to its name |
//! | `limit` | which draws are won or lost but for the limit |
//! | `cache` | solved classes that the next ones need |
//! | `folder`, `work_folder` | the folder of the tables; that of the files of a table while it is made |
//! | [`machine`] | how much memory and disk there is |

mod cache;
mod error;
mod folder;
mod limit;
pub mod machine;
mod plan;
mod report;
mod request;
mod run;
mod table;
mod work_folder;

pub use error::GenerateError;
pub use plan::{Plan, PlannedTable, Workspace, plan};
pub use report::{Observer, Report, Silent, TableReport};
pub use request::{Request, SpillRequest};
pub use run::run;
