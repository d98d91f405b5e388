//! Shaders and programs: sources, logs, uniforms and introspection.

use std::ffi::{CString, c_char};
use std::ptr;

use script::Specialization;

use super::Api;
use crate::bindings::gl;

/// Returns a C string; a name with a zero byte, which no file contains, is cut there.
fn c_string(name: &str) -> CString {
    let text = name.split('\0').next().unwrap_or_default();
    CString::new(text).unwrap_or_default()
}

/// Reads a text from the driver: `read` gets its largest size, its length and its bytes.
fn text(size: i32, read: impl FnOnce(i32, *mut i32, *mut c_char)) -> String {
    let size = usize::try_from(size).unwrap_or(0) + 1;
    let (mut bytes, mut length) = (vec![0u8; size], 0i32);
    read(size as i32, &raw mut length, bytes.as_mut_ptr().cast());
    bytes.truncate(usize::try_from(length).unwrap_or(0));
    String::from_utf8_lossy(&bytes).into_owned()
}

impl Api {
    /// Sets the source of a shader: its parts one after the other.
    pub(crate) fn shader_source(&self, shader: u32, parts: &[&[u8]]) {
        let pointers: Vec<*const c_char> = parts.iter().map(|part| part.as_ptr().cast()).collect();
        let lengths: Vec<i32> = parts.iter().map(|part| part.len() as i32).collect();
        let count = parts.len() as i32;
        // SAFETY: there are as many pointers and lengths as parts.
        unsafe { self.raw.ShaderSource(shader, count, pointers.as_ptr(), lengths.as_ptr()) }
    }

    /// Loads a SPIR-V module into a shader.
    pub(crate) fn spirv_binary(&self, shader: u32, module: &[u8]) {
        let (format, size) = (gl::SHADER_BINARY_FORMAT_SPIR_V, module.len() as i32);
        // SAFETY: the driver reads one name and the bytes of the slice.
        unsafe { self.raw.ShaderBinary(1, &raw const shader, format, module.as_ptr().cast(), size) }
    }

    /// Selects the entry point `main` of a shader's module and the values of constants.
    pub(crate) fn specialize(&self, shader: u32, constants: &[Specialization]) {
        let (numbers, values): (Vec<u32>, Vec<u32>) =
            constants.iter().map(|constant| (constant.id, constant.bits)).unzip();
        let (count, main) = (constants.len() as u32, c"main".as_ptr());
        // SAFETY: the name ends in a zero byte, and there are as many numbers as values.
        unsafe {
            self.raw.SpecializeShader(shader, main, count, numbers.as_ptr(), values.as_ptr());
        }
    }

    /// Compiles a shader with search paths for `#include`.
    pub(crate) fn compile_shader_include(&self, shader: u32, paths: &[&str]) {
        let pointers: Vec<*const c_char> = paths.iter().map(|path| path.as_ptr().cast()).collect();
        let lengths: Vec<i32> = paths.iter().map(|path| path.len() as i32).collect();
        let count = paths.len() as i32;
        // SAFETY: there are as many pointers and lengths as paths.
        unsafe {
            self.raw.CompileShaderIncludeARB(shader, count, pointers.as_ptr(), lengths.as_ptr());
        }
    }

    /// Registers a named string for `#include`.
    pub(crate) fn named_string(&self, path: &str, text: &[u8]) {
        let (path_length, length) = (path.len() as i32, text.len() as i32);
        let (path, text) = (path.as_ptr().cast(), text.as_ptr().cast());
        // SAFETY: both lengths are those of the slices.
        unsafe {
            self.raw.NamedStringARB(gl::SHADER_INCLUDE_ARB, path_length, path, length, text);
        }
    }

    /// Removes a named string.
    pub(crate) fn delete_named_string(&self, path: &str) {
        let (length, path) = (path.len() as i32, path.as_ptr().cast());
        // SAFETY: the length is that of the slice.
        unsafe { self.raw.DeleteNamedStringARB(length, path) }
    }

    /// Loads an ARB assembly program into the one bound to a target.
    pub(crate) fn program_string(&self, target: u32, text: &[u8]) {
        let (length, text) = (text.len() as i32, text.as_ptr().cast());
        // SAFETY: the length is that of the slice.
        unsafe {
            self.raw.ProgramStringARB(target, gl::PROGRAM_FORMAT_ASCII_ARB, length, text);
        }
    }

    /// Returns a number about a shader.
    pub(crate) fn get_shader(&self, shader: u32, property: u32) -> i32 {
        let mut value = 0;
        // SAFETY: the command writes one number.
        unsafe { self.raw.GetShaderiv(shader, property, &raw mut value) };
        value
    }

    /// Returns the info log of a shader.
    pub(crate) fn shader_log(&self, shader: u32) -> String {
        text(self.get_shader(shader, gl::INFO_LOG_LENGTH), |size, length, bytes| {
            // SAFETY: `size` bytes may be written.
            unsafe { self.raw.GetShaderInfoLog(shader, size, length, bytes) }
        })
    }

    /// Returns numbers about a program: one, or three for the work group size.
    pub(crate) fn get_program(&self, program: u32, property: u32) -> i32 {
        let mut values = [0; 4];
        // SAFETY: no property has more than three values.
        unsafe { self.raw.GetProgramiv(program, property, values.as_mut_ptr()) };
        values[0]
    }

    /// Returns the info log of a program.
    pub(crate) fn program_log(&self, program: u32) -> String {
        text(self.get_program(program, gl::INFO_LOG_LENGTH), |size, length, bytes| {
            // SAFETY: `size` bytes may be written.
            unsafe { self.raw.GetProgramInfoLog(program, size, length, bytes) }
        })
    }

    /// Assigns an attribute location before linking.
    pub(crate) fn bind_attribute(&self, program: u32, location: u32, name: &str) {
        let name = c_string(name);
        // SAFETY: the name ends in a zero byte.
        unsafe { self.raw.BindAttribLocation(program, location, name.as_ptr()) }
    }

    /// Returns the location of an attribute; -1 if there is none.
    pub(crate) fn attribute_location(&self, program: u32, name: &str) -> i32 {
        let name = c_string(name);
        // SAFETY: the name ends in a zero byte.
        unsafe { self.raw.GetAttribLocation(program, name.as_ptr()) }
    }

    /// Returns the location of a uniform; -1 if there is none.
    pub(crate) fn uniform_location(&self, program: u32, name: &str) -> i32 {
        let name = c_string(name);
        // SAFETY: the name ends in a zero byte.
        unsafe { self.raw.GetUniformLocation(program, name.as_ptr()) }
    }

    /// Returns the index of a uniform; `None` if there is none.
    pub(crate) fn uniform_index(&self, program: u32, name: &str) -> Option<u32> {
        let name = c_string(name);
        let (pointer, mut index) = (name.as_ptr(), gl::INVALID_INDEX);
        // SAFETY: one name, which ends in a zero byte, and room for one index.
        unsafe { self.raw.GetUniformIndices(program, 1, &raw const pointer, &raw mut index) };
        (index != gl::INVALID_INDEX).then_some(index)
    }

    /// Returns a property of an active uniform.
    pub(crate) fn active_uniform_property(&self, program: u32, index: u32, property: u32) -> i32 {
        let mut value = 0;
        // SAFETY: one index, and room for one value.
        unsafe {
            self.raw.GetActiveUniformsiv(program, 1, &raw const index, property, &raw mut value);
        }
        value
    }

    /// Returns name, size and type of an active uniform.
    pub(crate) fn active_uniform(&self, program: u32, index: u32) -> (String, i32, u32) {
        let (mut size, mut kind) = (0, 0);
        let longest = self.get_program(program, gl::ACTIVE_UNIFORM_MAX_LENGTH);
        let name = text(longest, |room, length, bytes| {
            let (size, kind) = (&raw mut size, &raw mut kind);
            // SAFETY: `room` bytes may be written, and one number each.
            unsafe { self.raw.GetActiveUniform(program, index, room, length, size, kind, bytes) }
        });
        (name, size, kind)
    }

    /// Returns a property of a uniform block.
    pub(crate) fn uniform_block(&self, program: u32, block: u32, property: u32) -> i32 {
        let mut value = 0;
        // SAFETY: the queried properties have one value.
        unsafe { self.raw.GetActiveUniformBlockiv(program, block, property, &raw mut value) };
        value
    }

    /// Returns the binary of a program with its format; `None` if the driver has none.
    pub(crate) fn program_binary(&self, program: u32) -> Option<(u32, Vec<u8>)> {
        let size = self.get_program(program, gl::PROGRAM_BINARY_LENGTH);
        let mut bytes = vec![0u8; usize::try_from(size).unwrap_or(0)];
        let (mut length, mut format) = (0, 0);
        let data = bytes.as_mut_ptr().cast();
        // SAFETY: `size` bytes may be written.
        unsafe {
            self.raw.GetProgramBinary(program, size, &raw mut length, &raw mut format, data);
        }
        bytes.truncate(usize::try_from(length).unwrap_or(0));
        (!bytes.is_empty()).then_some((format, bytes))
    }

    /// Loads a program from a binary.
    pub(crate) fn set_program_binary(&self, program: u32, format: u32, bytes: &[u8]) {
        let (length, data) = (bytes.len() as i32, bytes.as_ptr().cast());
        // SAFETY: the length is that of the slice.
        unsafe { self.raw.ProgramBinary(program, format, data, length) }
    }

    /// Returns a property of a program interface.
    pub(crate) fn interface(&self, program: u32, interface: u32, property: u32) -> i32 {
        let mut value = 0;
        // SAFETY: the command writes one number.
        unsafe {
            self.raw.GetProgramInterfaceiv(program, interface, property, &raw mut value);
        }
        value
    }

    /// Returns the index of a resource; `GL_INVALID_INDEX` if there is none.
    pub(crate) fn resource_index(&self, program: u32, interface: u32, name: &str) -> u32 {
        let name = c_string(name);
        // SAFETY: the name ends in a zero byte.
        unsafe { self.raw.GetProgramResourceIndex(program, interface, name.as_ptr()) }
    }

    /// Returns the name of a resource.
    pub(crate) fn resource_name(&self, program: u32, interface: u32, index: u32) -> String {
        let size = self.interface(program, interface, gl::MAX_NAME_LENGTH);
        text(size, |size, length, bytes| {
            // SAFETY: `size` bytes may be written.
            unsafe {
                self.raw.GetProgramResourceName(program, interface, index, size, length, bytes);
            }
        })
    }

    /// Returns the first value of a resource's property.
    pub(crate) fn resource(&self, program: u32, interface: u32, index: u32, property: u32) -> i32 {
        let mut value = 0;
        let (property, out) = (&raw const property, &raw mut value);
        let length = ptr::null_mut();
        // SAFETY: one property is read and one value written.
        unsafe {
            self.raw.GetProgramResourceiv(program, interface, index, 1, property, 1, length, out);
        }
        value
    }

    /// Returns the location of a resource; -1 if there is none.
    pub(crate) fn resource_location(&self, program: u32, interface: u32, name: &str) -> i32 {
        let name = c_string(name);
        // SAFETY: the name ends in a zero byte.
        unsafe { self.raw.GetProgramResourceLocation(program, interface, name.as_ptr()) }
    }

    /// Returns the fragment color index of a resource; -1 if there is none.
    pub(crate) fn resource_location_index(&self, program: u32, interface: u32, name: &str) -> i32 {
        let name = c_string(name);
        // SAFETY: the name ends in a zero byte.
        unsafe { self.raw.GetProgramResourceLocationIndex(program, interface, name.as_ptr()) }
    }

    /// Returns the index of a subroutine; `GL_INVALID_INDEX` if there is none.
    pub(crate) fn subroutine_index(&self, program: u32, stage: u32, name: &str) -> u32 {
        let name = c_string(name);
        // SAFETY: the name ends in a zero byte.
        unsafe { self.raw.GetSubroutineIndex(program, stage, name.as_ptr()) }
    }

    /// Returns the location of a subroutine uniform; -1 if there is none.
    pub(crate) fn subroutine_location(&self, program: u32, stage: u32, name: &str) -> i32 {
        let name = c_string(name);
        // SAFETY: the name ends in a zero byte.
        unsafe { self.raw.GetSubroutineUniformLocation(program, stage, name.as_ptr()) }
    }

    /// Returns the number of subroutine uniform locations of a stage.
    pub(crate) fn subroutine_locations(&self, program: u32, stage: u32) -> i32 {
        let mut value = 0;
        let property = gl::ACTIVE_SUBROUTINE_UNIFORM_LOCATIONS;
        // SAFETY: the command writes one number.
        unsafe { self.raw.GetProgramStageiv(program, stage, property, &raw mut value) };
        value
    }

    /// Selects the subroutines of a stage of the current program.
    pub(crate) fn select_subroutines(&self, stage: u32, indices: &[u32]) {
        // SAFETY: the driver reads as many numbers as the slice has.
        unsafe {
            self.raw.UniformSubroutinesuiv(stage, indices.len() as i32, indices.as_ptr());
        }
    }
}

/// Defines functions that set one uniform; `$size` is the number of components.
macro_rules! uniforms {
    ($($function:ident: $type:ty = [$($size:literal => $command:ident),*];)*) => {
        impl Api {
            $(
                /// Sets a uniform of as many components as there are values.
                pub(crate) fn $function(&self, location: i32, values: &[$type]) {
                    // SAFETY: each command reads one vector, whose size is that of the slice.
                    unsafe {
                        match values.len() {
                            $($size => self.raw.$command(location, 1, values.as_ptr()),)*
                            _ => {}
                        }
                    }
                }
            )*
        }
    };
}

uniforms! {
    uniform_floats: f32 = [1 => Uniform1fv, 2 => Uniform2fv, 3 => Uniform3fv, 4 => Uniform4fv];
    uniform_doubles: f64 = [1 => Uniform1dv, 2 => Uniform2dv, 3 => Uniform3dv, 4 => Uniform4dv];
    uniform_ints: i32 = [1 => Uniform1iv, 2 => Uniform2iv, 3 => Uniform3iv, 4 => Uniform4iv];
    uniform_uints: u32 = [1 => Uniform1uiv, 2 => Uniform2uiv, 3 => Uniform3uiv, 4 => Uniform4uiv];
    uniform_int64s: i64 = [
        1 => Uniform1i64vARB, 2 => Uniform2i64vARB, 3 => Uniform3i64vARB, 4 => Uniform4i64vARB
    ];
    uniform_uint64s: u64 = [
        1 => Uniform1ui64vARB, 2 => Uniform2ui64vARB, 3 => Uniform3ui64vARB, 4 => Uniform4ui64vARB
    ];
}

/// Defines functions that set one matrix uniform, given column by column.
macro_rules! matrices {
    ($($function:ident: $type:ty = [$(($columns:literal, $rows:literal) => $command:ident),*];)*) => {
        impl Api {
            $(
                /// Sets a matrix of `columns` and `rows`.
                pub(crate) fn $function(
                    &self, location: i32, columns: usize, rows: usize, values: &[$type],
                ) {
                    assert!(values.len() >= columns * rows, "missing components of a matrix");
                    // SAFETY: each command reads one matrix, whose components are all there.
                    unsafe {
                        match (columns, rows) {
                            $(($columns, $rows) => {
                                self.raw.$command(location, 1, gl::FALSE, values.as_ptr());
                            })*
                            _ => {}
                        }
                    }
                }
            )*
        }
    };
}

matrices! {
    uniform_matrix: f32 = [
        (2, 2) => UniformMatrix2fv, (2, 3) => UniformMatrix2x3fv, (2, 4) => UniformMatrix2x4fv,
        (3, 2) => UniformMatrix3x2fv, (3, 3) => UniformMatrix3fv, (3, 4) => UniformMatrix3x4fv,
        (4, 2) => UniformMatrix4x2fv, (4, 3) => UniformMatrix4x3fv, (4, 4) => UniformMatrix4fv
    ];
    uniform_double_matrix: f64 = [
        (2, 2) => UniformMatrix2dv, (2, 3) => UniformMatrix2x3dv, (2, 4) => UniformMatrix2x4dv,
        (3, 2) => UniformMatrix3x2dv, (3, 3) => UniformMatrix3dv, (3, 4) => UniformMatrix3x4dv,
        (4, 2) => UniformMatrix4x2dv, (4, 3) => UniformMatrix4x3dv, (4, 4) => UniformMatrix4dv
    ];
}
