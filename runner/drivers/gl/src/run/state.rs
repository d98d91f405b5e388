//! Context state.

use probes::override_each;
use script::{
    Capability, HintMode, HintTarget, LightParameter, LightValues, PatchParameter,
    ProgramParameter, StateCommand, Swizzle,
};
use vocabulary::Phase;

use super::session::Run;
use crate::bindings::gl;
use crate::enums::value_of;
use crate::outcome::{Flow, fail, skip};

impl Run<'_> {
    pub(super) fn state(&mut self, command: &StateCommand) -> Flow {
        match *command {
            StateCommand::Enable(capability) => self.api.enable(enumerant(capability)),
            StateCommand::Disable(capability) => self.api.disable(enumerant(capability)),
            StateCommand::ClipPlane { plane, equation } => {
                self.needs_desktop("`clip plane`")?;
                self.api.clip_plane(gl::CLIP_PLANE0 + plane, equation);
            }
            StateCommand::Color([red, green, blue, alpha]) => {
                if self.is_es() || self.is_core() {
                    let reason = "`color` needs a compatibility context";
                    return Err(fail(Phase::Script, reason));
                }
                self.api.color4f(red, green, blue, alpha);
            }
            StateCommand::TexCoord { unit, coordinate: [s, t, r, q] } => {
                self.needs_desktop("`texcoord`")?;
                self.api.multi_tex_coord4f(gl::TEXTURE0 + unit, s, t, r, q);
            }
            StateCommand::DepthFunc(function) => {
                self.api.depth_func(value_of(function).unwrap_or(0));
            }
            StateCommand::FrontFace { clockwise } => {
                self.api.front_face(if clockwise { gl::CW } else { gl::CCW });
            }
            StateCommand::Frustum(bounds) => {
                self.needs_matrices()?;
                let [left, right, bottom, top, near, far] = bounds.map(f64::from);
                self.projection(|run| run.api.frustum(left, right, bottom, top, near, far));
            }
            StateCommand::Ortho(bounds) => {
                self.needs_matrices()?;
                let (width, height) = self.framebuffers.draw_size;
                let [left, right, bottom, top] = bounds
                    .map_or([0.0, f64::from(width), 0.0, f64::from(height)], |b| b.map(f64::from));
                self.projection(|run| run.api.ortho(left, right, bottom, top, -1.0, 1.0));
            }
            StateCommand::Hint { target, mode } => self.api.hint(hint_target(target), hint(mode)),
            StateCommand::MemoryBarrier(bit) => {
                self.api.memory_barrier(value_of(bit).unwrap_or(gl::ALL_BARRIER_BITS));
            }
            StateCommand::BlendBarrier => {
                self.needs_extension("GL_KHR_blend_equation_advanced")?;
                self.api.blend_barrier();
            }
            StateCommand::FramebufferFetchBarrier => {
                self.needs_extension("GL_EXT_shader_framebuffer_fetch_non_coherent")?;
                self.api.framebuffer_fetch_barrier();
            }
            StateCommand::Viewport { index, rect: [x, y, width, height] } => {
                self.needs_viewports()?;
                self.api.viewport_indexed(index, x, y, width, height);
            }
            StateCommand::ViewportSwizzle { index, swizzle } => {
                self.needs_extension("GL_NV_viewport_swizzle")?;
                let [x, y, z, w] = swizzle.map(viewport_swizzle);
                self.api.viewport_swizzle(index, x, y, z, w);
            }
            StateCommand::PolygonMode { face, mode } => {
                self.needs_desktop("`polygon mode`")?;
                let number = |name| value_of(name).unwrap_or(0);
                self.api.polygon_mode(number(face), number(mode));
                self.check_gl_error()?;
            }
            StateCommand::Tolerance(given) => override_each(&mut self.tolerance, given),
            StateCommand::ShadeModel { smooth } => {
                self.needs_matrices()?;
                self.api.shade_model(if smooth { gl::SMOOTH } else { gl::FLAT });
            }
            StateCommand::ProvokingVertex { first } => {
                self.needs(32, &["GL_ARB_provoking_vertex", "GL_EXT_provoking_vertex"])?;
                let mode =
                    if first { gl::FIRST_VERTEX_CONVENTION } else { gl::LAST_VERTEX_CONVENTION };
                self.api.provoking_vertex(mode);
            }
            StateCommand::Patch(parameter) => self.patch(parameter)?,
            StateCommand::Program { set, index, value } => {
                self.program_parameter(set, index, value)?;
            }
            StateCommand::Light { light, parameter, ref values } => {
                self.needs_matrices()?;
                self.light(gl::LIGHT0 + light, light_parameter(parameter), values);
            }
        }
        Ok(())
    }

    fn needs_matrices(&self) -> Flow {
        if self.is_es() { Err(skip("OpenGL ES has no fixed-function matrices")) } else { Ok(()) }
    }

    fn needs_viewports(&self) -> Flow {
        if self.is_es() {
            return self.needs_extension("GL_OES_viewport_array");
        }
        self.needs(41, &["GL_ARB_viewport_array"])
    }

    /// Replaces the projection matrix; the modelview matrix becomes the identity.
    fn projection(&mut self, multiply: impl FnOnce(&Self)) {
        self.api.matrix_mode(gl::PROJECTION);
        self.api.load_identity();
        multiply(self);
        self.api.matrix_mode(gl::MODELVIEW);
        self.api.load_identity();
    }

    fn patch(&mut self, parameter: PatchParameter) -> Flow {
        if self.is_es() {
            return Err(skip("patch parameters need desktop OpenGL"));
        }
        self.needs(40, &["GL_ARB_tessellation_shader"])?;
        match parameter {
            PatchParameter::Vertices(count) => {
                self.patch_vertices = count;
                self.api.patch_parameteri(gl::PATCH_VERTICES, count as i32);
            }
            PatchParameter::OuterLevel(levels) => {
                self.api.patch_parameterfv(gl::PATCH_DEFAULT_OUTER_LEVEL, levels);
            }
            PatchParameter::InnerLevel([a, b]) => {
                self.api.patch_parameterfv(gl::PATCH_DEFAULT_INNER_LEVEL, [a, b, 0.0, 0.0]);
            }
        }
        Ok(())
    }

    fn program_parameter(
        &mut self,
        set: ProgramParameter,
        index: u32,
        [x, y, z, w]: [f32; 4],
    ) -> Flow {
        let (target, extension) = match set {
            ProgramParameter::VertexEnv | ProgramParameter::VertexLocal => {
                (gl::VERTEX_PROGRAM_ARB, "GL_ARB_vertex_program")
            }
            ProgramParameter::FragmentEnv | ProgramParameter::FragmentLocal => {
                (gl::FRAGMENT_PROGRAM_ARB, "GL_ARB_fragment_program")
            }
        };
        self.needs_extension(extension)?;
        self.parameters.push((set, index));
        self.set_parameter(set, target, index, [x, y, z, w]);
        Ok(())
    }

    /// Resets the parameters of ARB programs, which belong to the context or its default programs.
    pub(super) fn reset_parameters(&mut self) {
        for (set, index) in std::mem::take(&mut self.parameters) {
            let target = match set {
                ProgramParameter::VertexEnv | ProgramParameter::VertexLocal => {
                    gl::VERTEX_PROGRAM_ARB
                }
                ProgramParameter::FragmentEnv | ProgramParameter::FragmentLocal => {
                    gl::FRAGMENT_PROGRAM_ARB
                }
            };
            self.set_parameter(set, target, index, [0.0; 4]);
        }
    }

    fn set_parameter(
        &self,
        set: ProgramParameter,
        target: u32,
        index: u32,
        [x, y, z, w]: [f32; 4],
    ) {
        match set {
            ProgramParameter::VertexEnv | ProgramParameter::FragmentEnv => {
                self.api.program_env_parameter4f(target, index, x, y, z, w);
            }
            ProgramParameter::VertexLocal | ProgramParameter::FragmentLocal => {
                self.api.program_local_parameter4f(target, index, x, y, z, w);
            }
        }
    }

    fn light(&self, light: u32, parameter: u32, values: &LightValues) {
        fn padded<T: Copy + Default>(values: &[T]) -> [T; 16] {
            let mut all = [T::default(); 16];
            all.iter_mut().zip(values).for_each(|(to, &from)| *to = from);
            all
        }
        match values {
            LightValues::Float(values) => match values[..] {
                [value] => self.api.lightf(light, parameter, value),
                _ => self.api.lightfv(light, parameter, padded(values)),
            },
            LightValues::Int(values) => match values[..] {
                [value] => self.api.lighti(light, parameter, value),
                _ => self.api.lightiv(light, parameter, padded(values)),
            },
        }
    }
}

fn enumerant(capability: Capability) -> u32 {
    match capability {
        Capability::ClipPlane(plane) => gl::CLIP_DISTANCE0 + u32::from(plane),
        Capability::CullFace => gl::CULL_FACE,
        Capability::VertexProgramTwoSide => gl::VERTEX_PROGRAM_TWO_SIDE,
        Capability::ProgramPointSize => gl::PROGRAM_POINT_SIZE,
        Capability::DepthTest => gl::DEPTH_TEST,
        Capability::DepthClamp => gl::DEPTH_CLAMP,
        Capability::SampleAlphaToCoverage => gl::SAMPLE_ALPHA_TO_COVERAGE,
        Capability::SampleAlphaToOne => gl::SAMPLE_ALPHA_TO_ONE,
    }
}

fn hint_target(target: HintTarget) -> u32 {
    match target {
        HintTarget::LineSmooth => gl::LINE_SMOOTH_HINT,
        HintTarget::PolygonSmooth => gl::POLYGON_SMOOTH_HINT,
        HintTarget::TextureCompression => gl::TEXTURE_COMPRESSION_HINT,
        HintTarget::FragmentShaderDerivative => gl::FRAGMENT_SHADER_DERIVATIVE_HINT,
    }
}

fn hint(mode: HintMode) -> u32 {
    match mode {
        HintMode::Fastest => gl::FASTEST,
        HintMode::Nicest => gl::NICEST,
        HintMode::DontCare => gl::DONT_CARE,
    }
}

fn viewport_swizzle(swizzle: Swizzle) -> u32 {
    // The enums alternate between positive and negative.
    gl::VIEWPORT_SWIZZLE_POSITIVE_X_NV
        + 2 * u32::from(swizzle.component)
        + u32::from(swizzle.negative)
}

fn light_parameter(parameter: LightParameter) -> u32 {
    match parameter {
        LightParameter::Ambient => gl::AMBIENT,
        LightParameter::Diffuse => gl::DIFFUSE,
        LightParameter::Specular => gl::SPECULAR,
        LightParameter::Position => gl::POSITION,
        LightParameter::SpotDirection => gl::SPOT_DIRECTION,
        LightParameter::SpotExponent => gl::SPOT_EXPONENT,
        LightParameter::SpotCutoff => gl::SPOT_CUTOFF,
        LightParameter::ConstantAttenuation => gl::CONSTANT_ATTENUATION,
        LightParameter::LinearAttenuation => gl::LINEAR_ATTENUATION,
        LightParameter::QuadraticAttenuation => gl::QUADRATIC_ATTENUATION,
    }
}
