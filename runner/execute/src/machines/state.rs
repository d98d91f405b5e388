//! Context state.

use gl_machine::machine::state as gl;
use probes::override_each;
use program::Api;
use raster::assemble::ProvokingVertex;
use raster::pipeline::primitive_setup::ViewportSwizzle;
use raster::setup::PolygonMode;
use script::{Capability, PatchParameter, ProgramParameter, StateCommand};

use super::light;
use super::session::{Flow, Session};
use super::translate::compare_function;
use results::verdict::{Phase, Verdict};

/// Changes the state of every executor.
pub(super) fn execute(session: &mut Session<'_>, command: &StateCommand) -> Flow {
    let es = session.capabilities.api() == Api::Es;
    match command {
        StateCommand::Enable(capability) => enable(session, *capability, true),
        StateCommand::Disable(capability) => enable(session, *capability, false),
        StateCommand::ClipPlane { plane, equation } => {
            let index = *plane as usize;
            session.replicas.change(|machine| machine.state.set_clip_plane(index, *equation));
        }
        StateCommand::Color(color) => {
            if session.capabilities.api() != Api::Compatibility {
                return Err(Verdict::fail(Phase::Script, "`color` needs a compatibility context"));
            }
            session.replicas.change(|machine| machine.state.current.color = *color);
        }
        StateCommand::TexCoord { unit, coordinate } => session.replicas.change(|machine| {
            if let Some(slot) = machine.state.current.texture_coordinates.get_mut(*unit as usize) {
                *slot = *coordinate;
            }
        }),
        StateCommand::DepthFunc(function) => match compare_function(function.short_name()) {
            Some(function) => {
                session.replicas.change(|machine| machine.state.depth_function = function)
            }
            None => {
                return Err(Verdict::fail(
                    Phase::Script,
                    format!("{function} is no depth function"),
                ));
            }
        },
        StateCommand::Frustum(_) | StateCommand::Ortho(_) if es => {
            return Err(Verdict::skip("OpenGL ES has no fixed-function matrices"));
        }
        StateCommand::Frustum(bounds) => {
            let [l, r, b, t, n, f] = bounds.map(f64::from);
            session.replicas.change(|machine| machine.state.set_frustum(l, r, b, t, n, f));
        }
        StateCommand::Ortho(bounds) => session.replicas.change(|machine| {
            let (width, height) = machine.render_size();
            let [l, r, b, t] = bounds
                .map_or([0.0, f64::from(width), 0.0, f64::from(height)], |b| b.map(f64::from));
            machine.state.set_ortho(l, r, b, t, -1.0, 1.0);
        }),
        // Replicas run commands in order, so that there is nothing to synchronize.
        StateCommand::Hint { .. }
        | StateCommand::MemoryBarrier(_)
        | StateCommand::BlendBarrier
        | StateCommand::FramebufferFetchBarrier => {}
        StateCommand::Viewport { index, rect: [x, y, width, height] } => {
            session.replicas.change(|machine| {
                if let Some(viewport) = machine.state.viewports.get_mut(*index as usize) {
                    (viewport.x, viewport.y, viewport.width, viewport.height) =
                        (*x, *y, *width, *height);
                }
            })
        }
        StateCommand::ViewportSwizzle { index, swizzle } => {
            let swizzle =
                swizzle.map(|s| ViewportSwizzle { component: s.component, negative: s.negative });
            session.replicas.change(|machine| {
                if let Some(slot) = machine.state.viewport_swizzles.get_mut(*index as usize) {
                    *slot = swizzle;
                }
            });
        }
        StateCommand::FrontFace { clockwise } => {
            session.replicas.change(|machine| machine.state.front_clockwise = *clockwise);
        }
        StateCommand::PolygonMode { face, mode } => {
            polygon_mode(session, face.short_name(), mode.short_name())?;
        }
        StateCommand::Tolerance(given) => override_each(&mut session.tolerance, *given),
        StateCommand::ShadeModel { smooth } => {
            session.replicas.change(|machine| machine.state.flat_shade = !smooth);
        }
        StateCommand::ProvokingVertex { first } => {
            let convention = if *first { ProvokingVertex::First } else { ProvokingVertex::Last };
            session.replicas.change(|machine| machine.state.provoking = convention);
        }
        StateCommand::Patch(parameter) => patch(session, parameter)?,
        StateCommand::Program { set, index, value } => {
            program_parameter(session, *set, *index, *value)
        }
        StateCommand::Light { light, parameter, values } => {
            light::execute(session, *light, *parameter, values)?;
        }
    }
    Ok(())
}

fn enable(session: &mut Session<'_>, capability: Capability, enabled: bool) {
    let capability = match capability {
        Capability::ClipPlane(plane) => gl::Capability::ClipDistance(plane),
        Capability::CullFace => gl::Capability::CullFace,
        Capability::VertexProgramTwoSide => gl::Capability::TwoSide,
        Capability::ProgramPointSize => gl::Capability::ProgramPointSize,
        Capability::DepthTest => gl::Capability::DepthTest,
        Capability::DepthClamp => gl::Capability::DepthClamp,
        Capability::SampleAlphaToCoverage => gl::Capability::SampleAlphaToCoverage,
        Capability::SampleAlphaToOne => gl::Capability::SampleAlphaToOne,
    };
    session.replicas.change(|machine| machine.state.set(capability, enabled));
}

/// Executes `polygon mode` and checks the error flag.
fn polygon_mode(session: &mut Session<'_>, face: &str, mode: &str) -> Flow {
    let mode = match mode {
        "POINT" => PolygonMode::Point,
        "LINE" => PolygonMode::Line,
        "FILL" => PolygonMode::Fill,
        "FILL_RECTANGLE_NV" => PolygonMode::FillRectangle,
        _ => return Err(Verdict::fail(Phase::Script, format!("GL_{mode} is no polygon mode"))),
    };
    let core = session.capabilities.api() == Api::Core;
    let faces: &[usize] = match face {
        "FRONT_AND_BACK" => &[0, 1],
        "FRONT" if !core => &[0],
        "BACK" if !core => &[1],
        _ => {
            return Err(Verdict::fail(
                Phase::Script,
                format!("GL_{face} is no face of polygon mode"),
            ));
        }
    };
    for &face in faces {
        session.replicas.change(|machine| machine.state.polygon_mode[face] = mode);
    }
    session.check_gl_error()
}

fn program_parameter(
    session: &mut Session<'_>,
    set: ProgramParameter,
    index: u32,
    value: [f32; 4],
) {
    session.replicas.change(|machine| {
        let state = &mut machine.state;
        let table = match set {
            ProgramParameter::VertexEnv => &mut state.vertex_parameters.environment,
            ProgramParameter::VertexLocal => &mut state.vertex_parameters.local,
            ProgramParameter::FragmentEnv => &mut state.fragment_parameters.environment,
            ProgramParameter::FragmentLocal => &mut state.fragment_parameters.local,
        };
        table.insert(index, value);
    });
}

fn patch(session: &mut Session<'_>, parameter: &PatchParameter) -> Flow {
    if session.capabilities.api() == Api::Es {
        return Err(Verdict::skip("patch parameters need desktop OpenGL"));
    }
    session.needs(40, &["GL_ARB_tessellation_shader"])?;
    session.replicas.change(|machine| match *parameter {
        PatchParameter::Vertices(count) => machine.state.patch_vertices = count,
        PatchParameter::OuterLevel(levels) => machine.state.default_outer = levels,
        PatchParameter::InnerLevel(levels) => machine.state.default_inner = levels,
    });
    Ok(())
}
