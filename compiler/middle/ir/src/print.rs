//! The text form, written. [`parse`](crate::parse()) reads it back.
//!
//! ```text
//! shader fragment "name"
//! output frag_color0 mask=15 smooth pixel stream=0
//! local l0 32x4 [1] "color"
//! block b0 {
//!   32x1 v0 = const 0x3f800000
//!   32x4 v1 = fadd! v2.xxxx, v3
//!   store_output v1, v0 slot=frag_color0 component=0 mask=15
//! }
//! if v4 {
//!   block b1 { halt }
//! } else {
//! }
//! ```
//! `!` after an ALU operation means exact. A source without a swizzle reads the components in
//! order. The alternate form (`{:#}`) ends instructions with their source lines, `@12`, or `@1:12`
//! in unit 1.

use crate::ids::{Block, Value};
use crate::info::{FragmentInfo, GeometryInfo, ShaderInfo, TessInfo, Varying};
use crate::inst::{Alu, IDENTITY, InstKind, Src, Tex};
use crate::intrinsics::{Field, Fields, Intrinsic};
use crate::shader::{Shader, Step};
use std::fmt::{self, Display, Formatter};
use vocabulary::SourceLine;

impl Display for Shader {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        print_info(f, &self.info)?;
        for (id, local) in &self.locals {
            writeln!(
                f,
                "local {id} {}x{} [{}] {:?}{}",
                local.bits,
                local.components,
                local.length,
                local.name,
                if local.in_memory { " memory" } else { "" }
            )?;
        }
        let mut depth = 0;
        for step in self.walk() {
            match step {
                Step::Block(block) => print_block(f, self, block, depth)?,
                Step::If(node) => {
                    let cond = self.condition(node).map_or_else(String::new, |c| c.to_string());
                    writeln!(f, "{}if {cond} {{", indent(depth))?;
                    depth += 1;
                }
                Step::Else(_) => writeln!(f, "{}}} else {{", indent(depth - 1))?,
                Step::Loop(_) => {
                    writeln!(f, "{}loop {{", indent(depth))?;
                    depth += 1;
                }
                Step::EndIf(_) | Step::EndLoop(_) => {
                    depth -= 1;
                    writeln!(f, "{}}}", indent(depth))?;
                }
            }
        }
        Ok(())
    }
}

/// A name without what the text form could not read back.
fn plain(name: &str) -> String {
    name.chars().map(|c| if c == '"' || c.is_control() { '_' } else { c }).collect()
}

fn indent(depth: usize) -> String {
    "  ".repeat(depth)
}

fn print_info(f: &mut Formatter<'_>, info: &ShaderInfo) -> fmt::Result {
    let default = ShaderInfo::new(info.stage);
    writeln!(f, "shader {} \"{}\"", info.stage.identifier(), plain(&info.name))?;
    for (name, list) in [("input", &info.inputs), ("output", &info.outputs)] {
        for Varying { slot, components, interpolation, location, stream } in list {
            writeln!(
                f,
                "{name} {slot} mask={components} {interpolation} {location} stream={stream}"
            )?;
        }
    }
    for (name, value) in numbers(info) {
        if value != 0 {
            writeln!(f, "info {name} {value}")?;
        }
    }
    if info.local_size != default.local_size {
        let [x, y, z] = info.local_size;
        writeln!(f, "local_size {x} {y} {z}")?;
    }
    if info.derivative_group != default.derivative_group {
        writeln!(f, "derivative_group {}", info.derivative_group)?;
    }
    if info.fragment != default.fragment {
        let FragmentInfo { depth_layout, .. } = info.fragment;
        write!(f, "fragment depth={depth_layout}")?;
        for (name, set) in fragment_flags(&info.fragment) {
            if set {
                write!(f, " {name}")?;
            }
        }
        writeln!(f)?;
    }
    if info.geometry != default.geometry {
        let GeometryInfo { input, output, max_vertices, invocations, streams } = info.geometry;
        writeln!(
            f,
            "geometry {input} {output} max_vertices={max_vertices} invocations={invocations} streams={streams}"
        )?;
    }
    if info.tess != default.tess {
        let TessInfo { vertices_out, domain, spacing, ccw, point_mode } = info.tess;
        let (ccw, points) = (u8::from(ccw), u8::from(point_mode));
        writeln!(
            f,
            "tess {domain} {spacing} vertices_out={vertices_out} ccw={ccw} point_mode={points}"
        )?;
    }
    Ok(())
}

/// The plain numbers of the info with their names in the text form.
pub(crate) fn numbers(info: &ShaderInfo) -> [(&'static str, u32); 11] {
    [
        ("default_block_size", info.default_block_size),
        ("ubos", info.ubos),
        ("ssbos", info.ssbos),
        ("samplers", info.samplers),
        ("images", info.images),
        ("atomic_buffers", info.atomic_buffers),
        ("shared_size", info.shared_size),
        ("scratch_size", info.scratch_size),
        ("clip_distances", info.clip_distances.into()),
        ("cull_distances", info.cull_distances.into()),
        ("flush_f32", info.float_controls.flush_f32.into()),
    ]
}

/// The fragment flags with their names in the text form.
pub(crate) fn fragment_flags(info: &FragmentInfo) -> [(&'static str, bool); 5] {
    [
        ("early_tests", info.early_tests),
        ("sample_shading", info.sample_shading),
        ("uses_discard", info.uses_discard),
        ("origin_upper_left", info.origin_upper_left),
        ("pixel_center_integer", info.pixel_center_integer),
    ]
}

fn print_block(f: &mut Formatter<'_>, shader: &Shader, block: Block, depth: usize) -> fmt::Result {
    let data = &shader.blocks[block];
    let pad = indent(depth);
    if data.insts.is_empty() && data.jump.is_none() {
        return writeln!(f, "{pad}block {block} {{}}");
    }
    writeln!(f, "{pad}block {block} {{")?;
    for &inst in &data.insts {
        write!(f, "{pad}  {}", InstText { shader, inst })?;
        if f.alternate() {
            print_line(f, shader.insts[inst].line)?;
        }
        writeln!(f)?;
    }
    if let Some(jump) = data.jump {
        writeln!(f, "{pad}  {jump}")?;
    }
    writeln!(f, "{pad}}}")
}

fn print_line(f: &mut Formatter<'_>, source: SourceLine) -> fmt::Result {
    match (source.line(), source.unit()) {
        (Some(line), 0) => write!(f, " @{line}"),
        (Some(line), unit) => write!(f, " @{unit}:{line}"),
        (None, _) => Ok(()),
    }
}

impl Shader {
    /// Returns the text of one instruction, for messages.
    pub fn inst_text(&self, inst: crate::ids::Inst) -> impl Display + '_ {
        InstText { shader: self, inst }
    }
}

/// One instruction as text.
pub(crate) struct InstText<'a> {
    pub(crate) shader: &'a Shader,
    pub(crate) inst: crate::ids::Inst,
}

impl Display for InstText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let data = &self.shader.insts[self.inst];
        if let Some(value) = data.result {
            let shape = self.shader.values[value];
            write!(f, "{}x{} {value} = ", shape.bits, shape.components)?;
        }
        let components = data.result.map_or(1, |v| self.shader.components(v));
        match &data.kind {
            InstKind::Alu(alu) => print_alu(f, self.shader, alu, components),
            InstKind::Const(data) => {
                write!(f, "const")?;
                for (i, component) in data.iter().enumerate().take(components.into()) {
                    write!(f, "{} {component:#x}", if i == 0 { "" } else { "," })?;
                }
                Ok(())
            }
            InstKind::Undef => write!(f, "undef"),
            InstKind::Phi(srcs) => {
                write!(f, "phi")?;
                for (i, src) in srcs.iter().enumerate() {
                    write!(f, "{} {}: {}", if i == 0 { "" } else { "," }, src.pred, src.value)?;
                }
                Ok(())
            }
            InstKind::Intrinsic(intrinsic) => print_intrinsic(f, intrinsic),
            InstKind::Tex(tex) => print_tex(f, tex),
        }
    }
}

fn print_alu(f: &mut Formatter<'_>, shader: &Shader, alu: &Alu, components: u8) -> fmt::Result {
    write!(f, "{}{}", alu.op.name(), if alu.exact { "!" } else { "" })?;
    for (i, src) in alu.srcs.iter().enumerate() {
        write!(f, "{} ", if i == 0 { "" } else { "," })?;
        print_src(f, shader, src, alu.op.info().source_components(i, components))?;
    }
    Ok(())
}

fn print_src(f: &mut Formatter<'_>, shader: &Shader, src: &Src, components: u8) -> fmt::Result {
    write!(f, "{}", src.value)?;
    let count = usize::from(components.min(4));
    let available = shader.values.get(src.value).map_or(0, |v| v.components);
    if available == components && src.swizzle[..count] == IDENTITY[..count] {
        return Ok(());
    }
    write!(f, ".")?;
    for &c in &src.swizzle[..count] {
        write!(f, "{}", ["x", "y", "z", "w"].get(usize::from(c)).unwrap_or(&"?"))?;
    }
    Ok(())
}

fn print_values(f: &mut Formatter<'_>, values: impl Iterator<Item = Value>) -> fmt::Result {
    for (i, value) in values.enumerate() {
        write!(f, "{} {value}", if i == 0 { "" } else { "," })?;
    }
    Ok(())
}

fn print_intrinsic(f: &mut Formatter<'_>, intrinsic: &Intrinsic) -> fmt::Result {
    write!(f, "{}", intrinsic.op.name())?;
    print_values(f, intrinsic.srcs.iter().copied())?;
    for &field in intrinsic.op.info().fields {
        write!(f, " {field}=")?;
        print_field(f, field, &intrinsic.fields)?;
    }
    Ok(())
}

fn print_field(f: &mut Formatter<'_>, field: Field, fields: &Fields) -> fmt::Result {
    match field {
        Field::Base => write!(f, "{}", fields.base),
        Field::Align => write!(f, "{}", fields.align),
        Field::Slot => write!(f, "{}", fields.slot),
        Field::Component => write!(f, "{}", fields.component),
        Field::WriteMask => write!(f, "{}", fields.write_mask),
        Field::Stream => write!(f, "{}", fields.stream),
        Field::Atomic => write!(f, "{}", fields.atomic),
        Field::Dim => write!(f, "{}", fields.dim),
        Field::Array => write!(f, "{}", u8::from(fields.array)),
        Field::Format => write!(f, "{}", fields.format),
        Field::Access => write!(f, "{}", fields.access),
        Field::Location => write!(f, "{}", fields.location),
        Field::Linear => write!(f, "{}", u8::from(fields.linear)),
        Field::Local => match fields.local {
            Some(local) => write!(f, "{local}"),
            None => write!(f, "none"),
        },
        Field::Scope => write!(f, "{}", fields.scope),
    }
}

fn print_tex(f: &mut Formatter<'_>, tex: &Tex) -> fmt::Result {
    write!(f, "tex.{} {} texture={} sampler={}", tex.op, tex.dim, tex.texture, tex.sampler)?;
    write!(
        f,
        " array={} shadow={} gather={}",
        u8::from(tex.array),
        u8::from(tex.shadow),
        tex.gather
    )?;
    for (kind, value) in &tex.srcs {
        write!(f, " {kind}={value}")?;
    }
    if let Some(offsets) = tex.gather_offsets {
        let list: Vec<String> = offsets.iter().flatten().map(i8::to_string).collect();
        write!(f, " offsets={}", list.join(","))?;
    }
    Ok(())
}
