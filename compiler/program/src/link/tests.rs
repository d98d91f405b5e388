use super::*;
use crate::capabilities::{Capabilities, CapabilityTable};
use crate::layout::{Rules, attribute_locations, varying_slots};
use crate::shader::{Function, Statement};
use crate::types::{ArrayLength, MatrixOrder, Scalar, TypeId};
use crate::variable::{Global, Storage};
use crate::{Api, BinaryOp, Expr, ExprId, ExprKind, Literal, Span};
use cranelift_entity::PrimaryMap;

fn capabilities() -> Capabilities {
    Capabilities::from(CapabilityTable {
        generation: "reference".into(),
        api: Api::Core,
        gl_version: 33,
        glsl_version: 330,
        extensions: Default::default(),
        limits: Default::default(),
    })
}

fn global(name: &str, ty: TypeId, storage: Storage) -> Global {
    Global::new(name, ty, storage)
}

fn expr(shader: &mut Shader, kind: ExprKind, ty: TypeId) -> ExprId {
    shader.exprs.push(Expr { kind, ty, precise: false, span: Span::default() })
}

fn main_of(shader: &mut Shader, body: Vec<Statement>) {
    let main = shader.functions.push(Function {
        name: "main".into(),
        result: TypeTable::VOID,
        parameters: Vec::new(),
        locals: PrimaryMap::new(),
        body: Some(body),
        subroutine_types: Vec::new(),
        subroutine_index: None,
        span: Span::default(),
    });
    shader.entry = Some(main);
}

/// `out float o; uniform float u, v; void main() { o = u * u + 1.0; }` as a fragment shader.
fn multiply_add(types: &mut TypeTable, precise: bool) -> Shader {
    let mut shader = Shader::new(Stage::Fragment, 330, false);
    let float = types.scalar(Scalar::Float);
    let o = shader.globals.push(global("o", float, Storage::Output));
    let u = shader.globals.push(global("u", float, Storage::Uniform));
    shader.globals.push(global("v", float, Storage::Uniform));
    let read = expr(&mut shader, ExprKind::Global(u), float);
    let product = expr(&mut shader, ExprKind::Binary(BinaryOp::Mul, read, read), float);
    let one = expr(&mut shader, ExprKind::Literal(Literal::Float(1.0)), float);
    let sum = expr(&mut shader, ExprKind::Binary(BinaryOp::Add, product, one), float);
    shader.exprs[sum].precise = precise;
    shader.exprs[product].precise = precise;
    let place = expr(&mut shader, ExprKind::Global(o), float);
    let assign = expr(&mut shader, ExprKind::Assign { place, value: sum }, float);
    main_of(&mut shader, vec![Statement::Expression(assign)]);
    shader
}

#[test]
fn unused_uniforms_are_not_active_and_fusing_decides_exactness() {
    let capabilities = capabilities();
    let options = LinkOptions::new(&capabilities);
    for precise in [false, true] {
        let mut types = TypeTable::default();
        let shader = multiply_add(&mut types, precise);
        let program = link(vec![shader], types, &options).unwrap();
        let names: Vec<&str> = program.uniforms.iter().map(|u| u.name.as_str()).collect();
        assert_eq!(names, ["u"]);
        assert_eq!(program.stages[0].exact, precise);
    }
}

#[test]
fn a_shader_without_main_does_not_link() {
    let capabilities = capabilities();
    let shader = Shader::new(Stage::Fragment, 330, false);
    let error =
        link(vec![shader], TypeTable::default(), &LinkOptions::new(&capabilities)).unwrap_err();
    assert_eq!(error.to_string(), "fragment shader has no `main`");
}

#[test]
fn slots_of_wide_types() {
    let mut types = TypeTable::default();
    let dvec3 = types.vector(Scalar::Double, 3);
    let dmat2x4 = types.matrix(Scalar::Double, 2, 4);
    let array = types.array(dvec3, ArrayLength::Fixed(2));
    let slots = |types: &TypeTable, ty| {
        let mut list = Vec::new();
        varyings::for_each_slot(types, ty, &mut |slot, mask| list.push((slot, mask)));
        list
    };
    // GLSL 4.60 section 4.4.1: dvec3 and dvec4 take two locations everywhere but in vertex inputs.
    assert_eq!(slots(&types, dvec3), [(0, 15), (1, 3)]);
    assert_eq!(slots(&types, dmat2x4), [(0, 15), (1, 15), (2, 15), (3, 15)]);
    assert_eq!((varying_slots(&types, array), attribute_locations(&types, array)), (4, 2));
    assert_eq!((varying_slots(&types, dmat2x4), attribute_locations(&types, dmat2x4)), (4, 2));
}

#[test]
fn free_ranges_skip_what_is_taken() {
    let taken = [false, true, false, false, true];
    assert_eq!(varyings::first_free(&taken, 1), 0);
    assert_eq!(varyings::first_free(&taken, 2), 2);
    assert_eq!(varyings::first_free(&taken, 3), 5);
}

#[test]
fn layouts_of_doubles() {
    let mut types = TypeTable::default();
    let dvec3 = types.vector(Scalar::Double, 3);
    let dmat3x2 = types.matrix(Scalar::Double, 3, 2);
    let column = MatrixOrder::ColumnMajor;
    // GL 4.6 section 7.6.2.2: a three-component vector aligns like one of four, N being 8 bytes.
    assert_eq!(Rules::Std140.alignment(&types, dvec3, column), 32);
    assert_eq!(Rules::Std140.size(&types, dvec3, column), 24);
    assert_eq!(Rules::Std140.matrix_stride(&types, dmat3x2, column), 16);
    assert_eq!(Rules::Std140.size(&types, dmat3x2, column), 48);
    assert_eq!(Rules::Std140.matrix_stride(&types, dmat3x2, MatrixOrder::RowMajor), 32);
    assert_eq!(Rules::Std140.array_stride(&types, dvec3, column), 32);
}
