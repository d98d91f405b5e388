//! Buffers that the driver may have changed.

use std::collections::HashSet;

use super::Script;
use super::command::{Command, CommandKind};
use super::ids::BufferId;
use super::pipeline::Pipeline;

impl Script {
    /// Returns true if the expectation on a line is about contents that the driver may have
    /// changed: of a buffer that a pipeline has which ran before. Others say nothing about it.
    #[must_use]
    pub fn expects_results(&self, line: u32) -> bool {
        let mut touched = HashSet::new();
        self.find_results(&self.commands, line, &mut touched).unwrap_or(false)
    }

    fn find_results(
        &self,
        commands: &[Command],
        line: u32,
        touched: &mut HashSet<BufferId>,
    ) -> Option<bool> {
        for command in commands {
            match &command.kind {
                CommandKind::Dispatch { pipeline, .. }
                | CommandKind::Draw { pipeline, .. }
                | CommandKind::Clear { pipeline } => {
                    touched.extend(buffers(self.pipeline(*pipeline)));
                }
                CommandKind::Copy { from, to } if touched.contains(from) => {
                    touched.insert(*to);
                }
                CommandKind::Repeat { commands, .. } => {
                    if let Some(found) = self.find_results(commands, line, touched) {
                        return Some(found);
                    }
                }
                CommandKind::Expect(expectation) if command.line == line => {
                    let mut both = [Some(expectation.buffer), expectation.other()].into_iter();
                    return Some(both.any(|buffer| buffer.is_some_and(|b| touched.contains(&b))));
                }
                CommandKind::Expect(_)
                | CommandKind::SetClear { .. }
                | CommandKind::Write { .. }
                | CommandKind::Copy { .. } => {}
            }
        }
        None
    }
}

/// Returns the buffers that commands of a pipeline may change.
fn buffers(pipeline: &Pipeline) -> impl Iterator<Item = BufferId> {
    let bound = pipeline.bindings.iter().flat_map(|binding| &binding.resources);
    let colors = pipeline.colors.iter().map(|color| color.buffer);
    let bound = bound.filter_map(|resource| resource.buffer);
    colors.chain(pipeline.depth_stencil).chain(pipeline.resolves.iter().copied()).chain(bound)
}

#[cfg(test)]
mod tests {
    use crate::Rules;

    #[test]
    fn results_are_of_pipelines_that_ran() {
        let text = b"#!amber
SHADER compute s GLSL
#version 450
END
BUFFER a DATA_TYPE uint32 SIZE 1 FILL 0
BUFFER b DATA_TYPE uint32 SIZE 1 FILL 0
PIPELINE compute p
  ATTACH s
  BIND BUFFER a AS storage DESCRIPTOR_SET 0 BINDING 0
END
EXPECT a IDX 0 EQ 1
RUN p 1 1 1
EXPECT a IDX 0 EQ 1
EXPECT b IDX 0 EQ 1
COPY a TO b
EXPECT b IDX 0 EQ 1
";
        let script = crate::parse(text, Rules::Amber, &|_| Err("no files".to_owned()));
        let script = script.expect("a script");
        let results = [11, 13, 14, 16].map(|line| script.expects_results(line));
        assert_eq!(results, [false, true, false, true]);
        assert!(!script.expects_results(1));
    }
}
