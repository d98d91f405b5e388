//! Changes of the code as CSV.

use super::Diff;
use super::codegen::ShaderChange;
use crate::names::csv_field;

/// Renders the changed shaders of a comparison as CSV, the largest change of each metric first, at
/// most `limit` of each metric.
pub fn csv(diff: &Diff, limit: Option<usize>) -> String {
    let mut text = "metric,test,gen,stage,width,old,new\n".to_owned();
    for metric in &diff.code.metrics {
        let mut changes: Vec<&ShaderChange> = metric.helped.iter().chain(&metric.hurt).collect();
        changes.sort_by_key(|change| {
            let size = change.old.abs_diff(change.new);
            (std::cmp::Reverse(size), &change.shader)
        });
        for change in changes.into_iter().take(limit.unwrap_or(usize::MAX)) {
            let parts = &change.parts;
            text += &format!(
                "{},{},{},{},{},{},{}\n",
                metric.name,
                csv_field(&parts.test),
                csv_field(&parts.generation),
                parts.stage,
                parts.width,
                change.old,
                change.new
            );
        }
    }
    text
}
