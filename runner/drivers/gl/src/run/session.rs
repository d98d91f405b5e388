//! State of a script in execution, and what every command may need.

use script::{ProgramParameter, Script, Stage};
use vocabulary::Phase;

use std::collections::BTreeMap;

use super::member_layout::MemberLayout;
use super::objects::Objects;
use crate::api::Api;
use crate::bindings::gl;
use crate::capabilities::{Capabilities, Profile, clear_errors};
use crate::outcome::{Failure, Flow, Observe, Outcome, fail, skip};

/// Maximum number of failures that an outcome lists.
const MOST_FAILURES: usize = 10_000;
/// Number of texture slots.
const SLOTS: usize = 32;

/// State of a script in execution.
pub(crate) struct Run<'a> {
    pub(super) api: &'a Api,
    pub(super) capabilities: &'a Capabilities,
    pub(super) script: &'a Script<'a>,
    pub(super) observe: Observe,
    pub(super) objects: Objects,
    /// The SPIR-V sections are the ones that run; names of uniforms and blocks do not exist.
    pub(super) spirv: bool,
    /// Size of the window.
    pub(super) window: (u32, u32),
    pub(super) linked: Linked,
    /// The script contains `link error`.
    pub(super) link_error_expected: bool,
    /// Bits of the buffers that `clear` clears.
    pub(super) clear_mask: u32,
    /// Per-channel tolerance of probes.
    pub(super) tolerance: [f32; 4],
    pub(super) textures: Textures,
    pub(super) framebuffers: Framebuffers,
    pub(super) buffers: Buffers,
    pub(super) blocks: Blocks,
    pub(super) feedback: Feedback,
    /// Selected subroutines by stage.
    pub(super) subroutines: Vec<(Stage, Vec<u32>)>,
    /// Parameters of ARB programs that the script has set.
    pub(super) parameters: Vec<(ProgramParameter, u32)>,
    /// The display list of the script.
    pub(super) list: u32,
    pub(super) rectangles: Rectangles,
    /// The vertex array of the script; 0 before its first use.
    pub(super) vertex_array: u32,
    /// The buffer of `[elements]`; 0 before its first use.
    pub(super) elements: u32,
    /// Number of generic attributes.
    pub(super) attributes: u32,
    /// Number of a patch's vertices.
    pub(super) patch_vertices: u32,
    /// Line of the current command, 0 before the commands.
    pub(super) line: u32,
    pub(super) outcome: Outcome,
}

impl<'a> Run<'a> {
    pub(super) fn new(
        api: &'a Api,
        capabilities: &'a Capabilities,
        script: &'a Script<'a>,
        observe: Observe,
        window_framebuffer: u32,
        window: (u32, u32),
    ) -> Run<'a> {
        Run {
            api,
            capabilities,
            script,
            observe,
            spirv: script.require.spirv.has_sections() && capabilities.facts().spirv,
            objects: Objects::default(),
            window,
            linked: Linked::Nothing,
            link_error_expected: false,
            clear_mask: 0,
            tolerance: [0.01; 4],
            textures: Textures::default(),
            framebuffers: Framebuffers::new(window_framebuffer, window),
            buffers: Buffers::default(),
            blocks: Blocks::default(),
            feedback: Feedback::default(),
            subroutines: Vec::new(),
            parameters: Vec::new(),
            list: 0,
            rectangles: Rectangles::default(),
            vertex_array: 0,
            elements: 0,
            attributes: capabilities.limit("GL_MAX_VERTEX_ATTRIBS"),
            patch_vertices: 3,
            line: 0,
            outcome: Outcome::default(),
        }
    }

    /// Records a failure of the current line; the script continues.
    pub(super) fn fail_line(&mut self, phase: Phase, text: impl Into<String>) {
        self.record(Some(self.line), false, phase, text.into());
    }

    pub(super) fn record(&mut self, line: Option<u32>, warns: bool, phase: Phase, text: String) {
        if self.outcome.failures.len() < MOST_FAILURES {
            self.outcome.failures.push(Failure { line, warns, phase, text });
        }
    }

    /// Returns true if there is a program; otherwise the line fails.
    pub(super) fn needs_program(&mut self) -> bool {
        let linked = self.linked.is_linked();
        if !linked {
            let text = self.linked.message();
            self.fail_line(Phase::Link, text);
        }
        linked
    }

    /// Skips the test unless the context has a desktop version or one of some extensions.
    pub(super) fn needs(&self, version: u32, extensions: &[&str]) -> Flow {
        self.capabilities.facts().needs(version, extensions).map_err(skip)
    }

    /// Skips the test unless the context has an extension.
    pub(super) fn needs_extension(&self, extension: &str) -> Flow {
        if self.capabilities.has(extension) {
            Ok(())
        } else {
            Err(skip(format!("needs {extension}")))
        }
    }

    /// Skips the test in OpenGL ES.
    pub(super) fn needs_desktop(&self, what: &str) -> Flow {
        if self.is_es() { Err(skip(format!("{what} needs desktop OpenGL"))) } else { Ok(()) }
    }

    /// Checks the error flag, as piglit does after a few commands.
    pub(super) fn check_gl_error(&self) -> Flow {
        match self.api.get_error() {
            gl::NO_ERROR => Ok(()),
            error => {
                clear_errors(self.api);
                Err(fail(Phase::Script, format!("GL error {}", error_name(error))))
            }
        }
    }

    pub(super) fn is_es(&self) -> bool {
        self.capabilities.is_es()
    }

    pub(super) fn is_core(&self) -> bool {
        self.capabilities.profile == Profile::Core
    }
}

/// The result of linking.
pub(super) enum Linked {
    /// There are no shaders.
    Nothing,
    /// Only assembly programs, or also shaders that linked.
    Assembly,
    /// The info log of a failure, which a script may expect.
    Failed(String),
    /// A program, which is in use.
    Program(u32),
    /// A pipeline of separate programs by stage.
    Pipeline {
        /// Programs in the order of linking.
        programs: Vec<(Stage, u32)>,
        /// The pipeline.
        pipeline: u32,
    },
}

impl Linked {
    pub(super) fn is_linked(&self) -> bool {
        !matches!(self, Linked::Nothing | Linked::Failed(_))
    }

    /// Returns the text of a failure.
    pub(super) fn message(&self) -> String {
        match self {
            Linked::Failed(log) => format!("Failed to link: {log}"),
            _ => "Failed to link: there are no shaders".to_owned(),
        }
    }

    /// Returns the program in which commands look names up; 0 if there is none.
    pub(super) fn program(&self) -> u32 {
        match self {
            Linked::Program(program) => *program,
            Linked::Pipeline { programs, .. } => programs.last().map_or(0, |&(_, program)| program),
            Linked::Nothing | Linked::Assembly | Linked::Failed(_) => 0,
        }
    }
}

/// Buffer and vertex array of rectangles.
#[derive(Clone, Copy, Default)]
pub(super) struct Rectangles {
    pub(super) buffer: u32,
    pub(super) array: Option<u32>,
}

/// A texture in a slot.
#[derive(Clone, Copy)]
pub(super) struct Slot {
    pub(super) texture: u32,
    pub(super) width: u32,
    pub(super) height: u32,
}

/// Texture slots and resident handles.
#[derive(Default)]
pub(super) struct Textures {
    pub(super) slots: [Option<Slot>; SLOTS],
    pub(super) handles: [Option<u64>; SLOTS],
}

/// The bound framebuffers with their sizes.
pub(super) struct Framebuffers {
    pub(super) window: u32,
    pub(super) window_size: (u32, u32),
    pub(super) draw_size: (u32, u32),
    pub(super) read_size: (u32, u32),
}

impl Framebuffers {
    pub(super) fn new(window: u32, window_size: (u32, u32)) -> Framebuffers {
        Framebuffers { window, window_size, draw_size: window_size, read_size: window_size }
    }
}

/// Buffers by their numbers in the script; 0 where there is none.
#[derive(Default)]
pub(super) struct Buffers {
    pub(super) storage: [u32; 32],
    pub(super) atomic: [u32; 8],
    pub(super) feedback: [u32; 4],
}

/// Uniform blocks of the program.
#[derive(Default)]
pub(super) struct Blocks {
    /// Buffers by block index.
    pub(super) buffers: Vec<u32>,
    /// Element of block arrays that uniforms go to.
    pub(super) array_index: i32,
    /// Blocks by binding, in SPIR-V.
    pub(super) by_binding: BTreeMap<i32, usize>,
    /// Member that uniforms go to, in SPIR-V.
    pub(super) member: BlockMember,
}

/// Member of a block that has no names.
#[derive(Clone, Copy, Default)]
pub(super) struct BlockMember {
    /// Binding of the block.
    pub(super) binding: Option<i32>,
    /// Offset, matrix stride and order.
    pub(super) layout: MemberLayout,
}

/// Query objects, created with the first capture; 0 before.
#[derive(Default)]
pub(super) struct Feedback {
    pub(super) generated: u32,
    pub(super) written: u32,
}

/// Returns the name of a GL error.
fn error_name(error: u32) -> String {
    match error {
        gl::INVALID_ENUM => "InvalidEnum".to_owned(),
        gl::INVALID_VALUE => "InvalidValue".to_owned(),
        gl::INVALID_OPERATION => "InvalidOperation".to_owned(),
        gl::INVALID_FRAMEBUFFER_OPERATION => "InvalidFramebufferOperation".to_owned(),
        gl::OUT_OF_MEMORY => "OutOfMemory".to_owned(),
        gl::STACK_OVERFLOW => "StackOverflow".to_owned(),
        gl::STACK_UNDERFLOW => "StackUnderflow".to_owned(),
        gl::CONTEXT_LOST => "ContextLost".to_owned(),
        _ => format!("{error:#x}"),
    }
}
