//! The templates of a report's pages.

use std::sync::LazyLock;

use minijinja::value::{Serde, Value};
use minijinja::{AutoEscape, Environment, Error, Output, State, UndefinedBehavior};
use serde::Serialize;

/// All templates, by file name.
const SOURCES: [(&str, &str); 3] = [
    ("index.html", include_str!("../../templates/index.html")),
    ("navigation.html", include_str!("../../templates/navigation.html")),
    ("result.html", include_str!("../../templates/result.html")),
];

static TEMPLATES: LazyLock<Result<Environment<'static>, Error>> = LazyLock::new(|| {
    let mut templates = Environment::new();
    templates.set_undefined_behavior(UndefinedBehavior::Strict);
    templates.set_formatter(write_value);
    for (name, source) in SOURCES {
        templates.add_template(name, source)?;
    }
    Ok(templates)
});

/// Renders a page from the template of a file name; a name that the page lacks is an error.
pub(super) fn render(name: &str, page: impl Serialize) -> Result<String, Error> {
    let templates =
        TEMPLATES.as_ref().map_err(|error| Error::new(error.kind(), error.to_string()))?;
    templates.get_template(name)?.render(Serde(page))
}

/// Writes a value, as HTML unless the template calls it safe.
fn write_value(
    out: &mut Output<'_>,
    state: &mut State<'_, '_>,
    value: &Value,
) -> Result<(), Error> {
    match value.as_str() {
        Some(text) if *state.auto_escape() == AutoEscape::Html && !value.is_safe() => {
            Ok(out.write_str(&escape(text))?)
        }
        _ => minijinja::escape_formatter(out, state, value),
    }
}

/// Returns a text as HTML, for elements and quoted attributes.
pub(super) fn escape(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            _ => html.push(c),
        }
    }
    html
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_are_escaped_and_missing_names_are_errors() {
        let link = |name| json!({ "page": 3, "name": name, "status": "fail" });
        let links = json!({
            "generations": [link("<a&\"b\">")], "previous": null, "next": link("a/b"),
        });
        let html = render("navigation.html", links).unwrap();
        assert!(html.contains("href=\"3.html\">&lt;a&amp;&quot;b&quot;&gt;: fail</a>"), "{html}");
        assert!(html.contains(">a/b →</a>") && !html.contains("rel=\"prev\""), "{html}");
        let error = render("navigation.html", json!({ "generations": [] }));
        assert!(error.unwrap_err().to_string().contains("undefined value"));
    }
}
