//! A test case: one test on one target, with what its run gives to all of them.

use std::path::Path;

use vocabulary::Target;

use crate::device::DeviceFactory;
use crate::options::RunOptions;

/// One test on one target.
#[derive(Clone, Copy)]
pub struct TestCase<'a> {
    /// Name of the test, which locates its binaries and seeds unwritten registers.
    pub test: &'a str,
    /// Path of the test, for files that it names.
    pub path: Option<&'a Path>,
    /// Target of the test.
    pub target: Target,
    /// Options of the run.
    pub options: &'a RunOptions,
    /// Factory of the devices of the run.
    pub devices: &'a dyn DeviceFactory,
}

impl<'a> TestCase<'a> {
    /// Returns a test on a target.
    pub fn new(
        test: &'a str,
        target: Target,
        options: &'a RunOptions,
        devices: &'a dyn DeviceFactory,
    ) -> TestCase<'a> {
        TestCase { test, path: None, target, options, devices }
    }
}
