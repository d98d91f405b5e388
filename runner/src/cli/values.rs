//! Parsers of option values whose types are defined elsewhere.

use std::convert::Infallible;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use execute::driver::{DeviceChoice, Platform};
use execute::vulkan::DeviceChoice as VkDeviceChoice;
use results::diff::Metric;
use results::passes::parse_width;
use tools::defects::of_avoided;
use tools::fuzz::Defect;
use vocabulary::{Backend, Target, Width};

/// Returns the arguments of the process.
pub(super) fn process_arguments() -> Vec<String> {
    std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned()).collect()
}

/// Parses a width by its name or its number of channels.
pub(super) fn width() -> impl TypedValueParser<Value = Width> {
    let values = Width::ALL.map(|width| match width {
        Width::Vec4 => PossibleValue::new("vec4").help("Align16 SIMD4x2"),
        Width::Simd8 => PossibleValue::new("SIMD8").aliases(["8", "simd8"]).help("8 channels"),
        Width::Simd16 => PossibleValue::new("SIMD16").aliases(["16", "simd16"]).help("16 channels"),
        Width::Simd32 => PossibleValue::new("SIMD32").aliases(["32", "simd32"]).help("32 channels"),
        Width::Wave64 => PossibleValue::new("wave64").help("64 lanes (si, vi)"),
    });
    PossibleValuesParser::new(values).try_map(|name| parse_width(&name))
}

/// Parses a Vulkan device: its number in the loader's list, or a part of its name.
pub(super) fn vk_device(text: &str) -> Result<VkDeviceChoice, Infallible> {
    Ok(VkDeviceChoice::parse(text))
}

/// Parses the name of a number of the generated code.
pub(super) fn metric() -> impl TypedValueParser<Value = Metric> {
    PossibleValuesParser::new(Metric::ALL.map(Metric::name))
        .try_map(|name| Metric::from_name(&name).ok_or_else(|| "no such metric".to_owned()))
}

/// Parses the name of a back end.
pub(super) fn backend() -> impl TypedValueParser<Value = Backend> {
    let values = Backend::ALL.map(|backend| match backend {
        Backend::Vec4 => PossibleValue::new("vec4").help("Align16 SIMD4x2"),
        Backend::Scalar => PossibleValue::new("scalar").help("One channel per invocation"),
    });
    let find = |name: String| Backend::ALL.into_iter().find(|backend| backend.name() == name);
    PossibleValuesParser::new(values)
        .try_map(move |name| find(name).ok_or_else(|| "no such back end".to_owned()))
}

/// Constructs that random programs leave out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Avoided {
    /// All that drivers have known defects on.
    All,
    /// That of one defect.
    One(Defect),
}

/// Parses a construct that random programs leave out.
pub(super) fn avoided() -> impl TypedValueParser<Value = Avoided> {
    let value = |&defect: &Defect| {
        let avoid = of_avoided(defect).and_then(|known| known.avoid).unwrap_or_default();
        PossibleValue::new(defect.name()).help(avoid)
    };
    let all = PossibleValue::new("all").help("All of these");
    let find = |name: String| match &*name {
        "all" => Ok(Avoided::All),
        name => {
            let one = Defect::ALL.iter().find(|defect| defect.name() == name);
            one.map(|&defect| Avoided::One(defect)).ok_or_else(|| "no such defect".to_owned())
        }
    };
    PossibleValuesParser::new(Defect::ALL.iter().map(value).chain([all])).try_map(find)
}

/// Parses the name of an EGL platform.
pub(super) fn platform() -> impl TypedValueParser<Value = Platform> {
    let values = Platform::ALL.map(|platform| match platform {
        Platform::Surfaceless => PossibleValue::new("surfaceless").help("Mesa without a device"),
        Platform::Device => PossibleValue::new("device").help("A device of EGL's list"),
        Platform::Gbm => PossibleValue::new("gbm").help("A render node"),
    });
    let find = |name: String| Platform::ALL.into_iter().find(|platform| platform.name() == name);
    PossibleValuesParser::new(values)
        .try_map(move |name| find(name).ok_or_else(|| "no such platform".to_owned()))
}

/// Parses a device: a number, or else a file.
pub(super) fn device(text: &str) -> Result<DeviceChoice, Infallible> {
    Ok(match text.parse() {
        Ok(index) => DeviceChoice::Index(index),
        Err(_) => DeviceChoice::File(text.into()),
    })
}

/// A parsed `--gen` list (a separate type, because clap treats a plain vector as a repeatable
/// option).
#[derive(Clone, Debug)]
pub(super) struct Generations(pub(super) Vec<Target>);

/// Parses a comma-separated list of generations.
pub(super) fn generations(text: &str) -> Result<Generations, String> {
    Target::parse_list(text).map(Generations).map_err(|error| error.to_string())
}

/// Parses one generation.
pub(super) fn one_generation(text: &str) -> Result<Target, String> {
    match generations(text)?.0.as_slice() {
        [generation] => Ok(*generation),
        _ => Err("one generation is needed".to_owned()),
    }
}
