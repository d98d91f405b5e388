//! Listings of radeonsi's shaders: parts (prolog, main, epilog) of text and words.

use amd_isa::Chip;

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
    /// Reads the shaders of a listing. The text counts: words of jumps have no distances yet.
    pub fn parse(listing: &str) -> Vec<ForeignShader> {
        let mut found: Vec<(String, String)> = Vec::new();
        let mut part = 0;
        for line in listing.lines() {
            if let Some(heading) = line.strip_prefix("## ") {
                found.push((heading.trim().to_owned(), String::new()));
            }
            part += usize::from(line.starts_with("# "));
            let Some((_, text)) = found.last_mut().filter(|_| !line.starts_with([';', '#'])) else {
                continue;
            };
            let code = line.rsplit_once(';').map_or(line, |(code, _)| code);
            // Each part counts its labels anew.
            let code = code.replace(".LBB", "BB").replace("BB", &format!("P{part}_"));
            text.push_str(&code);
            text.push('\n');
        }
        found.into_iter().map(|(heading, text)| ForeignShader::assemble(heading, &text)).collect()
    }

    /// The vertex shaders of a listing with the fragment shader that was made after each, and the
    /// vertex shader's place in the listing.
    pub fn pairs(shaders: &[ForeignShader]) -> impl Iterator<Item = (usize, [&ForeignShader; 2])> {
        let headings = ["Vertex Shader as VS", "Pixel Shader"];
        shaders.windows(2).enumerate().filter_map(move |(first, pair)| match pair {
            [vertex, fragment] if headings == [&*vertex.heading, &*fragment.heading] => {
                Some((first, [vertex, fragment]))
            }
            _ => None,
        })
    }

    fn assemble(heading: String, text: &str) -> ForeignShader {
        let is_code = |line: &&str| !line.trim().is_empty() && !line.trim_end().ends_with(':');
        let instructions = text.lines().filter(is_code).count() as u32;
        // Data behind a program is not in the listing, nor is its address.
        let words = amd_isa::assemble(Chip::Si, text).ok().filter(|_| !text.contains("@rel32"));
        let relocated = words.is_none();
        ForeignShader { heading, words: words.unwrap_or_default(), instructions, relocated }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_follow_each_other() {
        let listing = "## Pixel Shader\n# Shader main disassembly:\nBB0_0:\n\
            \tv_mov_b32_e32 v1, 0x42 ; 7E0202FF 00000042\n\ts_branch .LBB0_1 ; BF820000\n\
            \tv_mov_b32_e32 v1, 0 ; 7E020280\nBB0_1:\n# Shader epilog disassembly:\nBB0_0:\n\
            \ts_endpgm ; BF810000\n; SGPRS: 8\n## Vertex Shader as VS\n";
        let shaders = ForeignShader::parse(listing);
        assert_eq!(shaders.len(), 2);
        // The jump has its distance.
        let words = [0x7e02_02ff, 0x42, 0xbf82_0001, 0x7e02_0280, 0xbf81_0000];
        assert_eq!(shaders[0].words, words);
        assert_eq!((shaders[0].instructions, shaders[0].relocated), (4, false));
        assert_eq!(shaders[1].heading, "Vertex Shader as VS");
    }
}
