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

#[cfg(test)]
mod tests {
    use super::*;

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
