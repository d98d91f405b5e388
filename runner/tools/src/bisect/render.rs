//! Renderers of a bisection.

use std::fmt::Write;

use super::{Bisection, CodeChange, Ending, PassChange, Tried};
use results::names::printable_line;
use results::passes::Application;

/// Renders bisections for a terminal.
pub fn terminal(found: &Bisection) -> String {
    let mut text = format!("{} [{}]\n", printable_line(&found.test), found.generation);
    // Writing to a string cannot fail.
    let _ = writeln!(text, "  {}", tried(&found.all, found.passes));
    let _ = writeln!(text, "  {}", tried(&found.few, None));
    let _ = writeln!(text, "  {}", found.conclusion.meaning(found.all.ending));
    for change in &found.changes {
        text.push('\n');
        pass_change(&mut text, change);
    }
    if found.is_found() && !found.every {
        text += "  (found by halving: there may be other changes; --every tries all limits)\n";
    }
    if !found.switches.is_empty() {
        text += "\n  without one pass, or one quirk's handling:\n";
        let widest = found.switches.iter().map(|switch| switch.option.len()).max().unwrap_or(0);
        for switch in &found.switches {
            let _ = writeln!(text, "    {:<widest$}  {}", switch.option, switch.ending);
        }
    }
    elsewhere(&mut text, found);
    let _ = writeln!(text, "  {} runs", found.runs);
    text
}

/// Renders bisections as JSON.
///
/// # Errors
/// Never fails in practice.
pub fn json(found: &[Bisection]) -> serde_json::Result<String> {
    Ok(serde_json::to_string_pretty(found)? + "\n")
}

fn tried(tried: &Tried, passes: Option<u32>) -> String {
    let what = match (tried.limit, passes) {
        (Some(limit), _) => format!("--pass-limit {limit}"),
        (None, Some(passes)) => format!("all {passes} passes"),
        (None, None) => "all passes".to_owned(),
    };
    let reason = tried.reason.as_ref().and_then(|reason| reason.lines().next());
    let reason = reason.map(|line| format!(": {}", printable_line(line))).unwrap_or_default();
    format!("{what:<17} {}{reason}", tried.ending)
}

/// Writes the endings with other executors and on other generations, equal ones on one line.
fn elsewhere(text: &mut String, found: &Bisection) {
    if found.elsewhere.is_empty() {
        return;
    }
    text.push_str("\n  elsewhere:\n");
    let mut endings: Vec<Ending> = Vec::new();
    for tried in &found.elsewhere {
        if !endings.contains(&tried.ending) {
            endings.push(tried.ending);
        }
    }
    for ending in endings {
        let alike = found.elsewhere.iter().filter(|tried| tried.ending == ending);
        let changes: Vec<String> = alike.map(|tried| tried.change.to_string()).collect();
        let _ = writeln!(text, "    {ending}: {}", changes.join(", "));
    }
    for place in &found.places {
        let _ = writeln!(text, "  {place}");
    }
}

fn pass_change(text: &mut String, change: &PassChange) {
    let _ = writeln!(text, "  {}", tried(&change.before, None));
    let _ = writeln!(text, "  {}", tried(&change.after, None));
    match change.suspects.as_slice() {
        [] => {
            text.push_str("  which pass that is cannot be told: no compilation came to its end\n")
        }
        [one] => {
            let _ = writeln!(text, "  {}", application(one));
        }
        several => {
            text.push_str("  one of these, as the stage is compiled for several states:\n");
            for suspect in several {
                let _ = writeln!(text, "    {}", application(suspect));
            }
        }
    }
    for change in &change.code {
        let _ = writeln!(text, "    {}", code(change));
    }
    if change.code.is_empty() {
        text.push_str("    no code to compare, or the same before and after\n");
    }
    let widest = change.commands.iter().map(|command| command.shows.len()).max().unwrap_or(0);
    for command in &change.commands {
        let _ = writeln!(text, "  {:<widest$}  {}", command.shows, command.command);
    }
}

/// Returns `run 38 is opt_cse on the fragment shader's IR`.
fn application(run: &Application) -> String {
    let Application { scope, number, pass } = run;
    match scope.width {
        None => format!("run {number} is {pass} on the {} shader's IR", scope.stage),
        Some(width) => {
            format!("run {number} is {pass} on the {} shader's {} code", scope.stage, width.name())
        }
    }
}

fn code(change: &CodeChange) -> String {
    let CodeChange { stage, width, before, after } = change;
    match (before, after) {
        (Some(before), Some(after)) => {
            format!("{stage} {width}: {before} instructions before, {after} after")
        }
        (None, Some(after)) => {
            format!("{stage} {width}: no code before, {after} instructions after")
        }
        (Some(before), None) => {
            format!("{stage} {width}: {before} instructions before, no code after")
        }
        (None, None) => format!("{stage} {width}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Change, Command, Conclusion, Elsewhere, Switch};
    use super::*;
    use results::passes::Scope;
    use results::verdict::{Phase, Status};
    use vocabulary::{Stage, Target, Width};

    #[test]
    fn texts() {
        let pass = Ending { status: Status::Pass, phase: None };
        let fail = Ending { status: Status::Fail, phase: Some(Phase::Mismatch) };
        let good = |limit| Tried { limit: Some(limit), ending: pass, reason: None };
        let bad = |limit| Tried { limit, ending: fail, reason: Some("line 9: no\n  more".into()) };
        let found = Bisection {
            test: "a/b".into(),
            generation: "ivb".into(),
            all: bad(None),
            few: good(0),
            passes: Some(60),
            conclusion: Conclusion::Broken,
            changes: vec![PassChange {
                before: good(37),
                after: bad(Some(38)),
                suspects: vec![Application {
                    scope: Scope::parse("fragment/SIMD8").unwrap(),
                    number: 38,
                    pass: "opt_x".into(),
                }],
                code: vec![CodeChange {
                    stage: Stage::Fragment,
                    width: Width::Simd8,
                    before: Some(9),
                    after: Some(8),
                }],
                commands: vec![Command { shows: "before", command: "runner show x".into() }],
            }],
            every: false,
            switches: vec![Switch { option: "--disable-pass opt_x".into(), ending: pass }],
            elsewhere: vec![
                Elsewhere { change: Change::Interpreted(Stage::Fragment), ending: pass },
                Elsewhere { change: Change::Width(Width::Simd8), ending: fail },
                Elsewhere { change: Change::Generation(Target::SI), ending: pass },
            ],
            places: vec!["the code is wrong".into()],
            runs: 17,
        };
        let expected = "\
a/b [ivb]
  all 60 passes     fail, mismatch: line 9: no
  --pass-limit 0    pass
  a pass breaks it, or makes a fault elsewhere show

  --pass-limit 37   pass
  --pass-limit 38   fail, mismatch: line 9: no
  run 38 is opt_x on the fragment shader's SIMD8 code
    fragment SIMD8: 9 instructions before, 8 after
  before  runner show x
  (found by halving: there may be other changes; --every tries all limits)

  without one pass, or one quirk's handling:
    --disable-pass opt_x  pass

  elsewhere:
    pass: fragment shader interpreted, --gen si
    fail, mismatch: --width SIMD8
  the code is wrong
  17 runs
";
        assert_eq!(terminal(&found), expected);
        let value: serde_json::Value = serde_json::from_str(&json(&[found]).unwrap()).unwrap();
        assert_eq!(value[0]["gen"], "ivb");
        assert_eq!(value[0]["conclusion"], "broken");
        assert_eq!(value[0]["all"]["layer"], "mismatch");
        assert_eq!(value[0]["changes"][0]["suspects"][0]["scope"], "fragment/SIMD8");
        assert_eq!(value[0]["changes"][0]["after"]["limit"], 38);
        assert_eq!(value[0]["switches"][0]["status"], "pass");
    }
}
