//! Parameters of the device that the driver asks for, by their numbers in the kernel's interface.

use crate::device::{Device, I915};

/// Version of the checks that the kernel makes of batches on gen7, with that of every kernel since
/// 5.4 (`i915_cmd_parser.c`). They permit the registers that drivers of these generations write.
const PARSER_VERSION: u32 = 10;

/// Returns the value of a parameter, if the device has it.
pub(crate) fn value(device: &Device, facts: &I915, number: u32) -> Option<u32> {
    Some(match number {
        // Number of the device.
        4 => device.pci,
        // The second form of submissions; waits with a time limit; the caller's addresses of
        // objects are taken as they are; handles may be indices; objects may be pinned.
        9 | 19 | 25 | 26 | 37 => 1,
        // The last-level cache is shared with the processor.
        17 => u32::from(facts.shares_cache),
        28 => PARSER_VERSION,
        // Mappings that bypass the cache.
        30 => 1,
        // Revision of the device.
        32 => device.revision,
        // Version of the interface for mappings.
        40 => 4,
        // Objects without implicit waits; objects in reports of errors, of which none is made; the
        // batch may be the first object; arrays of synchronization objects.
        43 | 45 | 48 | 49 => 1,
        // Contexts do not see each other.
        50 => 1,
        51 => facts.frequency,
        _ => return None,
    })
}

/// True for parameters that the device refuses on purpose. Drivers do without.
pub(crate) fn is_refused(number: u32) -> bool {
    // Masks of slices, subslices and units, which the query of the topology has; performance
    // counters; timelines; probes of the process's memory.
    matches!(number, 34 | 46 | 47 | 54 | 55 | 56)
}

#[cfg(test)]
mod tests {
    use super::{is_refused, value};
    use crate::device::{Device, Driver};

    #[test]
    fn what_vulkan_drivers_require() {
        for name in ["ivb", "hsw", "bdw", "chv", "skl"] {
            let device = Device::named(name).expect("a generation");
            let Driver::I915(facts) = device.driver else { panic!("{name} is Intel's") };
            for number in [9, 19, 30, 37, 43, 45, 49] {
                assert!(
                    value(device, facts, number).is_some_and(|value| value >= 1),
                    "{name} {number}"
                );
            }
            assert_eq!(value(device, facts, 28), Some(10));
            for number in [34, 46, 47, 54, 55, 56] {
                assert!(
                    value(device, facts, number).is_none() && is_refused(number),
                    "{name} {number}"
                );
            }
            assert_eq!(value(device, facts, 17), Some(u32::from(name != "chv")));
            assert!(value(device, facts, 1000).is_none() && !is_refused(1000));
        }
    }
}
