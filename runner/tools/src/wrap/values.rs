//! Values of uniforms from a file beside a shader, in the format of GraphicsFuzz:
//! `{"name": {"func": "glUniform2f", "args": [1.0, 2.0]}}`.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::error::WrapError;

/// Values of uniforms by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UniformValues(BTreeMap<String, Vec<serde_json::Number>>);

/// The part of an entry that says the value. The entry of a binding has none.
#[derive(Deserialize)]
struct Entry {
    #[serde(default)]
    args: Vec<serde_json::Number>,
}

impl UniformValues {
    /// Reads the text of a file.
    ///
    /// # Errors
    /// Fails if the text is no JSON, or has an entry of another form.
    pub fn parse(text: &[u8]) -> Result<UniformValues, WrapError> {
        let entries: BTreeMap<String, Entry> =
            serde_json::from_slice(text).map_err(|error| WrapError::Values(error.to_string()))?;
        Ok(UniformValues(entries.into_iter().map(|(name, entry)| (name, entry.args)).collect()))
    }

    /// Returns the `count` components of element `index` of a uniform, if the file has them.
    pub(super) fn components(&self, name: &str, index: u32, count: usize) -> Option<Vec<String>> {
        let all = self.0.get(name)?;
        let from = index as usize * count;
        let own = all.get(from..from + count).filter(|own| !own.is_empty())?;
        Some(own.iter().map(ToString::to_string).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_of_elements() {
        let text = br#"{"a": {"func": "glUniform2fv", "count": 2, "args": [1.5, -2, 3, 4e2]},
                        "$compute": {"num_groups": [1, 1, 1]}}"#;
        let values = UniformValues::parse(text).unwrap();
        assert_eq!(values.components("a", 0, 2), Some(vec!["1.5".to_owned(), "-2".to_owned()]));
        assert_eq!(values.components("a", 1, 2), Some(vec!["3".to_owned(), "400.0".to_owned()]));
        for (name, index, count) in [("a", 2, 2), ("a", 0, 5), ("b", 0, 1), ("$compute", 0, 3)] {
            assert_eq!(values.components(name, index, count), None, "{name}");
        }
    }

    #[test]
    fn other_forms_are_errors() {
        for text in ["", "[1]", "{\"a\": 1}", "{\"a\": {\"args\": [\"x\"]}}"] {
            let error = UniformValues::parse(text.as_bytes()).unwrap_err();
            assert!(matches!(error, WrapError::Values(_)), "{text}: {error}");
        }
    }
}
