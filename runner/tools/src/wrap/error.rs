//! Errors of the tool.

/// Why no test can be written around a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WrapError {
    /// The file has no fragment shader in GLSL.
    #[error("no fragment shader")]
    NoFragmentShader,
    /// The file is no `.shader_test` file.
    #[error("{0}")]
    Script(String),
    /// The file with values of uniforms is malformed.
    #[error("values of uniforms: {0}")]
    Values(String),
    /// The shader does not compile, or needs what the generation does not offer.
    #[error("{0}")]
    Compile(String),
    /// The test format has no command for a resource of the shader.
    #[error("no command of the test format supplies {0}")]
    NotSupplied(String),
}
