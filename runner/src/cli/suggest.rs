//! Checks of names, with suggestions for misspelled ones.

use vocabulary::nearest;

/// Checks names against a list of known ones.
///
/// # Errors
/// Reports the first unknown name with the most similar known one.
pub(super) fn known(what: &str, names: &[String], all: &[&str]) -> anyhow::Result<()> {
    let Some(unknown) = names.iter().find(|name| !all.contains(&name.as_str())) else {
        return Ok(());
    };
    match nearest(unknown, all.iter().copied()) {
        Some(nearest) => anyhow::bail!("unknown {what} `{unknown}`: did you mean `{nearest}`?"),
        None => anyhow::bail!("unknown {what} `{unknown}` (known: {})", all.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_meant() {
        let all = ["opt_dce", "opt_algebraic"];
        let check =
            |name: &str| known("pass", &[name.to_owned()], &all).map_err(|error| error.to_string());
        assert_eq!(check("opt_dce"), Ok(()));
        assert_eq!(check("opt_dec"), Err("unknown pass `opt_dec`: did you mean `opt_dce`?".into()));
        assert_eq!(
            check("nonsense"),
            Err("unknown pass `nonsense` (known: opt_dce, opt_algebraic)".into())
        );
    }
}
