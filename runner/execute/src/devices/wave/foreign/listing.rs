//! Listings of radeonsi's shaders: parts (prolog, main, epilog) of text and words.

/// A shader of a listing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ForeignShader {
    /// Its heading: the stage of GL and that of the hardware.
    pub heading: String,
    /// The words of its parts, one behind the other.
    pub words: Vec<u32>,
    /// Number of instructions.
    pub instructions: u32,
    /// True if an address has to be filled in before it can run.
    pub relocated: bool,
}

impl ForeignShader {
    /// Reads the shaders of a listing.
    pub fn parse(listing: &str) -> Vec<ForeignShader> {
        let mut shaders: Vec<ForeignShader> = Vec::new();
        for line in listing.lines() {
            if let Some(heading) = line.strip_prefix("## ") {
                let heading = heading.trim().to_owned();
                shaders.push(ForeignShader { heading, ..ForeignShader::default() });
            }
            let Some(shader) = shaders.last_mut().filter(|_| !line.starts_with([';', '#'])) else {
                continue;
            };
            let Some((text, words)) = line.rsplit_once(';') else { continue };
            let words = words.split_whitespace().map(|word| u32::from_str_radix(word, 16));
            if let Ok(words) = words.collect::<Result<Vec<u32>, _>>() {
                shader.words.extend(words);
                shader.instructions += 1;
                shader.relocated |= text.contains("SCRATCH_RSRC") || text.contains("@abs32");
            }
        }
        shaders
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_follow_each_other() {
        let listing = "## Pixel Shader\n# Shader main disassembly:\nBB0_0:\n\
            \tv_mov_b32_e32 v1, 0x42 ; 7E0202FF 00000042\n# Shader epilog disassembly:\n\
            \ts_endpgm ; BF810000\n; SGPRS: 8\n## Vertex Shader as VS\n";
        let shaders = ForeignShader::parse(listing);
        assert_eq!(shaders.len(), 2);
        assert_eq!(shaders[0].words, [0x7e02_02ff, 0x42, 0xbf81_0000]);
        assert_eq!((shaders[0].instructions, shaders[0].relocated), (2, false));
        assert_eq!(shaders[1].heading, "Vertex Shader as VS");
    }
}
