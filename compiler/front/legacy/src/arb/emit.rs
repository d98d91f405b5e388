//! GLSL from a parsed program.

use std::fmt::Write;

use crate::arb::instruction::TextureTarget;
use crate::arb::parse::{Destination, Fog, Program, Statement};
use crate::arb::target::ProgramTarget;

/// The program as a compatibility-profile shader.
pub(super) fn glsl(program: &Program, target: ProgramTarget) -> String {
    let mut out = String::from("#version 130\n");
    // Writing to a string does not fail.
    let _ = write(&mut out, program, target);
    out
}

fn write(out: &mut String, program: &Program, target: ProgramTarget) -> std::fmt::Result {
    declarations(out, program, target)?;
    writeln!(out, "void main()\n{{")?;
    writeln!(out, "    float unspecified;")?;
    for n in 0..program.temporaries {
        writeln!(out, "    vec4 t{n};")?;
    }
    for n in 0..program.addresses {
        writeln!(out, "    int a{n} = 0;")?;
    }
    for (n, items) in program.arrays.iter().enumerate() {
        writeln!(out, "    vec4 p{n}[{}];", items.len())?;
        for (i, item) in items.iter().enumerate() {
            writeln!(out, "    p{n}[{i}] = {item};")?;
        }
    }
    for (n, _) in program.results.iter().enumerate() {
        writeln!(out, "    vec4 r{n};")?;
    }
    for statement in &program.statements {
        self::statement(out, program, statement)?;
    }
    if program.options.position_invariant {
        writeln!(out, "    gl_Position = ftransform();")?;
    }
    for (n, result) in program.results.iter().enumerate() {
        if result.glsl == "gl_FragColor" {
            fog(out, program.options.fog, n)?;
        }
        writeln!(out, "    {} = r{n}.{};", result.glsl, result.components)?;
    }
    writeln!(out, "}}")
}

fn declarations(out: &mut String, program: &Program, target: ProgramTarget) -> std::fmt::Result {
    if !program.attributes.is_empty() {
        writeln!(out, "#extension GL_ARB_explicit_attrib_location : require")?;
    }
    if !program.textures.is_empty() {
        writeln!(out, "#extension GL_ARB_shading_language_420pack : require")?;
    }
    let rectangles = [TextureTarget::Rectangle, TextureTarget::ShadowRectangle];
    if program.textures.values().any(|t| rectangles.contains(t)) {
        writeln!(out, "#extension GL_ARB_texture_rectangle : require")?;
    }
    let (upper, integer) =
        (program.options.origin_upper_left, program.options.pixel_center_integer);
    if upper || integer {
        let list =
            [upper.then_some("origin_upper_left"), integer.then_some("pixel_center_integer")];
        let list: Vec<&str> = list.into_iter().flatten().collect();
        writeln!(out, "#extension GL_ARB_fragment_coord_conventions : require")?;
        writeln!(out, "layout({}) in vec4 gl_FragCoord;", list.join(", "))?;
    }
    for n in &program.attributes {
        writeln!(out, "layout(location = {n}) in vec4 arb_attrib{n};")?;
    }
    for (unit, texture) in &program.textures {
        writeln!(
            out,
            "layout(binding = {unit}) uniform {} arb_texture{unit};",
            texture.info().sampler
        )?;
    }
    for (name, count) in
        [(target.environment(), program.environment), (target.local(), program.local)]
    {
        if count > 0 {
            writeln!(out, "uniform vec4 {name}[{count}];")?;
        }
    }
    Ok(())
}

fn statement(out: &mut String, program: &Program, statement: &Statement) -> std::fmt::Result {
    match statement {
        Statement::Assign { destination, mask, saturate, value } => {
            let place = match destination {
                Destination::Temporary(n) => format!("t{n}"),
                Destination::Result(result) => {
                    format!("r{}", program.results.iter().position(|r| r == result).unwrap_or(0))
                }
            };
            if *saturate {
                writeln!(out, "    {place}.{mask} = clamp({value}, 0.0, 1.0).{mask};")
            } else {
                writeln!(out, "    {place}.{mask} = ({value}).{mask};")
            }
        }
        Statement::Address { register, value } => {
            writeln!(out, "    a{register} = int(floor({value}));")
        }
        Statement::Kill(value) => {
            writeln!(out, "    if (any(lessThan({value}, vec4(0.0)))) discard;")
        }
    }
}

/// Blends the color in `r{n}` with the fog's (ARB_fragment_program, section 3.11.4.5.1).
fn fog(out: &mut String, fog: Option<Fog>, n: usize) -> std::fmt::Result {
    let factor = match fog {
        None => return Ok(()),
        Some(Fog::Linear) => "(gl_Fog.end - gl_FogFragCoord) * gl_Fog.scale",
        Some(Fog::Exp) => "exp(-gl_Fog.density * gl_FogFragCoord)",
        Some(Fog::Exp2) => "exp(-pow(gl_Fog.density * gl_FogFragCoord, 2.0))",
    };
    writeln!(out, "    r{n}.rgb = mix(gl_Fog.color.rgb, r{n}.rgb, clamp({factor}, 0.0, 1.0));")
}
