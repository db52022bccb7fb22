//! A material that is exported.

use dsq_tables::class::Member;
use dsq_tables::material::Material;
use dsq_tables::tablebase::{Tablebase, TablebaseError};
use dsq_tables::value::Metric;

/// A material with the way into its table.
pub struct Exported {
    /// The material.
    pub material: Material,
    /// Its place in its class.
    pub member: Member,
}

impl Exported {
    /// Opens its table, so that one that is missing is known before anything is written.
    pub fn open(tables: &Tablebase, material: Material, metric: Metric) -> Result<Exported, TablebaseError> {
        let name = || material.to_text(tables.rules());
        let too_many = || TablebaseError::TooManyPieces { material: name(), pieces: material.count() };
        let member = tables.catalog().member(material).ok_or_else(too_many)?;
        match tables.table_with(member.class(), metric) {
            Ok(_) => Ok(Exported { material, member }),
            Err(TablebaseError::Missing { class, metric, path, .. }) => {
                Err(TablebaseError::Missing { material: name(), class, metric, path })
            }
            Err(error) => Err(error),
        }
    }
}
