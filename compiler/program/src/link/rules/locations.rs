//! Explicit locations within one shader: what may share a location (GLSL 4.60 sections 4.4.1 to
//! 4.4.3).

use rustc_hash::FxHashMap;

use crate::layout::varying_slots;
use crate::link::assign::uniforms::location_count;
use crate::link::assign::varyings::for_each_slot;
use crate::link::declared::vertex_type;
use crate::link::errors::Errors;
use crate::shader::Shader;
use crate::stage::Stage;
use crate::types::{Type, TypeId, TypeTable};
use crate::variable::{Global, Interpolation, InterpolationMode, SampleLocation, Storage};

/// Maximum number of locations that any interface has.
const MAX_LOCATIONS: u32 = 255;

/// Reports conflicts between the explicit locations of a shader's inputs, outputs and uniforms.
/// Vertex inputs of desktop versions may alias each other, and those of ES are checked where
/// `glBindAttribLocation` is known.
pub(crate) fn check(shader: &Shader, types: &TypeTable, errors: &mut Errors) {
    let mut claims = Claims { shader, types, owners: FxHashMap::default(), errors };
    for global in shader.globals.values().filter(|g| g.builtin.is_none()) {
        match global.storage {
            Storage::Input if shader.stage == Stage::Vertex => {}
            Storage::Input | Storage::Output => claims.varying(global),
            Storage::Uniform if global.block.is_none() => claims.uniform(global),
            _ => {}
        }
    }
}

/// A location of one interface: storage, whether per patch, index of a fragment output, number.
type Location = (Storage, bool, u32, u32);

/// Owners of the four components of a location, and their kind of numbers.
struct Owners<'a> {
    components: [Option<&'a str>; 4],
    first: &'a str,
    kind: Kind,
}

/// Properties that variables at one location must share: integers or not, bits, interpolation.
type Kind = (bool, u32, Interpolation);

struct Claims<'a, 'e> {
    shader: &'a Shader,
    types: &'a TypeTable,
    owners: FxHashMap<Location, Owners<'a>>,
    errors: &'e mut Errors,
}

/// A variable or block member with a location.
struct Claim<'a> {
    name: &'a str,
    ty: TypeId,
    location: u32,
    component: u32,
    interpolation: Interpolation,
}

impl<'a> Claims<'a, '_> {
    fn varying(&mut self, global: &'a Global) {
        let ty = vertex_type(self.shader.stage, global, self.types);
        if global.block.is_some() {
            for member in self.types.members(self.types.without_arrays(ty)).unwrap_or_default() {
                if let Some(location) = member.location {
                    let component = member.component.unwrap_or(0);
                    let interpolation = or(member.interpolation, global.interpolation);
                    let (name, ty) = (&*member.name, member.ty);
                    let claim = Claim { name, ty, location, component, interpolation };
                    self.claim(claim, global);
                }
            }
        } else if let Some(location) = global.layout.location {
            let component = global.layout.component.unwrap_or(0);
            let interpolation = or(global.interpolation, Interpolation::default());
            let name = &*global.name;
            self.claim(Claim { name, ty, location, component, interpolation }, global);
        }
    }

    fn claim(&mut self, claim: Claim<'a>, global: &Global) {
        let Claim { name, ty, location, component, interpolation } = claim;
        if varying_slots(self.types, ty) > MAX_LOCATIONS || location > MAX_LOCATIONS {
            return self.errors.push(format!("`{name}` takes too many locations"));
        }
        let scalar = self.types.scalar_of(self.types.without_arrays(ty));
        let (whole, bits) = scalar.map_or((false, 32), |s| (!s.is_float(), s.bits()));
        let kind = (whole, bits, interpolation);
        let index = global.layout.index.unwrap_or(0);
        let mut masks = Vec::new();
        for_each_slot(self.types, ty, &mut |slot, mask| masks.push((slot, mask << component)));
        for (slot, mask) in masks {
            let at = location + slot;
            let key = (global.storage, global.interpolation.patch, index, at);
            let owners = self.owners.entry(key).or_insert(Owners {
                components: [None; 4],
                first: name,
                kind,
            });
            let mine = (0..4).filter(|c| mask & 1 << c != 0);
            let other = mine.clone().find_map(|c| owners.components[c]);
            mine.for_each(|c| owners.components[c] = Some(name));
            let (first, differs) = (owners.first, owners.kind != kind);
            if let Some(other) = other {
                return self
                    .errors
                    .push(format!("`{other}` and `{name}` overlap at location {at}"));
            } else if differs {
                let what = if owners.kind.2 == kind.2 { "types" } else { "interpolation" };
                let message =
                    format!("`{first}` and `{name}` share location {at} with different {what}");
                return self.errors.push(message);
            }
        }
    }

    fn uniform(&mut self, global: &'a Global) {
        let Some(location) = global.layout.location else { return };
        // Subroutine uniforms have locations of their own.
        let subroutine =
            matches!(self.types.get(self.types.without_arrays(global.ty)), Type::Subroutine(_));
        let count = location_count(self.types, global.ty).min(1 << 16);
        for at in location..location.saturating_add(count) {
            let key = (Storage::Uniform, subroutine, 0, at);
            let owners = Owners {
                components: [None; 4],
                first: &global.name,
                kind: (false, 32, Interpolation::default()),
            };
            let owner = self.owners.entry(key).or_insert(owners).first;
            if owner != &*global.name {
                let message =
                    format!("uniforms `{owner}` and `{}` overlap at location {at}", global.name);
                return self.errors.push(message);
            }
        }
    }
}

/// The qualifiers of a variable or member, else those of its block; smooth and `center` are what
/// nothing means.
fn or(own: Interpolation, outer: Interpolation) -> Interpolation {
    let mode = match (own.mode, outer.mode) {
        (InterpolationMode::Default, InterpolationMode::Default) => InterpolationMode::Smooth,
        (InterpolationMode::Default, mode) | (mode, _) => mode,
    };
    let location = match (own.location, outer.location) {
        (SampleLocation::Center, location) | (location, _) => location,
    };
    Interpolation { mode, location, patch: own.patch || outer.patch }
}
