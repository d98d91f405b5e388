//! Formatting of an error with its causes.

/// Formats an error with its causes on one line; leaves out causes that the previous message
/// contains.
pub(super) fn chain(error: &anyhow::Error) -> String {
    let mut text = String::new();
    let mut last = String::new();
    for cause in error.chain().map(ToString::to_string).filter(|cause| !cause.is_empty()) {
        if text.is_empty() {
            text.clone_from(&cause);
        } else if !last.contains(&cause) {
            text += &format!(": {cause}");
        }
        last = cause;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_are_told_once() {
        let io = || std::io::Error::other("no such thing");
        let error = results::ReadError::Read { path: "a".into(), source: io() };
        assert_eq!(chain(&anyhow::Error::from(error)), "cannot read a: no such thing");
        assert_eq!(
            chain(&anyhow::Error::from(io()).context("reading a")),
            "reading a: no such thing"
        );
    }
}
