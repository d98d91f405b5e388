//! Samplers and images as values (ARB_bindless_texture section 4.1.7): variables, inputs, outputs,
//! parameters, results and members hold handles, an `uvec2` each. A lookup through a value goes to
//! an element of a table with a slot for each handle.

use cranelift_entity::{EntitySet, SecondaryMap};
use rustc_hash::FxHashMap;

use super::handles::{Handles, contains_handles, in_memory, is_handle, path, root};
use crate::expression::{BinaryOp, Expr, ExprId, ExprKind, Literal, SwizzleMask};
use crate::program::{LinkedStage, Program};
use crate::resource::{
    FIRST_HANDLE, HANDLES, OpaqueSlot, OpaqueSlots, Placement, SlotSource, StageMask, Uniform,
};
use crate::shader::{Direction, Shader};
use crate::span::Span;
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

impl Conversion<'_> {
    fn shader(&mut self, shader: &mut Shader) {
        let mut named: EntitySet<ExprId> = EntitySet::new();
        let mut looked_up: Vec<(ExprId, ExprId)> = Vec::new();
        for (call, expr) in &shader.exprs {
            let operand = match &expr.kind {
                ExprKind::Texture(call) => call.sampler,
                ExprKind::Image(call) => call.image,
                _ => continue,
            };
            match root(shader, operand) {
                Some(global) if self.memory.contains_key(&global) => {
                    named.extend(path(shader, operand));
                }
                _ => looked_up.push((call, operand)),
            }
        }
        self.look_up(shader, &looked_up);
        self.values(shader, &named);
        self.variables(shader);
    }

    /// Lets lookups through a value name an element of a table.
    fn look_up(&mut self, shader: &mut Shader, calls: &[(ExprId, ExprId)]) {
        for &(call, operand) in calls {
            let Expr { ty, span, .. } = shader.exprs[operand];
            if !is_handle(self.types, ty) {
                continue;
            }
            let table = *self.tables.entry(ty).or_insert_with(|| {
                let length = ArrayLength::Fixed(HANDLES);
                let all = self.types.array(ty, length);
                shader.globals.push(Global::new("textures by handle", all, Storage::Uniform))
            });
            let element = self.element(shader, table, operand, span);
            match &mut shader.exprs[call].kind {
                ExprKind::Texture(call) => call.sampler = element,
                ExprKind::Image(call) => call.image = element,
                _ => {}
            }
        }
    }

    /// The element of a table that a handle selects. Other numbers select another element, whose
    /// texels are undefined.
    fn element(
        &mut self,
        shader: &mut Shader,
        table: GlobalId,
        handle: ExprId,
        span: Span,
    ) -> ExprId {
        let Expr { ty, .. } = shader.exprs[handle];
        let uint = self.types.scalar(Scalar::Uint);
        let mut push = |kind, ty| shader.exprs.push(Expr { kind, ty, precise: false, span });
        let low = ExprKind::Swizzle { base: handle, components: SwizzleMask::new(&[0]) };
        let low = push(low, uint);
        let first = push(ExprKind::Literal(Literal::Uint(FIRST_HANDLE & 0xffff_ffff)), uint);
        let number = push(ExprKind::Binary(BinaryOp::Sub, low, first), uint);
        let mask = push(ExprKind::Literal(Literal::Uint(u64::from(HANDLES - 1))), uint);
        let index = push(ExprKind::Binary(BinaryOp::BitAnd, number, mask), uint);
        let all = self.types.array(ty, ArrayLength::Fixed(HANDLES));
        let base = push(ExprKind::Global(table), all);
        push(ExprKind::Index { base, index }, ty)
    }

    /// Changes the types of expressions to those of handles, except those in `named` and the
    /// elements of tables.
    fn values(&mut self, shader: &mut Shader, named: &EntitySet<ExprId>) {
        let tables: Vec<GlobalId> = self.tables.values().copied().collect();
        let mut kept = named.clone();
        let ids: Vec<ExprId> = shader.exprs.keys().collect();
        for &id in &ids {
            if root(shader, id).is_some_and(|global| tables.contains(&global)) {
                kept.extend(path(shader, id));
            }
        }
        let converted: SecondaryMap<ExprId, bool> = self.conversions(shader);
        for id in ids.into_iter().filter(|&id| !kept.contains(id)) {
            if converted[id]
                && let ExprKind::Convert(operand) = shader.exprs[id].kind
            {
                let copy = shader.exprs[operand].kind.clone();
                shader.exprs[id].kind = copy;
            }
            if let ExprKind::Global(global) = &mut shader.exprs[id].kind
                && let Some(&memory) = self.memory.get(global)
            {
                *global = memory;
            }
            let ty = shader.exprs[id].ty;
            shader.exprs[id].ty = in_memory(self.types, ty);
        }
    }

    /// The conversions between handles and `uvec2`, which change no bit.
    fn conversions(&self, shader: &Shader) -> SecondaryMap<ExprId, bool> {
        let mut all = SecondaryMap::new();
        for (id, expr) in &shader.exprs {
            if let ExprKind::Convert(operand) = expr.kind {
                let from = shader.exprs[operand].ty;
                all[id] = is_handle(self.types, expr.ty) || is_handle(self.types, from);
            }
        }
        all
    }

    /// Changes the types of variables, parameters and results to those of handles. Arguments are
    /// copied.
    fn variables(&mut self, shader: &mut Shader) {
        let tables: Vec<GlobalId> = self.tables.values().copied().collect();
        for (id, global) in &mut shader.globals {
            if !self.memory.contains_key(&id) && !tables.contains(&id) {
                global.ty = in_memory(self.types, global.ty);
            }
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
