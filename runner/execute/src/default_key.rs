//! Draw-time state of a plain draw, for programs that nothing draws with.

use program::resource::Placement;
use program::{
    ArrayLength, ExprId, ExprKind, FragmentOutput, GlobalId, Literal, Program, Scalar, Shader,
    Stage, StageKey, Storage, TargetKind, Type,
};
use raster::interface::counts_from_upper_left;

/// Default size of the window.
pub(crate) const WINDOW: (u32, u32) = (250, 250);

/// Initial value of `GL_PATCH_VERTICES`.
const PATCH_VERTICES: u8 = 3;

/// Returns the key of a plain draw to the window.
pub fn plain_key() -> StageKey {
    StageKey {
        targets: [TargetKind::Float].into_iter().collect(),
        samples: 1,
        ..StageKey::default()
    }
}

/// Returns the draw-time state of a plain draw, with an attachment of the matching kind for each
/// output of the fragment stage.
pub fn default_key(program: &Program) -> StageKey {
    let tessellates =
        [Stage::TessControl, Stage::TessEval].iter().any(|&stage| program.stage(stage).is_some());
    let (_, height) = WINDOW;
    let mut key = StageKey {
        patch_vertices: if tessellates { PATCH_VERTICES } else { 0 },
        upper_left_height: if counts_from_upper_left(program) { height } else { 0 },
        ..plain_key()
    };
    let targets = targets(program);
    if !targets.is_empty() {
        key.targets = targets.into();
    }
    key
}

/// Returns the kinds of attachments that a fragment stage writes to.
fn targets(program: &Program) -> Vec<TargetKind> {
    let mut targets = Vec::new();
    let Some(shader) = program.stage(Stage::Fragment).map(|stage| &stage.shader) else {
        return targets;
    };
    for (id, global) in shader.globals.iter() {
        let Placement::FragmentOutput { output, .. } = global.placement else { continue };
        let first = match output {
            FragmentOutput::Color { location, index: 0 } => usize::from(location),
            FragmentOutput::AllColors => 0,
            _ => continue,
        };
        if !global.active || global.storage != Storage::Output {
            continue;
        }
        let element = program.types.without_arrays(global.ty);
        let kind = match program.types.scalar_of(element) {
            Some(Scalar::Int | Scalar::Int16) => TargetKind::Int,
            Some(Scalar::Uint | Scalar::Uint16) => TargetKind::Uint,
            _ => TargetKind::Float,
        };
        for element in used_elements(program, shader, id) {
            let target = first + element;
            if targets.len() <= target {
                targets.resize(target + 1, TargetKind::None);
            }
            targets[target] = kind;
        }
    }
    targets
}

/// Returns the elements of an output that a shader mentions; all if it does not always name them by
/// a constant. `gl_FragData` has elements for every draw buffer, of which most shaders use one.
fn used_elements(program: &Program, shader: &Shader, id: GlobalId) -> Vec<usize> {
    let Type::Array { length: ArrayLength::Fixed(length), .. } =
        *program.types.get(shader.globals[id].ty)
    else {
        return vec![0];
    };
    let is_output =
        |expr: ExprId| matches!(shader.exprs[expr].kind, ExprKind::Global(g) if g == id);
    let element = |kind: &ExprKind| match *kind {
        ExprKind::Index { base, index } if is_output(base) => match shader.exprs[index].kind {
            ExprKind::Literal(Literal::Int(element)) => usize::try_from(element).ok(),
            ExprKind::Literal(Literal::Uint(element)) => usize::try_from(element).ok(),
            _ => None,
        },
        _ => None,
    };
    let named: Vec<usize> = shader.exprs.values().filter_map(|expr| element(&expr.kind)).collect();
    let mentions = shader.exprs.keys().filter(|&expr| is_output(expr)).count();
    if mentions > named.len() {
        return (0..length as usize).collect();
    }
    named
}
