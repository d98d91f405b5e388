//! Features, properties and extensions: those that a device has, and those that a script requires.

mod table;

use std::collections::BTreeSet;
use std::ffi::c_void;
use std::ptr;

use ash::vk;

use crate::loader::{Instance, dotted};
use table::{MOST_FIELDS, ROWS, Row};
use vk_script::CORE_FEATURES as CORE;

/// Prefix of the first structure's features, which scripts may leave out.
const CORE_NAME: &str = "Features";
/// Pseudo features: operations of subgroups, by their bits.
const OPERATIONS: [(&str, vk::SubgroupFeatureFlags); 8] = [
    ("basic", vk::SubgroupFeatureFlags::BASIC),
    ("vote", vk::SubgroupFeatureFlags::VOTE),
    ("arithmetic", vk::SubgroupFeatureFlags::ARITHMETIC),
    ("ballot", vk::SubgroupFeatureFlags::BALLOT),
    ("shuffle", vk::SubgroupFeatureFlags::SHUFFLE),
    ("shuffleRelative", vk::SubgroupFeatureFlags::SHUFFLE_RELATIVE),
    ("clustered", vk::SubgroupFeatureFlags::CLUSTERED),
    ("quad", vk::SubgroupFeatureFlags::QUAD),
];
/// Pseudo features: stages with operations of subgroups, by their bits.
const STAGES: [(&str, vk::ShaderStageFlags); 6] = [
    ("vertex", vk::ShaderStageFlags::VERTEX),
    ("tessellationControl", vk::ShaderStageFlags::TESSELLATION_CONTROL),
    ("tessellationEvaluation", vk::ShaderStageFlags::TESSELLATION_EVALUATION),
    ("geometry", vk::ShaderStageFlags::GEOMETRY),
    ("fragment", vk::ShaderStageFlags::FRAGMENT),
    ("compute", vk::ShaderStageFlags::COMPUTE),
];

/// A structure of features in the form that drivers read and write.
#[repr(C)]
#[derive(Clone, Copy)]
struct Raw {
    kind: vk::StructureType,
    next: *mut c_void,
    values: [vk::Bool32; MOST_FIELDS],
}

impl Raw {
    fn new(row: &Row) -> Raw {
        Raw { kind: row.kind, next: ptr::null_mut(), values: [vk::FALSE; MOST_FIELDS] }
    }
}

/// Requirements of a script on the device.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Needs {
    /// Names of features, `Structure.field` or `field`.
    pub(crate) features: BTreeSet<String>,
    /// Names of properties, in the same form.
    pub(crate) properties: BTreeSet<String>,
    /// Names of extensions of devices and instances.
    pub(crate) extensions: BTreeSet<String>,
    /// Version of Vulkan.
    pub(crate) version: u32,
}

/// Place of a feature: a structure and a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// A field of the first structure.
    Core(usize),
    /// A field of a row.
    Row(usize, usize),
}

/// Facts about a device that decide whether it meets requirements.
pub(crate) struct Facts {
    pub(crate) version: u32,
    pub(crate) extensions: BTreeSet<String>,
    instance_extensions: BTreeSet<String>,
    core: Vec<bool>,
    rows: Vec<Option<[vk::Bool32; MOST_FIELDS]>>,
    operations: vk::SubgroupFeatureFlags,
    stages: vk::ShaderStageFlags,
    /// Sizes that a pipeline may demand, and the stages that may.
    pub(crate) subgroup_sizes: Option<SubgroupSizes>,
    float_controls: Vec<(&'static str, bool)>,
}

/// Limits of subgroup size control.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SubgroupSizes {
    pub(crate) smallest: u32,
    pub(crate) largest: u32,
    pub(crate) stages: vk::ShaderStageFlags,
}

impl Facts {
    /// Reads the facts of a device.
    pub(crate) fn read(instance: &Instance, device: vk::PhysicalDevice) -> Facts {
        let version = instance.version_of(device);
        // SAFETY: the handle is one of this instance.
        let known = unsafe { instance.raw.enumerate_device_extension_properties(device) };
        let known = known.unwrap_or_default();
        let extensions = known.iter().filter_map(|e| e.extension_name_as_c_str().ok());
        let extensions: BTreeSet<String> =
            extensions.map(|name| name.to_string_lossy().into_owned()).collect();
        let has = |row: &Row| is_offered(row, version, &extensions);
        let mut raws: Vec<Option<Raw>> = ROWS.iter().map(|r| has(r).then(|| Raw::new(r))).collect();
        let mut first = vk::PhysicalDeviceFeatures2::default();
        if version >= vk::API_VERSION_1_1 {
            first.p_next = chain(&mut raws);
            // SAFETY: the chain has structures that the device knows, each with room for its
            // fields; it lives until the call returns.
            unsafe { instance.raw.get_physical_device_features2(device, &mut first) };
        } else {
            // SAFETY: the handle is one of this instance.
            first.features = unsafe { instance.raw.get_physical_device_features(device) };
        }
        let core = core_values(&first.features).iter().map(|&value| value != 0).collect();
        let rows = raws.iter().map(|raw| raw.map(|raw| raw.values)).collect();
        let mut facts = Facts {
            version,
            extensions,
            instance_extensions: instance.extensions.clone(),
            core,
            rows,
            operations: vk::SubgroupFeatureFlags::empty(),
            stages: vk::ShaderStageFlags::empty(),
            subgroup_sizes: None,
            float_controls: Vec::new(),
        };
        facts.read_properties(instance, device);
        facts
    }

    fn read_properties(&mut self, instance: &Instance, device: vk::PhysicalDevice) {
        if self.version < vk::API_VERSION_1_1 {
            return;
        }
        let has = |name: &str, since| self.version >= since || self.extensions.contains(name);
        let has_controls = has("VK_KHR_shader_float_controls", vk::API_VERSION_1_2);
        let has_sizes = has("VK_EXT_subgroup_size_control", vk::API_VERSION_1_3);
        let mut subgroups = vk::PhysicalDeviceSubgroupProperties::default();
        let mut sizes = vk::PhysicalDeviceSubgroupSizeControlProperties::default();
        let mut controls = vk::PhysicalDeviceFloatControlsProperties::default();
        let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut subgroups);
        if has_sizes {
            all = all.push_next(&mut sizes);
        }
        if has_controls {
            all = all.push_next(&mut controls);
        }
        // SAFETY: the chain has structures that the device knows.
        unsafe { instance.raw.get_physical_device_properties2(device, &mut all) };
        self.operations = subgroups.supported_operations;
        self.stages = subgroups.supported_stages;
        self.subgroup_sizes = has_sizes.then_some(SubgroupSizes {
            smallest: sizes.min_subgroup_size,
            largest: sizes.max_subgroup_size,
            stages: sizes.required_subgroup_size_stages,
        });
        if has_controls {
            self.float_controls = float_controls(&controls);
        }
    }

    /// Returns the first requirement that the device does not meet.
    pub(crate) fn unmet(&self, needs: &Needs) -> Option<String> {
        if self.version < needs.version {
            let (wanted, has) = (dotted(needs.version), dotted(self.version));
            return Some(format!("needs Vulkan {wanted}; the driver has {has}"));
        }
        let has = |name: &String| {
            self.extensions.contains(name) || self.instance_extensions.contains(name)
        };
        let unmet = |text: String| Some(format!("the driver lacks {text}"));
        if let Some(name) = needs.extensions.iter().find(|name| !has(name)) {
            return unmet(format!("extension {name}"));
        }
        if let Some(name) = needs.features.iter().find(|name| !self.has_feature(name)) {
            return unmet(format!("feature {name}"));
        }
        let has = |name: &String| {
            let field = name.rsplit('.').next().unwrap_or(name);
            self.float_controls.iter().any(|&(known, value)| known == field && value)
        };
        needs
            .properties
            .iter()
            .find(|name| !has(name))
            .and_then(|name| unmet(format!("property {name}")))
    }

    /// Returns true if the device has a feature.
    pub(crate) fn has_feature(&self, name: &str) -> bool {
        if let Some((prefix, field)) = name.split_once('.') {
            let bit = |mask: u32, all: &[(&str, u32)]| {
                all.iter().any(|&(known, bit)| known == field && mask & bit == bit)
            };
            match prefix {
                "SubgroupSupportedOperations" => {
                    let all = OPERATIONS.map(|(name, bit)| (name, bit.as_raw()));
                    return bit(self.operations.as_raw(), &all);
                }
                "SubgroupSupportedStages" => {
                    let all = STAGES.map(|(name, bit)| (name, bit.as_raw()));
                    return bit(self.stages.as_raw(), &all);
                }
                _ => {}
            }
        }
        match place(name) {
            Some(Place::Core(field)) => self.core[field],
            Some(Place::Row(row, field)) => self.rows[row].is_some_and(|values| values[field] != 0),
            None => false,
        }
    }
}

/// Features to enable, in the form in which a device is created.
pub(crate) struct Enabled {
    core: vk::PhysicalDeviceFeatures,
    raws: Vec<Option<Raw>>,
    /// Extensions that scripts name, and those of the structures.
    pub(crate) extensions: BTreeSet<String>,
}

impl Enabled {
    /// Returns what requirements that are met enable.
    pub(crate) fn of(needs: &Needs, facts: &Facts) -> Enabled {
        let places: BTreeSet<Place> =
            needs.features.iter().filter_map(|name| place(name)).collect();
        let mut values = [vk::FALSE; CORE.len()];
        let mut raws: Vec<Option<Raw>> = ROWS.iter().map(|_| None).collect();
        let mut extensions: BTreeSet<String> = needs
            .extensions
            .iter()
            .filter(|&name| facts.extensions.contains(name))
            .cloned()
            .collect();
        for place in places {
            match place {
                Place::Core(field) => values[field] = vk::TRUE,
                Place::Row(row, field) => {
                    let raw = raws[row].get_or_insert_with(|| Raw::new(&ROWS[row]));
                    raw.values[field] = vk::TRUE;
                    let extension = ROWS[row].extension;
                    if facts.extensions.contains(extension) {
                        extensions.insert(extension.to_owned());
                    }
                }
            }
        }
        Enabled { core: core_of(values), raws, extensions }
    }

    /// Returns the first structure of the chain, which is valid as long as this value is neither
    /// moved nor changed.
    pub(crate) fn chained(&mut self) -> vk::PhysicalDeviceFeatures2<'static> {
        let mut first = vk::PhysicalDeviceFeatures2::default().features(self.core);
        first.p_next = chain(&mut self.raws);
        first
    }

    /// Returns the features of the first structure.
    pub(crate) fn core(&self) -> vk::PhysicalDeviceFeatures {
        self.core
    }
}

/// Links structures, and returns the first one.
fn chain(raws: &mut [Option<Raw>]) -> *mut c_void {
    let mut next: *mut c_void = ptr::null_mut();
    for raw in raws.iter_mut().flatten() {
        raw.next = next;
        next = ptr::from_mut(raw).cast();
    }
    next
}

fn is_offered(row: &Row, version: u32, extensions: &BTreeSet<String>) -> bool {
    (row.version > 0 && version >= row.version) || extensions.contains(row.extension)
}

/// Returns the place of a feature: `Structure.field`, or a field of any structure.
fn place(name: &str) -> Option<Place> {
    let position = |fields: &[&str], field: &str| fields.iter().position(|known| *known == field);
    let core = |field| position(CORE, field).map(Place::Core);
    let Some((prefix, field)) = name.split_once('.') else {
        let in_row = |(index, row): (usize, &Row)| {
            position(row.fields, name).map(|field| Place::Row(index, field))
        };
        return core(name).or_else(|| ROWS.iter().enumerate().find_map(in_row));
    };
    if prefix == CORE_NAME {
        return core(field);
    }
    let row = ROWS.iter().position(|row| row.name == prefix)?;
    position(ROWS[row].fields, field).map(|field| Place::Row(row, field))
}

/// Returns the fields of the first structure, in order.
fn core_values(features: &vk::PhysicalDeviceFeatures) -> [vk::Bool32; CORE.len()] {
    // SAFETY: the structure consists of exactly these booleans (Vulkan 1.3, section 41.1); the
    // compiler checks the size.
    unsafe {
        std::mem::transmute::<vk::PhysicalDeviceFeatures, [vk::Bool32; CORE.len()]>(*features)
    }
}

fn core_of(values: [vk::Bool32; CORE.len()]) -> vk::PhysicalDeviceFeatures {
    // SAFETY: as above.
    unsafe { std::mem::transmute::<[vk::Bool32; CORE.len()], vk::PhysicalDeviceFeatures>(values) }
}

fn float_controls(
    controls: &vk::PhysicalDeviceFloatControlsProperties<'_>,
) -> Vec<(&'static str, bool)> {
    let c = controls;
    [
        ("shaderSignedZeroInfNanPreserveFloat16", c.shader_signed_zero_inf_nan_preserve_float16),
        ("shaderSignedZeroInfNanPreserveFloat32", c.shader_signed_zero_inf_nan_preserve_float32),
        ("shaderSignedZeroInfNanPreserveFloat64", c.shader_signed_zero_inf_nan_preserve_float64),
        ("shaderDenormPreserveFloat16", c.shader_denorm_preserve_float16),
        ("shaderDenormPreserveFloat32", c.shader_denorm_preserve_float32),
        ("shaderDenormPreserveFloat64", c.shader_denorm_preserve_float64),
        ("shaderDenormFlushToZeroFloat16", c.shader_denorm_flush_to_zero_float16),
        ("shaderDenormFlushToZeroFloat32", c.shader_denorm_flush_to_zero_float32),
        ("shaderDenormFlushToZeroFloat64", c.shader_denorm_flush_to_zero_float64),
        ("shaderRoundingModeRTEFloat16", c.shader_rounding_mode_rte_float16),
        ("shaderRoundingModeRTEFloat32", c.shader_rounding_mode_rte_float32),
        ("shaderRoundingModeRTEFloat64", c.shader_rounding_mode_rte_float64),
        ("shaderRoundingModeRTZFloat16", c.shader_rounding_mode_rtz_float16),
        ("shaderRoundingModeRTZFloat32", c.shader_rounding_mode_rtz_float32),
        ("shaderRoundingModeRTZFloat64", c.shader_rounding_mode_rtz_float64),
    ]
    .into_iter()
    .map(|(name, value)| (name, value == vk::TRUE))
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places() {
        assert_eq!(place("robustBufferAccess"), Some(Place::Core(0)));
        assert_eq!(place("Features.inheritedQueries"), Some(Place::Core(54)));
        assert_eq!(place("Float16Int8Features.shaderInt8"), Some(Place::Row(1, 1)));
        assert_eq!(place("shaderInt8"), Some(Place::Row(1, 1)));
        assert_eq!(place("Float16Int8Features.shaderInt16"), None);
        assert_eq!(place("teleportation"), None);
        assert!(ROWS.iter().all(|row| row.fields.len() <= MOST_FIELDS));
    }

    #[test]
    fn core_structure_has_the_order_of_the_table() {
        let features = vk::PhysicalDeviceFeatures::default().shader_float64(true);
        let values = core_values(&features);
        let position = CORE.iter().position(|name| *name == "shaderFloat64").unwrap();
        assert_eq!(values.iter().position(|&value| value == vk::TRUE), Some(position));
        assert_eq!(core_of(values).shader_float64, vk::TRUE);
    }
}
