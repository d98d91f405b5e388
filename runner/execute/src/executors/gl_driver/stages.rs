//! Counts of the code that a driver's compiler made, from its messages.
//!
//! Drivers of Mesa report every shader for the tool `shader-db`: `FS SIMD8 shader: 12 inst, 0
//! loops, 48 cycles, 0:0 spills:fills, 1 sends, …`. The counts depend on the driver.

use results::verdict::StageStatistics;
use vocabulary::{Stage, Width};

/// Returns the counts of messages that have the form above; others are ignored. A stage that is
/// compiled again for the state of a draw appears once if the code is the same.
pub(crate) fn of_messages(messages: &[String]) -> Vec<StageStatistics> {
    let mut stages: Vec<StageStatistics> = Vec::new();
    for stage in messages.iter().filter_map(|message| statistics(message)) {
        if !stages.contains(&stage) {
            stages.push(stage);
        }
    }
    stages
}

fn statistics(message: &str) -> Option<StageStatistics> {
    let (head, counts) = message.split_once(" shader: ")?;
    let mut words = head.split_whitespace();
    let name = words.next()?;
    let stage = Stage::ALL.into_iter().find(|stage| stage.abbreviation() == name)?;
    let width = words.next().and_then(|name| Width::ALL.into_iter().find(|w| w.name() == name));
    // Other drivers than Intel's name no width: their code has one form per stage.
    let mut statistics = StageStatistics::new(stage, width.unwrap_or(Width::Vec4));
    for count in counts.split(", ") {
        let Some((value, what)) = count.trim().split_once(' ') else { continue };
        let number = value.parse::<u32>().unwrap_or(0);
        match what {
            "inst" | "instructions" => statistics.instructions = number,
            "loops" => statistics.loops = number,
            "cycles" => statistics.cycles = value.parse().unwrap_or(0),
            "sends" => statistics.sends = number,
            "temps" | "regs" | "registers" => statistics.registers = number,
            "spills:fills" => {
                let (spills, fills) = value.split_once(':').unwrap_or_default();
                statistics.spills = spills.parse().unwrap_or(0);
                statistics.fills = fills.parse().unwrap_or(0);
            }
            _ => {}
        }
    }
    // The code itself is not known: equal messages stand for equal code.
    statistics.sha = blake3::hash(message.as_bytes()).to_hex().to_string();
    Some(statistics)
}

/// Completes the counts of a driver's messages with the kernels that ran on a virtual GPU: cycles
/// by this project's model, executed instructions. Shaders that did not run have neither, and give
/// way to those of the same stage and width that ran: drivers compile for a state that they guess,
/// and again for the state of the draw. A kernel without a message, such as one that the driver
/// kept from an earlier test, gets a row of its own.
pub fn add_kernels(stages: &mut Vec<StageStatistics>, used: &[RanKernel]) {
    for stage in stages.iter_mut() {
        stage.cycles = 0;
    }
    // True for those that ran.
    let mut complete = vec![false; stages.len()];
    for kernel in used {
        let is_same = |(stage, complete): (&StageStatistics, &bool)| {
            (stage.stage, stage.width) == (kernel.stage, kernel.width)
                && stage.instructions == kernel.instructions
                && !complete
        };
        let place = stages.iter().zip(&complete).position(is_same).unwrap_or(stages.len());
        if place == stages.len() {
            stages.push(StageStatistics {
                instructions: kernel.instructions,
                loops: kernel.loops,
                sends: kernel.sends,
                ..StageStatistics::new(kernel.stage, kernel.width)
            });
            complete.push(false);
        }
        complete[place] = true;
        let stage = &mut stages[place];
        stage.cycles = kernel.cycles;
        stage.executed = StageStatistics::average(kernel.executed, kernel.threads);
        stage.sha.clone_from(&kernel.hash);
    }
    let ran: Vec<(Stage, Width)> = used.iter().map(|kernel| (kernel.stage, kernel.width)).collect();
    let mut complete = complete.into_iter();
    stages.retain(|stage| {
        complete.next().unwrap_or(false) || !ran.contains(&(stage.stage, stage.width))
    });
}

/// A kernel that ran on a virtual GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are those of the statistics")]
pub struct RanKernel {
    pub stage: Stage,
    pub width: Width,
    pub instructions: u32,
    pub loops: u32,
    pub sends: u32,
    pub cycles: u64,
    /// BLAKE3 of the machine code.
    pub hash: String,
    /// Threads that ended.
    pub threads: u64,
    /// Instructions that they executed.
    pub executed: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_complete_messages() {
        let message = |inst| format!("FS SIMD8 shader: {inst} inst, 0 loops, 48 cycles, 1 sends");
        let mut stages = of_messages(&[message(12), message(20)]);
        let kernel = |width, instructions| RanKernel {
            stage: Stage::Fragment,
            width,
            instructions,
            loops: 0,
            sends: 1,
            cycles: 70,
            hash: "ab".into(),
            threads: 4,
            executed: 46,
        };
        add_kernels(&mut stages, &[kernel(Width::Simd8, 20), kernel(Width::Simd16, 11)]);
        let numbers = |s: &StageStatistics| (s.instructions, s.cycles, s.executed);
        let all: Vec<_> = stages.iter().map(numbers).collect();
        assert_eq!(all, [(20, 70, 12), (11, 70, 12)]);
        assert_eq!(stages[0].sha, "ab");
        // Without an estimate of cycles.
        let other = RanKernel { cycles: 0, ..kernel(Width::Wave64, 30) };
        add_kernels(&mut stages, &[other]);
        assert_eq!(numbers(stages.last().expect("a stage")), (30, 0, 12));
        let mut stages = of_messages(&[message(12)]);
        add_kernels(&mut stages, &[]);
        assert_eq!(numbers(&stages[0]), (12, 0, 0), "no draw");
    }

    /// Messages in the forms of Mesa's iris and softpipe.
    #[test]
    fn messages_of_drivers() {
        let of = |text: &str| of_messages(&[text.to_owned()]);
        let [intel] =
            &of("FS SIMD16 shader: 12 inst, 1 loops, 48 cycles, 2:3 spills:fills, 4 sends, \
                           scheduled with mode top-down, Promoted 0 constants")[..]
        else {
            panic!("one stage")
        };
        assert_eq!((intel.stage, intel.width), (Stage::Fragment, Width::Simd16));
        assert_eq!((intel.instructions, intel.loops, intel.cycles), (12, 1, 48));
        assert_eq!((intel.spills, intel.fills, intel.sends), (2, 3, 4));
        let [soft] = &of("VS shader: 5 inst, 0 loops, 2 temps, 1 const, 0 imm")[..] else {
            panic!("one stage")
        };
        assert_eq!((soft.stage, soft.instructions, soft.registers), (Stage::Vertex, 5, 2));
        assert_eq!(soft.sha, of("VS shader: 5 inst, 0 loops, 2 temps, 1 const, 0 imm")[0].sha);
        assert_ne!(soft.sha, of("VS shader: 5 inst, 0 loops, 2 temps, 1 const, 1 imm")[0].sha);
        let twice = ["FS shader: 5 inst", "FS shader: 5 inst"].map(str::to_owned);
        assert_eq!(of_messages(&twice).len(), 1);
        assert_eq!(of("shader recompiled"), []);
        assert_eq!(of("XS shader: 5 inst"), []);
    }
}
