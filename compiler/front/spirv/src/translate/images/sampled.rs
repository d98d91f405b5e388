//! Textures and samplers that a module has apart (Vulkan).
//!
//! The typed program samples a variable that is texture and sampler in one. A module for Vulkan
//! pairs the two at each `OpSampledImage`, fetches from a texture without a sampler, and compares
//! texels or not through the same variable. Each pair in use becomes a variable: an array with an
//! element for each pair of elements.

use program::types::SamplerType;
use program::variable::{LayoutQualifiers, SeparateSampler};
use program::{ArrayLength, Global, GlobalId, Storage, Type};
use rspirv::spirv::{Decoration as D, Op};

use crate::entry::Api;
use crate::error::Error;
use crate::module::Instruction;
use crate::translate::place::{Pair, Place, Root, Step};
use crate::translate::state::{ShaderBuilder, Value};

impl ShaderBuilder<'_> {
    /// True for textures, samplers and both in one.
    pub(crate) fn is_separate(&self, user: &Instruction, ty: u32) -> bool {
        let Ok(inner) = self.definition(user, self.innermost(ty)) else { return false };
        let is_sampled = |image: &Instruction| image.literal_at(5) != Some(2);
        self.api == Api::Vulkan
            && match inner.op {
                Op::TypeSampler | Op::TypeSampledImage => true,
                Op::TypeImage => is_sampled(inner),
                _ => false,
            }
    }

    /// Pairs a texture with a sampler.
    pub(crate) fn sampled_image(&mut self, i: &Instruction) -> Result<(), Error> {
        let (texture, sampler) = (self.operand_place(i, 0)?, self.operand_place(i, 1)?);
        let (&Root::Apart(variable, None), &Root::Apart(own, None)) =
            (&texture.root, &sampler.root)
        else {
            return Err(self.unsupported(i, "a pair of parameters is"));
        };
        let root = Root::Apart(variable, Some((own, self.only_index(i, &sampler)?)));
        self.values.insert(i.id, Value::Opaque(Place { root, steps: texture.steps }));
        Ok(())
    }

    /// The id of the index of a place in an array; none outside of arrays.
    fn only_index(&self, i: &Instruction, place: &Place) -> Result<Option<u32>, Error> {
        match place.steps[..] {
            [] => Ok(None),
            [Step::Index(id)] => Ok(Some(id)),
            _ => Err(self.unsupported(i, "an array of arrays of textures is")),
        }
    }

    /// The place in a variable of the typed program of a place in a texture.
    pub(crate) fn paired(
        &mut self,
        user: &Instruction,
        place: &Place,
        compares: bool,
    ) -> Result<Place, Error> {
        let Root::Apart(texture, sampler) = place.root else { return Ok(place.clone()) };
        let index = self.only_index(user, place)?;
        let global =
            self.pair_variable((texture, sampler.map(|(variable, _)| variable), compares))?;
        let count = self.shader.globals[global].layout.sampler.map_or(1, |sampler| sampler.count);
        let is_array = self.types.array_of(self.shader.globals[global].ty).is_some();
        let step = Step::Pair(index, sampler.and_then(|(_, index)| index), count);
        Ok(Place {
            root: Root::Global(global),
            steps: if is_array { vec![step] } else { Vec::new() },
        })
    }

    fn pair_variable(&mut self, pair: Pair) -> Result<GlobalId, Error> {
        if let Some(&known) = self.sampled.get(&pair) {
            return Ok(known);
        }
        let (texture, sampler, compares) = pair;
        let missing = |id: u32| Error::new(0, format!("%{id} has no definition"));
        let module = self.module;
        let definition = module.get(texture).ok_or_else(|| missing(texture))?;
        let ty = self.pointee(definition, definition.ty)?;
        let inner = self.innermost(ty);
        let mut inner = self.definition(definition, inner)?;
        if inner.op == Op::TypeSampledImage {
            inner = self.definition(inner, self.id(inner, 0)?)?;
        }
        let element = self.type_id(definition, inner.id)?;
        let element = match *self.types.get(element) {
            Type::Sampler(ty) => {
                self.types.intern(Type::Sampler(SamplerType { shadow: compares, ..ty }))
            }
            _ => return Err(self.unsupported(definition, "the image is")),
        };
        let textures = self.elements(definition, ty)?;
        let mut name = self.descriptor_name(texture);
        let mut layout = LayoutQualifiers {
            binding: module.literal(texture, D::Binding),
            set: self.set(texture),
            ..LayoutQualifiers::default()
        };
        let mut samplers = None;
        if let Some(id) = sampler {
            let definition = module.get(id).ok_or_else(|| missing(id))?;
            let ty = self.pointee(definition, definition.ty)?;
            samplers = self.elements(definition, ty)?;
            name = format!("{name}, sampler {}", self.descriptor_name(id));
            layout.sampler = Some(SeparateSampler {
                set: self.set(id).unwrap_or(0),
                binding: module.literal(id, D::Binding).unwrap_or(0),
                count: samplers.unwrap_or(1),
            });
        }
        if compares {
            name += ", compared";
        }
        let count = match (textures, samplers) {
            (None, None) => None,
            (a, b) => Some(a.unwrap_or(1).saturating_mul(b.unwrap_or(1))),
        };
        let ty = match count {
            Some(count) => self.types.array(element, ArrayLength::Fixed(count)),
            None => element,
        };
        let mut global = Global::new(&name, ty, Storage::Uniform);
        global.layout = layout;
        let id = self.shader.globals.push(global);
        self.sampled.insert(pair, id);
        Ok(id)
    }

    /// The number of elements of an array; none for other types.
    fn elements(&self, user: &Instruction, ty: u32) -> Result<Option<u32>, Error> {
        let definition = self.definition(user, ty)?;
        match definition.op {
            Op::TypeArray => {
                let length = self.id(definition, 1)?;
                let length = self.integer_constant(definition, length)?;
                Ok(Some(length.min(4096) as u32))
            }
            Op::TypeRuntimeArray => {
                Err(self.unsupported(user, "an array of textures without a length is"))
            }
            _ => Ok(None),
        }
    }
}
