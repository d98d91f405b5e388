//! Trend plots in SVG.

use std::fmt::Write;

use serde::Serialize;

use super::templates::escape;

/// Width of a plot in pixels.
const WIDTH: f64 = 320.0;
/// Height of a plot in pixels.
const HEIGHT: f64 = 90.0;
/// Space around the curve; the labels are left of it.
const MARGIN: f64 = 8.0;
/// Space for labels.
const LABELS: f64 = 52.0;

/// A plot with its heading.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Plot {
    /// Title of the plot.
    pub title: String,
    /// The `svg` element.
    pub svg: String,
}

/// One value.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// The value.
    pub value: f64,
    /// Text of the tooltip.
    pub label: String,
    /// CSS class of the dot: a status, or empty.
    pub class: &'static str,
}

/// Plots a curve through values, oldest first; `None` for fewer than two. `show` formats a number.
pub fn plot(title: &str, values: &[Value], show: fn(f64) -> String) -> Option<Plot> {
    if values.len() < 2 {
        return None;
    }
    let numbers = || values.iter().map(|v| v.value);
    let (least, most) =
        (numbers().fold(f64::INFINITY, f64::min), numbers().fold(f64::NEG_INFINITY, f64::max));
    let step = (WIDTH - LABELS - 2.0 * MARGIN) / (values.len() - 1) as f64;
    let place = |index: usize, value: f64| {
        // A flat curve runs through the middle.
        let share = if most > least { (value - least) / (most - least) } else { 0.5 };
        (LABELS + MARGIN + step * index as f64, HEIGHT - MARGIN - share * (HEIGHT - 2.0 * MARGIN))
    };
    let mut svg = format!(
        "<svg class=\"plot\" width=\"{WIDTH}\" height=\"{HEIGHT}\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\">"
    );
    let labels = if most > least { vec![least, most] } else { vec![most] };
    for value in labels {
        let (_, y) = place(0, value);
        let (text, end) = (escape(&show(value)), WIDTH - MARGIN);
        // Writing to a string cannot fail.
        let _ = write!(
            svg,
            "<line x1=\"{LABELS}\" x2=\"{end}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{text}</text>",
            LABELS - 4.0,
            y + 3.5
        );
    }
    let points: Vec<String> = values
        .iter()
        .enumerate()
        .map(|(index, v)| place(index, v.value))
        .map(|(x, y)| format!("{x:.1},{y:.1}"))
        .collect();
    let _ = write!(svg, "<polyline points=\"{}\"/>", points.join(" "));
    for (index, value) in values.iter().enumerate() {
        let (x, y) = place(index, value.value);
        let _ = write!(
            svg,
            "<circle class=\"{}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.5\"><title>{}: {}</title></circle>",
            value.class,
            escape(&value.label),
            escape(&show(value.value))
        );
    }
    svg.push_str("</svg>");
    Some(Plot { title: title.to_owned(), svg })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves() {
        let value = |value: f64| Value { value, label: "a<b>".to_owned(), class: "fail" };
        let show = |v: f64| format!("{v}");
        assert_eq!(plot("t", &[value(1.0)], show), None);
        let svg = plot("t", &[value(1.0), value(3.0), value(2.0)], show).unwrap().svg;
        assert!(svg.contains("points=\"60.0,82.0 186.0,8.0 312.0,45.0\""), "{svg}");
        assert!(
            svg.contains("<title>a&lt;b&gt;: 3</title>") && svg.matches("<circle").count() == 3,
            "{svg}"
        );
        let flat = plot("t", &[value(5.0), value(5.0)], show).unwrap().svg;
        assert!(flat.contains("points=\"60.0,45.0 312.0,45.0\""), "{flat}");
    }
}
