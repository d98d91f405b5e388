//! Tests of profiles and reports.

mod hostile;
mod profiles;
mod reports;
