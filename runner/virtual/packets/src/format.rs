//! Numbers and names of surface formats.

/// Number and name of each format, in ascending order.
const FORMATS: &str = include_str!("tables/formats.txt");

/// Returns the name of a surface or vertex format by its number, such as `R8G8B8A8_UNORM`.
#[must_use]
pub fn format_name(number: u64) -> Option<&'static str> {
    FORMATS.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let (text, name) = line.split_once(' ')?;
        (text.parse() == Ok(number)).then_some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::format_name;

    #[test]
    fn names() {
        assert_eq!(format_name(0), Some("R32G32B32A32_FLOAT"));
        assert_eq!(format_name(199), Some("R8G8B8A8_UNORM"));
        assert_eq!(format_name(12345), None);
    }
}
