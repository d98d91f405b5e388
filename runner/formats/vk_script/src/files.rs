//! Files to which a script refers.

/// Reads a file that a script names. The path is as the script spells it, relative to the folder of
/// the script. The error is a phrase for a message: `no such file`.
pub type ReadFile<'a> = &'a dyn Fn(&str) -> Result<Vec<u8>, String>;

/// The pixels of a PNG file as red, green, blue and alpha of 8 bits.
pub(crate) struct Picture {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) pixels: Vec<u8>,
}

/// Largest width times height of a picture.
const PIXEL_LIMIT: u64 = 1 << 24;

/// Decodes a PNG file.
pub(crate) fn picture(bytes: &[u8]) -> Result<Picture, String> {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::ALPHA | png::Transformations::STRIP_16);
    let mut reader = decoder.read_info().map_err(|error| error.to_string())?;
    let (width, height) = (reader.info().width, reader.info().height);
    if u64::from(width) * u64::from(height) > PIXEL_LIMIT {
        return Err(format!("picture of {width} × {height} pixels is too large"));
    }
    let size = reader.output_buffer_size().ok_or("picture is too large")?;
    let mut raw = vec![0; size];
    let info = reader.next_frame(&mut raw).map_err(|error| error.to_string())?;
    raw.truncate(info.buffer_size());
    let pixels = match info.color_type {
        png::ColorType::Rgba => raw,
        png::ColorType::GrayscaleAlpha => {
            raw.chunks_exact(2).flat_map(|p| [p[0], p[0], p[0], p[1]]).collect()
        }
        _ => return Err("unknown kind of pixels".to_owned()),
    };
    Ok(Picture { width, height, pixels })
}

/// The words of a SPIR-V module in either byte order.
pub(crate) fn spirv_words(bytes: &[u8]) -> Result<Vec<u32>, String> {
    if !bytes.len().is_multiple_of(4) || bytes.len() < 20 {
        return Err("size is not that of a SPIR-V module".to_owned());
    }
    let little = |chunk: &[u8]| u32::from_le_bytes([chunk[0], chunk[1], chunk[2], chunk[3]]);
    let mut words: Vec<u32> = bytes.chunks_exact(4).map(little).collect();
    if words.first() == Some(&MAGIC.swap_bytes()) {
        for word in &mut words {
            *word = word.swap_bytes();
        }
    }
    if words.first() == Some(&MAGIC) { Ok(words) } else { Err(NO_MODULE.to_owned()) }
}

/// The first word of a SPIR-V module.
const MAGIC: u32 = 0x0723_0203;

/// The words of a SPIR-V module as hexadecimal text, with blanks or commas between numbers: words
/// that begin with `07230203` (VkRunner), or bytes that begin with `03 02 23 07` (Amber).
pub(crate) fn spirv_hex(text: &str) -> Result<Vec<u32>, String> {
    let mut numbers = Vec::new();
    for item in text.split(|c: char| c.is_whitespace() || c == ',').filter(|s| !s.is_empty()) {
        let digits = item.strip_prefix("0x").unwrap_or(item);
        let number = u32::from_str_radix(digits, 16)
            .map_err(|_| format!("`{item}` is no hexadecimal number"))?;
        numbers.push(number);
    }
    if numbers.first() == Some(&MAGIC) {
        return Ok(numbers);
    }
    let bytes: Vec<u8> = numbers.iter().filter_map(|number| u8::try_from(*number).ok()).collect();
    if bytes.len() == numbers.len() { spirv_words(&bytes) } else { Err(NO_MODULE.to_owned()) }
}

const NO_MODULE: &str = "no SPIR-V module";
