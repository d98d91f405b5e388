//! `SHADER` and `VIRTUAL_FILE`.

use std::sync::Arc;

use vocabulary::Stage;

use super::parser::Parser;
use crate::error::Span;
use crate::files;
use crate::model::{Shader, ShaderId, ShaderLanguage, ShaderStage, VirtualFile};
use crate::passthrough::PASSTHROUGH;
use crate::text::{Fault, Step, saturate};
use crate::tokens::{Kind, Token};

/// The stage with a name of AmberScript.
pub(super) fn stage_named(name: &str) -> Option<ShaderStage> {
    let stage = match name {
        "vertex" => Stage::Vertex,
        "fragment" => Stage::Fragment,
        "geometry" => Stage::Geometry,
        "tessellation_evaluation" => Stage::TessEval,
        "tessellation_control" => Stage::TessControl,
        "compute" => Stage::Compute,
        "multi" => return Some(ShaderStage::Multi),
        "ray_generation" | "any_hit" | "closest_hit" | "miss" | "intersection" | "callable" => {
            return Some(ShaderStage::RayTracing);
        }
        _ => return None,
    };
    Some(ShaderStage::Stage(stage))
}

fn language_named(name: &str) -> Option<ShaderLanguage> {
    Some(match name {
        "GLSL" => ShaderLanguage::Glsl,
        "HLSL" => ShaderLanguage::Hlsl,
        "SPIRV-ASM" => ShaderLanguage::SpirvAssembly,
        "SPIRV-HEX" => ShaderLanguage::SpirvHex,
        "SPIRV-BIN" => ShaderLanguage::SpirvBinary,
        "OPENCL-C" => ShaderLanguage::OpenClC,
        _ => return None,
    })
}

impl<'a> Parser<'a> {
    pub(super) fn shader(&mut self, start: &Token<'a>) -> Step<()> {
        let (stage_word, stage_token) = self.cursor.word("a stage")?;
        let stage = stage_named(stage_word).ok_or_else(|| stage_token.fault("unknown stage"))?;
        let (name, name_token) = self.cursor.word("the name of the shader")?;
        let (format, format_token) = self.cursor.word("the language of the shader")?;
        let mut shader = Shader {
            name: name.to_owned(),
            span: Span::default(),
            source_span: Span::default(),
            first_line: 0,
            stage,
            language: ShaderLanguage::SpirvAssembly,
            source: Arc::from(""),
            more_sources: Vec::new(),
            words: Vec::new(),
            target_env: None,
            path: None,
        };
        if format == "PASSTHROUGH" {
            if stage != ShaderStage::Stage(Stage::Vertex) {
                return Err(stage_token.fault("`PASSTHROUGH` is for vertex shaders only"));
            }
            shader.source = Arc::from(PASSTHROUGH);
            shader.target_env = Some("spv1.0".to_owned());
            self.cursor.end_of_line("SHADER")?;
        } else {
            shader.language = language_named(format)
                .ok_or_else(|| format_token.fault("unknown language of shaders"))?;
            if self.cursor.accept("TARGET_ENV") {
                shader.target_env = Some(self.cursor.word_or_quoted("a target environment")?.0);
            }
            self.source(&mut shader, start)?;
        }
        if stage == ShaderStage::RayTracing {
            self.unsupported(stage_token.span(), "ray tracing is not supported");
        }
        if shader.language == ShaderLanguage::OpenClC {
            self.unsupported(format_token.span(), "OpenCL C is not supported: it needs clspv");
        }
        shader.span = self.span_from(start);
        self.add_shader(shader, &name_token)
    }

    fn add_shader(&mut self, shader: Shader, name: &Token<'_>) -> Step<()> {
        if self.names.shaders.contains_key(&shader.name) {
            return Err(name.fault("a shader of this name exists"));
        }
        let id = ShaderId(saturate(self.script.shaders.len()));
        self.names.shaders.insert(shader.name.clone(), id);
        self.script.shaders.push(shader);
        Ok(())
    }

    fn source(&mut self, shader: &mut Shader, start: &Token<'a>) -> Step<()> {
        match self.cursor.peek().kind {
            Kind::Word("VIRTUAL_FILE") => {
                self.cursor.next();
                let (path, token) = self.cursor.word_or_quoted("the path of a file")?;
                let index = self.names.files.get(&path);
                let file = index.and_then(|index| self.script.files.get(*index));
                let text = file.ok_or_else(|| token.fault("unknown virtual file"))?.text.clone();
                shader.path = Some(path);
                self.cursor.end_of_line("SHADER")?;
                self.set_source(shader, text).map_err(|message| token.fault(message))
            }
            Kind::Word("FILE") => {
                self.cursor.next();
                let (path, token) = self.cursor.word_or_quoted("the path of a file")?;
                let bytes = (self.read_file)(&path)
                    .map_err(|reason| token.fault(format!("no access to the file: {reason}")))?;
                shader.path = Some(path);
                self.cursor.end_of_line("SHADER")?;
                if shader.language == ShaderLanguage::SpirvBinary {
                    let words = files::spirv_words(&bytes);
                    shader.words = words.map_err(|message| token.fault(message))?;
                    return Ok(());
                }
                let text = Arc::from(String::from_utf8_lossy(&bytes));
                self.set_source(shader, text).map_err(|message| token.fault(message))
            }
            _ => self.inline_source(shader, start),
        }
    }

    fn inline_source(&mut self, shader: &mut Shader, start: &Token<'a>) -> Step<()> {
        self.cursor.end_of_line("SHADER")?;
        let span = self.block(start, "SHADER")?;
        let text = self.text.get(span.range()).unwrap_or("");
        if text.trim().is_empty() {
            return Err(start.fault("empty shader"));
        }
        if shader.language == ShaderLanguage::SpirvBinary {
            return Err(start.fault("`SPIRV-BIN` needs a `FILE`"));
        }
        shader.source_span = span;
        shader.first_line = self.lines.number(span.start);
        self.set_source(shader, Arc::from(text)).map_err(|message| Fault::at(span, message))
    }

    /// Reads lines up to one that begins with the word `END`, and that line.
    fn block(&mut self, start: &Token<'a>, command: &str) -> Step<Span> {
        let begin = self.cursor.at();
        let rest = self.cursor.rest();
        let mut length = 0;
        for line in rest.split_inclusive('\n') {
            let word = line.trim_start();
            let after = word.strip_prefix("END");
            if after
                .is_some_and(|after| !after.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
            {
                let span = Span { start: saturate(begin), end: saturate(begin + length) };
                self.cursor.jump(begin + length);
                self.cursor.keyword("END")?;
                self.cursor.end_of_line("END")?;
                return Ok(span);
            }
            length += line.len();
        }
        Err(start.fault(format!("`{command}` without `END`")))
    }

    pub(super) fn virtual_file(&mut self) -> Step<()> {
        let (path, token) = self.cursor.word_or_quoted("the path of the file")?;
        self.cursor.end_of_line("VIRTUAL_FILE")?;
        if self.names.files.contains_key(&path) {
            return Err(token.fault("a virtual file of this path exists"));
        }
        let span = self.block(&token, "VIRTUAL_FILE")?;
        let text = self.text.get(span.range()).unwrap_or("").into();
        self.names.files.insert(path.clone(), self.script.files.len());
        self.script.files.push(VirtualFile { path, text });
        Ok(())
    }

    fn set_source(&mut self, shader: &mut Shader, text: Arc<str>) -> Result<(), String> {
        if matches!(shader.language, ShaderLanguage::SpirvHex | ShaderLanguage::SpirvBinary) {
            self.budget.decoded(text.len())?;
            shader.words = files::spirv_hex(&text)?;
        }
        shader.source = text;
        Ok(())
    }
}
