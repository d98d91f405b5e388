//! Samplers and images as values (ARB_bindless_texture section 4.1.7): variables, inputs, outputs,
//! parameters, results and members hold handles, an `uvec2` each. A lookup through a value goes to
//! an element of a table with a slot for each handle.

use cranelift_entity::EntitySet;
use rustc_hash::FxHashMap;

use super::handles::{Handles, contains_handles, in_memory, is_handle, path, root};
use crate::expression::{BinaryOp, Expr, ExprId, ExprKind, Literal, SwizzleMask};
use crate::program::{LinkedStage, Program};
use crate::resource::{
    FIRST_HANDLE, HANDLES, OpaqueSlot, OpaqueSlots, Placement, SlotSource, StageMask, Uniform,
};
use crate::shader::{Direction, Shader};
use crate::types::{ArrayLength, MatrixOrder, Scalar, Type, TypeId, TypeTable};
use crate::variable::{Global, GlobalId, Storage};

/// The samplers or images of one type by their handles, in one stage.
pub(crate) struct Table {
    stage: usize,
    global: GlobalId,
    /// Type of an element.
    ty: TypeId,
}

/// True if a shader has variables, results or conversions of samplers or images that only handles
/// can be.
pub(crate) fn are_used(stages: &[LinkedStage], types: &TypeTable) -> bool {
    let is_value = |ty: TypeId| contains_handles(types, ty);
    stages.iter().map(|stage| &stage.shader).any(|shader| {
        let converts = |expr: &Expr| match expr.kind {
            ExprKind::Convert(operand) => is_value(expr.ty) || is_value(shader.exprs[operand].ty),
            _ => false,
        };
        let of_functions = shader.functions.values().any(|function| {
            // Structures with samplers may be parameters in any version.
            let is_parameter = |local| function.parameters.iter().any(|p| p.local == local);
            let mut locals = function.locals.iter();
            is_value(function.result)
                || locals.any(|(id, local)| is_value(local.ty) && !is_parameter(id))
        });
        of_functions
            || shader.globals.values().any(|g| g.storage != Storage::Uniform && is_value(g.ty))
            || shader.exprs.values().any(converts)
    })
}

/// Turns samplers and images into handles, but for lookups that name a uniform.
pub(crate) fn convert(
    stages: &mut [LinkedStage],
    types: &mut TypeTable,
    uniforms: &[Handles],
) -> Vec<Table> {
    let mut tables = Vec::new();
    for (stage, linked) in stages.iter_mut().enumerate() {
        let slots = uniforms.iter().filter(|u| u.stage == stage);
        let memory = slots.map(|u| (u.slots, u.memory)).collect();
        let mut conversion = Conversion { types, memory, tables: FxHashMap::default() };
        conversion.shader(&mut linked.shader);
        let mut of_stage: Vec<_> = conversion.tables.into_iter().collect();
        of_stage.sort_unstable();
        tables.extend(of_stage.into_iter().map(|(ty, global)| Table { stage, global, ty }));
    }
    tables
}

struct Conversion<'a> {
    types: &'a mut TypeTable,
    /// The memory of the uniforms' handles, by the variable of their slots.
    memory: FxHashMap<GlobalId, GlobalId>,
    /// Tables by the type of their elements.
    tables: FxHashMap<TypeId, GlobalId>,
}

/// A lookup: the call, the value that it uses, and that value's type in the source.
type Lookup = (ExprId, ExprId, TypeId);

impl Conversion<'_> {
    fn shader(&mut self, shader: &mut Shader) {
        let mut named: EntitySet<ExprId> = EntitySet::new();
        let mut lookups: Vec<Lookup> = Vec::new();
        for (call, expr) in &shader.exprs {
            let operand = match &expr.kind {
                ExprKind::Texture(call) => call.sampler,
                ExprKind::Image(call) => call.image,
                _ => continue,
            };
            match root(shader, operand) {
                Some(global) if shader.globals[global].storage == Storage::Uniform => {
                    named.extend(path(shader, operand));
                }
                _ => lookups.push((call, operand, shader.exprs[operand].ty)),
            }
        }
        self.drop_conversions(shader);
        self.values(shader, &named);
        self.variables(shader);
        for lookup in lookups {
            self.look_up(shader, lookup);
        }
    }

    /// Replaces conversions between handles and `uvec2`, which change no bit, by their operands.
    fn drop_conversions(&self, shader: &mut Shader) {
        for id in shader.exprs.keys().collect::<Vec<_>>() {
            let Expr { ty, kind: ExprKind::Convert(operand), .. } = shader.exprs[id] else {
                continue;
            };
            let Expr { ty: from, kind, .. } = &shader.exprs[operand];
            if is_handle(self.types, ty) || is_handle(self.types, *from) {
                shader.exprs[id].kind = kind.clone();
            }
        }
    }

    /// Changes the types of expressions to those of handles, except those in `named`.
    fn values(&mut self, shader: &mut Shader, named: &EntitySet<ExprId>) {
        for (_, expr) in shader.exprs.iter_mut().filter(|(id, _)| !named.contains(*id)) {
            if let ExprKind::Global(global) = &mut expr.kind
                && let Some(&memory) = self.memory.get(global)
            {
                *global = memory;
            }
            expr.ty = in_memory(self.types, expr.ty);
        }
    }

    /// Changes the types of variables, parameters and results to those of handles. Arguments are
    /// copied.
    fn variables(&mut self, shader: &mut Shader) {
        for global in shader.globals.values_mut().filter(|g| g.storage != Storage::Uniform) {
            global.ty = in_memory(self.types, global.ty);
        }
        for function in shader.functions.values_mut() {
            function.result = in_memory(self.types, function.result);
            for parameter in &mut function.parameters {
                let ty = function.locals[parameter.local].ty;
                if contains_handles(self.types, ty) && parameter.direction == Direction::Opaque {
                    parameter.direction = Direction::In;
                }
            }
            for local in function.locals.values_mut() {
                local.ty = in_memory(self.types, local.ty);
            }
        }
    }

    /// Lets a lookup through a value name an element of a table.
    fn look_up(&mut self, shader: &mut Shader, (call, handle, ty): Lookup) {
        let all = self.types.array(ty, ArrayLength::Fixed(HANDLES));
        let table = *self.tables.entry(ty).or_insert_with(|| {
            shader.globals.push(Global::new("textures by handle", all, Storage::Uniform))
        });
        let span = shader.exprs[handle].span;
        let mut push = |kind, ty| shader.exprs.push(Expr { kind, ty, precise: false, span });
        let base = push(ExprKind::Global(table), all);
        let index = number(self.types, &mut push, handle);
        let element = push(ExprKind::Index { base, index }, ty);
        match &mut shader.exprs[call].kind {
            ExprKind::Texture(call) => call.sampler = element,
            ExprKind::Image(call) => call.image = element,
            _ => {}
        }
    }
}

/// The number of a handle in tables. Other values have the number of some handle, whose texels are
/// undefined there.
fn number(
    types: &mut TypeTable,
    push: &mut impl FnMut(ExprKind, TypeId) -> ExprId,
    handle: ExprId,
) -> ExprId {
    let uint = types.scalar(Scalar::Uint);
    let mut literal = |value| push(ExprKind::Literal(Literal::Uint(value)), uint);
    let first = literal(FIRST_HANDLE & 0xffff_ffff);
    let mask = literal(u64::from(HANDLES - 1));
    let low = ExprKind::Swizzle { base: handle, components: SwizzleMask::new(&[0]) };
    let low = push(low, uint);
    let number = push(ExprKind::Binary(BinaryOp::Sub, low, first), uint);
    push(ExprKind::Binary(BinaryOp::BitAnd, number, mask), uint)
}

/// Appends the slots of the tables: one table for each type, shared by all stages.
pub(crate) fn place(stages: &mut [LinkedStage], program: &mut Program, tables: &[Table]) {
    let mut placed: FxHashMap<TypeId, (Placement, usize)> = FxHashMap::default();
    for &Table { stage, global, ty } in tables {
        let (placement, uniform) = *placed.entry(ty).or_insert_with(|| append(program, ty));
        stages[stage].shader.globals[global].placement = placement;
        program.uniforms[uniform].stages.insert(stages[stage].shader.stage);
    }
}

/// Appends a table and the internal uniform that tells its type.
fn append(program: &mut Program, ty: TypeId) -> (Placement, usize) {
    let (sampler, image) = (program.samplers.len() as u16, program.images.len() as u16);
    let (list, opaque) = match program.types.get(ty) {
        Type::Image(_) => (&mut program.images, OpaqueSlots::Image(image)),
        _ => (&mut program.samplers, OpaqueSlots::Sampler(sampler)),
    };
    let number = program.uniforms.len();
    list.extend((0..HANDLES).map(|element| OpaqueSlot {
        uniform: number as u32,
        element,
        source: SlotSource::Handle(FIRST_HANDLE + u64::from(element)),
    }));
    program.uniforms.push(Uniform {
        name: "textures by handle".into(),
        ty,
        array: Some(HANDLES),
        location: None,
        block: None,
        offset: 0,
        array_stride: 0,
        matrix_stride: 0,
        order: MatrixOrder::ColumnMajor,
        opaque: Some(opaque),
        builtin: None,
        atomic_binding: None,
        stages: StageMask::default(),
    });
    (Placement::Uniform { offset: 0, sampler, image }, number)
}
