//! Second execution of a group whose effects are there already.

use program::BuiltinVariable;

use crate::environment::{
    AddressSpace, Environment, Error, ImageRequest, InterpolateAt, TextureRequest,
};

/// Most answers that are kept: a group that asks for more is not executed again.
const MAX_ANSWERS: usize = 1 << 19;

/// Environment that keeps its answers. The second execution gets them again and has no effects.
pub(crate) struct Replay<'a> {
    environment: &'a mut dyn Environment,
    /// Answers that effects may change, in the order of the questions.
    answers: Vec<[u32; 4]>,
    /// The next answer of the second execution.
    next: Option<usize>,
}

impl<'a> Replay<'a> {
    /// Returns an environment for the first execution.
    pub(crate) fn new(environment: &'a mut dyn Environment) -> Replay<'a> {
        Replay { environment, answers: Vec::new(), next: None }
    }

    /// Goes back to the first question; returns false if not all answers are there.
    pub(crate) fn rewind(&mut self) -> bool {
        self.next = Some(0);
        self.answers.len() < MAX_ANSWERS
    }

    /// Answers a question: the second time as the first time.
    fn answer(
        &mut self,
        ask: impl FnOnce(&mut dyn Environment) -> Result<[u32; 4], Error>,
    ) -> Result<[u32; 4], Error> {
        let Some(next) = self.next.as_mut() else {
            let answer = ask(self.environment)?;
            if self.answers.len() < MAX_ANSWERS {
                self.answers.push(answer);
            }
            return Ok(answer);
        };
        *next += 1;
        let answer = self.answers.get(*next - 1).copied();
        answer.ok_or(Error::Malformed("the second execution differs from the first"))
    }

    fn number(&mut self, ask: impl FnOnce(&mut dyn Environment) -> Option<u64>) -> Option<u64> {
        let in_words = |environment: &mut dyn Environment| {
            let value = ask(environment);
            let bits = value.unwrap_or(0);
            Ok([bits as u32, (bits >> 32) as u32, u32::from(value.is_some()), 0])
        };
        match self.answer(in_words) {
            Ok([low, high, 1, _]) => Some(u64::from(low) | u64::from(high) << 32),
            _ => None,
        }
    }
}

impl Environment for Replay<'_> {
    fn attribute(&mut self, slot: usize, component: usize, lane: usize) -> u32 {
        self.environment.attribute(slot, component, lane)
    }

    fn varying(&mut self, slot: usize, component: usize, vertex: u32, lane: usize) -> u32 {
        self.environment.varying(slot, component, vertex, lane)
    }

    fn interpolate(
        &mut self,
        slot: usize,
        component: usize,
        lane: usize,
        at: InterpolateAt,
    ) -> f64 {
        self.environment.interpolate(slot, component, lane, at)
    }

    fn system_value(&mut self, variable: BuiltinVariable, component: usize, lane: usize) -> u32 {
        self.environment.system_value(variable, component, lane)
    }

    fn load(&mut self, space: AddressSpace, offset: u32, bytes: u32) -> Option<u64> {
        match space {
            AddressSpace::DefaultBlock | AddressSpace::UniformBlock(_) => {
                self.environment.load(space, offset, bytes)
            }
            _ => self.number(|environment| environment.load(space, offset, bytes)),
        }
    }

    fn store(&mut self, space: AddressSpace, offset: u32, bytes: u32, value: u64) -> bool {
        self.next.is_some() || self.environment.store(space, offset, bytes, value)
    }

    fn size(&mut self, space: AddressSpace) -> u32 {
        self.environment.size(space)
    }

    fn clock(&mut self) -> u64 {
        self.number(|environment| Some(environment.clock())).unwrap_or(0)
    }

    fn texture(&mut self, request: &TextureRequest) -> Result<[u32; 4], Error> {
        self.answer(|environment| environment.texture(request))
    }

    fn lacks_texels(&self, sampler: u32) -> bool {
        self.environment.lacks_texels(sampler)
    }

    fn image(&mut self, request: &ImageRequest) -> Result<[u32; 4], Error> {
        self.answer(|environment| environment.image(request))
    }

    fn emit_vertex(&mut self, lane: usize, stream: u32, outputs: &[[u32; 4]]) {
        if self.next.is_none() {
            self.environment.emit_vertex(lane, stream, outputs);
        }
    }

    fn end_primitive(&mut self, lane: usize, stream: u32) {
        if self.next.is_none() {
            self.environment.end_primitive(lane, stream);
        }
    }
}
