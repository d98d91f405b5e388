//! Counts of the code that a Vulkan driver's compiler made.

use vk_driver::Executable;

use results::verdict::StageStatistics;
use vocabulary::Width;

/// Returns the counts that a driver reports for a stage. Names are those of Mesa's drivers; other
/// counts stay 0.
pub(super) fn of_executable(executable: &Executable) -> StageStatistics {
    let named = |width: &Width| executable.name.starts_with(width.name());
    // Other drivers than Intel's name no width: their code has one form per stage.
    let width = Width::ALL.into_iter().find(named).unwrap_or(Width::Vec4);
    let mut statistics = StageStatistics::new(executable.stage, width);
    for (name, value) in &executable.statistics {
        let number = u32::try_from(*value).unwrap_or(u32::MAX);
        match name.as_str() {
            "Instruction Count" | "Instructions" => statistics.instructions = number,
            "Loop Count" => statistics.loops = number,
            "Cycle Count" => statistics.cycles = *value,
            "SEND Count" => statistics.sends = number,
            "Spill Count" => statistics.spills = number,
            "Fill Count" => statistics.fills = number,
            "VGPRs" => statistics.registers = number,
            "SGPRs" => statistics.scalar_registers = number,
            _ => {}
        }
    }
    // The code itself is not known: equal counts stand for equal code.
    statistics.sha = blake3::hash(format!("{executable:?}").as_bytes()).to_hex().to_string();
    statistics
}

#[cfg(test)]
mod tests {
    use super::*;
    use vocabulary::Stage;

    #[test]
    fn counts_of_intel() {
        let executable = Executable {
            stage: Stage::Fragment,
            name: "SIMD16 fragment shader".to_owned(),
            subgroup_size: 16,
            statistics: vec![("Instruction Count".to_owned(), 12), ("SEND Count".to_owned(), 1)],
        };
        let counts = of_executable(&executable);
        assert_eq!((counts.width, counts.instructions, counts.sends), (Width::Simd16, 12, 1));
        let plain = Executable { name: "main".to_owned(), ..executable };
        assert_eq!(of_executable(&plain).width, Width::Vec4);
    }
}
