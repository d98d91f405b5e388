//! Text of profiles: plain or compressed.

use std::io::Read;

use flate2::read::MultiGzDecoder;

use crate::error::ProfileError;

/// Maximum size of the text of a profile in MiB. The largest of piglit's has 22.
const MEBIBYTES: u64 = 256;

/// Returns the text of a profile, decompressed if necessary.
///
/// # Errors
/// Fails if the data is damaged, too large or not text.
pub fn decompress(bytes: Vec<u8>) -> Result<String, ProfileError> {
    let mut plain = bytes;
    if plain.starts_with(&[0x1f, 0x8b]) {
        let limit = MEBIBYTES << 20;
        let mut text = Vec::new();
        MultiGzDecoder::new(&*plain)
            .take(limit + 1)
            .read_to_end(&mut text)
            .map_err(|error| ProfileError::Compressed(error.to_string()))?;
        if text.len() as u64 > limit {
            return Err(ProfileError::TooLarge(MEBIBYTES));
        }
        plain = text;
    }
    String::from_utf8(plain)
        .map_err(|error| ProfileError::Encoding(error.utf8_error().valid_up_to()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    fn compressed(parts: &[&[u8]]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        parts.iter().for_each(|part| encoder.write_all(part).expect("memory"));
        encoder.finish().expect("memory")
    }

    #[test]
    fn plain_and_compressed_texts() {
        assert_eq!(decompress(b"<a/>".to_vec()), Ok("<a/>".to_owned()));
        assert_eq!(decompress(compressed(&[b"<a/>"])), Ok("<a/>".to_owned()));
        let cut = compressed(&[b"<a/>"])[..12].to_vec();
        assert!(matches!(decompress(cut), Err(ProfileError::Compressed(_))));
        assert_eq!(decompress(b"ab\xff".to_vec()), Err(ProfileError::Encoding(2)));
    }

    #[test]
    fn bombs_are_refused() {
        let block = vec![b' '; 1 << 20];
        let parts = vec![&*block; usize::try_from(MEBIBYTES).expect("small") + 1];
        assert_eq!(decompress(compressed(&parts)), Err(ProfileError::TooLarge(MEBIBYTES)));
    }
}
