//! Uniforms of the default block, and subroutine uniforms.

use script::{Scalar, Stage, Uniform, UniformTarget};
use vocabulary::Phase;

use super::sections::stage_enum;
use super::session::{Linked, Run};
use crate::bindings::gl;
use crate::outcome::{Flow, fail, missing_uniform, skip};

impl Run<'_> {
    /// Sets a uniform of the default block or of a uniform block.
    pub(super) fn uniform(&mut self, uniform: &Uniform<'_>) -> Flow {
        self.needs_scalar(uniform.ty.scalar)?;
        let location = match uniform.target {
            UniformTarget::Location(location) => {
                let ignores_missing = self.spirv && self.script.require.ignore_missing_uniforms;
                if ignores_missing && !self.is_active(location) {
                    return Ok(());
                }
                location
            }
            UniformTarget::Name(name) => {
                if self.block_member(uniform, name)? {
                    return Ok(());
                }
                let program = match &self.linked {
                    Linked::Program(program) => *program,
                    _ => 0,
                };
                let found =
                    if program == 0 { -1 } else { self.api.uniform_location(program, name) };
                if found == -1 {
                    if self.script.require.ignore_missing_uniforms {
                        return Ok(());
                    }
                    let reason = format!("cannot get location of uniform \"{name}\"");
                    return Err(missing_uniform(reason));
                }
                found
            }
        };
        self.set(location, uniform)
    }

    fn needs_scalar(&self, scalar: Scalar) -> Flow {
        match scalar {
            Scalar::Float | Scalar::Int => Ok(()),
            Scalar::Uint => self.needs(30, &["GL_EXT_gpu_shader4"]),
            Scalar::Double if self.is_es() => Err(skip("needs GL 4.0 or GL_ARB_gpu_shader_fp64")),
            Scalar::Double => self.needs(40, &["GL_ARB_gpu_shader_fp64"]),
            Scalar::Int64 | Scalar::Uint64 => self.needs_extension("GL_ARB_gpu_shader_int64"),
            Scalar::Handle => self.needs_extension("GL_ARB_bindless_texture"),
        }
    }

    fn set(&self, location: i32, uniform: &Uniform<'_>) -> Flow {
        let words = self.script.uniform_words(uniform);
        let pairs = || words.chunks_exact(2).map(|w| u64::from(w[1]) << 32 | u64::from(w[0]));
        let (columns, rows) = (usize::from(uniform.ty.columns), usize::from(uniform.ty.rows));
        let matrix = columns > 1;
        match uniform.ty.scalar {
            Scalar::Float => {
                let values: Vec<f32> = words.iter().map(|&w| f32::from_bits(w)).collect();
                if matrix {
                    self.api.uniform_matrix(location, columns, rows, &values)
                } else {
                    self.api.uniform_floats(location, &values)
                }
            }
            Scalar::Double => {
                let values: Vec<f64> = pairs().map(f64::from_bits).collect();
                if matrix {
                    self.api.uniform_double_matrix(location, columns, rows, &values)
                } else {
                    self.api.uniform_doubles(location, &values)
                }
            }
            Scalar::Int => {
                let values: Vec<i32> = words.iter().map(|&w| w as i32).collect();
                self.api.uniform_ints(location, &values);
            }
            Scalar::Uint => self.api.uniform_uints(location, words),
            Scalar::Int64 => {
                let values: Vec<i64> = pairs().map(|v| v as i64).collect();
                self.api.uniform_int64s(location, &values);
            }
            Scalar::Uint64 => self.api.uniform_uint64s(location, &pairs().collect::<Vec<_>>()),
            Scalar::Handle => {
                let handle = self.handle(words.first().copied().unwrap_or(0))?;
                self.api.uniform_handle(location, handle);
            }
        }
        Ok(())
    }

    /// Selects a subroutine; draws of rectangles apply the selection.
    pub(super) fn subuniform(&mut self, stage: Stage, uniform: &str, function: &str) -> Flow {
        self.needs(40, &["GL_ARB_shader_subroutine"])?;
        if !self.needs_program() {
            return Ok(());
        }
        let (program, kind) = (self.linked.program(), stage_enum(stage));
        let location = self.api.subroutine_location(program, kind, uniform);
        let Ok(location) = usize::try_from(location) else {
            let reason = format!("there is no subroutine uniform `{uniform}`");
            return Err(fail(Phase::Link, reason));
        };
        let index = self.api.subroutine_index(program, kind, function);
        if index == gl::INVALID_INDEX {
            return Err(fail(Phase::Link, format!("there is no subroutine `{function}`")));
        }
        if !self.subroutines.iter().any(|(s, _)| *s == stage) {
            let count = self.api.subroutine_locations(program, kind);
            self.subroutines.push((stage, vec![0; usize::try_from(count).unwrap_or(0)]));
        }
        let selected = self.subroutines.iter_mut().find(|(s, _)| *s == stage);
        if let Some(slot) = selected.and_then(|(_, indices)| indices.get_mut(location)) {
            *slot = index;
        }
        Ok(())
    }

    /// Sends the selected subroutines of the stages for which piglit does that.
    pub(super) fn apply_subroutines(&self) {
        for (stage, indices) in &self.subroutines {
            if !matches!(stage, Stage::TessEval | Stage::Compute) {
                self.api.select_subroutines(stage_enum(*stage), indices);
            }
        }
    }
}
