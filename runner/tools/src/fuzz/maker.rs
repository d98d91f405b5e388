//! Data shared by the stages of a generated test.

use program::Stage;
use program::types::{TypeId, TypeTable};

use super::defects::Defect;
use super::generator::Generator;
use super::names;
use super::resources::Resources;
use super::stage::StageShader;
use spirv_rewrite::Random;

/// Amount of code of the tested stage.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size(pub usize);

impl Size {
    /// Returns the number of statements of `body`, without nested ones.
    pub(super) fn statements(self) -> usize {
        self.0
    }
}

/// Data shared by the stages of one test.
pub(super) struct Maker {
    seed: u64,
    number: u64,
    /// Generator of types and of everything outside of a single stage.
    pub plan: Generator,
    pub structures: Vec<TypeId>,
    pub resources: Resources,
    stages: Vec<Stage>,
    /// Uniforms are in blocks.
    pub in_blocks: bool,
}

impl Maker {
    pub(super) fn new(seed: u64, number: u64, defects: &[Defect]) -> Maker {
        let mut random = Random::new(seed, number, 0);
        let doubles = random.chance(50);
        let mut plan = Generator::new(random, TypeTable::default(), Vec::new(), doubles);
        plan.defects = defects.to_vec();
        for k in 0..plan.random.between(0, 2) {
            let members: Vec<TypeId> =
                (0..plan.random.between(2, 4)).map(|_| plan.any_type(1)).collect();
            let name = format!("S{k}");
            let structure = names::structure(&mut plan.types, &name, &members);
            plan.structures.push(structure);
        }
        let structures = plan.structures.clone();
        let resources = Resources::default();
        let stages = Vec::new();
        Maker { seed, number, plan, structures, resources, stages, in_blocks: false }
    }

    /// Creates resources for the stages of a program, in order.
    pub(super) fn make_resources(&mut self, stages: &[Stage]) {
        self.stages = stages.to_vec();
        self.resources = match self.in_blocks {
            true => Resources::in_blocks(&mut self.plan, stages.len()),
            false => Resources::random(&mut self.plan, stages),
        };
    }

    /// True for OpenGL's own shaders, which know all extensions.
    pub(super) fn has_extensions(&self) -> bool {
        !self.in_blocks && !self.plan.is_translated
    }

    /// Returns the n-th stage.
    pub(super) fn stage(&self, number: usize) -> StageShader {
        let random = Random::new(self.seed, self.number, 1 + number as u64);
        let (types, structures) = (self.plan.types.clone(), self.structures.clone());
        let mut generator = Generator::new(random, types, structures, self.plan.doubles);
        generator.defects.clone_from(&self.plan.defects);
        generator.is_translated = self.plan.is_translated;
        generator.is_for_glslang = self.plan.is_for_glslang;
        StageShader::new(
            generator,
            self.stages[number],
            self.resources.all.iter().filter(|resource| resource.is_of(number)),
        )
    }
}
