//! Statistics of the code that the driver's compiler made
//! (`VK_KHR_pipeline_executable_properties`).

use ash::vk;
use vocabulary::Stage;

use super::stages::bit;
use crate::device::Device;
use crate::outcome::Executable;

/// Every stage.
const STAGES: [Stage; 6] = [
    Stage::Vertex,
    Stage::TessControl,
    Stage::TessEval,
    Stage::Geometry,
    Stage::Fragment,
    Stage::Compute,
];

/// Returns the statistics of a pipeline; none if the driver cannot tell.
pub(super) fn of_pipeline(device: &Device, pipeline: vk::Pipeline) -> Vec<Executable> {
    let Some(functions) = &device.statistics else { return Vec::new() };
    let info = vk::PipelineInfoKHR::default().pipeline(pipeline);
    // SAFETY: the pipeline is of this device.
    let all = unsafe { functions.get_pipeline_executable_properties(&info) }.unwrap_or_default();
    let mut executables = Vec::new();
    for (index, found) in (0..).zip(&all) {
        let Some(stage) = STAGES.into_iter().find(|&stage| found.stages.contains(bit(stage)))
        else {
            continue;
        };
        let info =
            vk::PipelineExecutableInfoKHR::default().pipeline(pipeline).executable_index(index);
        // SAFETY: the pipeline keeps statistics, since it was created to do so.
        let values = unsafe { functions.get_pipeline_executable_statistics(&info) };
        let values = values.unwrap_or_default();
        executables.push(Executable {
            stage,
            name: text(found.description_as_c_str().ok()),
            subgroup_size: found.subgroup_size,
            statistics: values.iter().filter_map(statistic).collect(),
        });
    }
    executables
}

/// Returns the flags of pipelines that keep statistics.
pub(super) fn flags(device: &Device) -> vk::PipelineCreateFlags {
    match device.statistics {
        Some(_) => vk::PipelineCreateFlags::CAPTURE_STATISTICS_KHR,
        None => vk::PipelineCreateFlags::empty(),
    }
}

fn statistic(found: &vk::PipelineExecutableStatisticKHR<'_>) -> Option<(String, u64)> {
    use vk::PipelineExecutableStatisticFormatKHR as Format;
    // SAFETY: the format says which member of the union is written.
    let value = unsafe {
        match found.format {
            Format::UINT64 => found.value.u64,
            Format::INT64 => u64::try_from(found.value.i64).ok()?,
            Format::BOOL32 => u64::from(found.value.b32),
            _ => return None,
        }
    };
    Some((text(found.name_as_c_str().ok()), value))
}

fn text(text: Option<&std::ffi::CStr>) -> String {
    text.unwrap_or_default().to_string_lossy().into_owned()
}
