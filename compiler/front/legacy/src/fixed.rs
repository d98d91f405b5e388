//! Fixed-function stages of a compatibility context, as GLSL text: they replace missing stages of a
//! program (OpenGL 4.6 compatibility profile, chapters 12 and 16).
//!
//! They are the stages of a context in its initial state, with the current matrices: without
//! lighting, texture coordinate generation, texture environments and fog.

/// Fixed-function vertex processing: position, colors, texture coordinates and the distance to the
/// eye.
pub const VERTEX: &str = "#version 120
void main()
{
    gl_Position = ftransform();
    gl_FrontColor = gl_Color;
    gl_BackColor = gl_Color;
    gl_FrontSecondaryColor = gl_SecondaryColor;
    gl_BackSecondaryColor = gl_SecondaryColor;
    gl_TexCoord[0] = gl_TextureMatrix[0] * gl_MultiTexCoord0;
    gl_TexCoord[1] = gl_TextureMatrix[1] * gl_MultiTexCoord1;
    gl_TexCoord[2] = gl_TextureMatrix[2] * gl_MultiTexCoord2;
    gl_TexCoord[3] = gl_TextureMatrix[3] * gl_MultiTexCoord3;
    gl_FogFragCoord = abs((gl_ModelViewMatrix * gl_Vertex).z);
}
";

/// Fixed-function fragment processing without textures: the interpolated primary color.
pub const FRAGMENT: &str = "#version 120
void main()
{
    gl_FragColor = gl_Color;
}
";
