//! Metrics in records.

use dsq_tables::value::Metric;
use serde::Serializer;

/// Writes a metric as its name.
pub fn by_name<S: Serializer>(metric: &Metric, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(metric.name())
}
