//! Completion of commands, options and values, as the scripts of shells ask for it.

use std::process::Command;

use crate::support::{Sandbox, ran};

/// Candidates for the last of the words after the program's name.
fn candidates(sandbox: &Sandbox, words: &[&str]) -> Vec<String> {
    let mut command = sandbox.command(&[&["--", "runner"], words].concat());
    command.env("RUNNER_COMPLETE", "bash").env("_CLAP_IFS", "\n");
    command.env("_CLAP_COMPLETE_INDEX", words.len().to_string());
    let ran = ran(&command.output().expect("the runner starts"));
    assert_eq!((ran.code, &*ran.err), (0, ""), "{ran:#?}");
    ran.out.lines().map(str::to_owned).collect()
}

#[test]
fn values_of_options() {
    let sandbox = Sandbox::new();
    for (words, expected) in [
        (
            &["tests", "--gen", ""][..],
            &["ivb", "hsw", "bdw", "chv", "skl", "si", "vi", "intel", "amd", "all", "gl", "vk"][..],
        ),
        (
            &["tests", "--gen", "ivb,"],
            &["ivb,hsw", "ivb,bdw", "ivb,chv", "ivb,skl", "ivb,si", "ivb,vi"],
        ),
        (&["tests", "--gen", "IVB,S"], &["IVB,skl", "IVB,si"]),
        (&["show", "t", "--gen", "h"], &["hsw"]),
        (&["gens", "b"], &["bdw"]),
        (
            &["show", "t", "--gen", "ivb", "--stage", "tess"],
            &["tessellation-control", "tessellation-evaluation"],
        ),
        (&["fuzz", "--stage", "f"], &["fragment"]),
        (&["tests", "--pass-limit", "ver"], &["vertex="]),
        (&["tests", "--disable-pass", "opt_loop_u"], &["opt_loop_unroll"]),
        (&["tests", "--width", "SIMD1"], &["SIMD16"]),
        (&["tests", "--backend", "s"], &["scalar"]),
        (&["tests", "--order", "l"], &["last-failed"]),
        (&["show", "t", "--gen", "ivb", "p"], &["program", "passes", "payload"]),
        (&["hist"], &["history"]),
        (&["expect", "u"], &["update"]),
        (&["tests", "--memory"], &["--memory-limit"]),
    ] {
        assert_eq!(candidates(&sandbox, words), expected, "{words:?}");
    }
    let quirks = candidates(&sandbox, &["bisect", "t", "--disable-quirk", "ivb-"]);
    assert!(!quirks.is_empty() && quirks.iter().all(|name| name.starts_with("ivb-")), "{quirks:?}");
}

#[test]
fn runs_and_paths() {
    let sandbox = Sandbox::new();
    sandbox.mocks(&[("a", "pass")]);
    sandbox.run(&["suite", "--mock", "--reference-only"]).expect(0, &[]);
    sandbox.mock_run(&[]).expect(0, &[]);
    for command in ["diff", "resume", "report", "merge"] {
        let runs = candidates(&sandbox, &[command, "results/"]);
        assert!(runs.contains(&"results/latest".to_owned()), "{command}: {runs:?}");
        assert!(candidates(&sandbox, &[command, "o"]).contains(&"out/".to_owned()), "{command}");
    }
    assert!(candidates(&sandbox, &["su"]).contains(&"suite/".to_owned()));
    assert_eq!(candidates(&sandbox, &["suite/"]), ["suite/a.shader_test"]);
}

/// The printed script works in the shell that most have.
#[test]
fn the_script_of_bash() {
    let sandbox = Sandbox::new();
    let folder = std::path::Path::new(env!("CARGO_BIN_EXE_runner")).parent().expect("a folder");
    let script = "source <(runner completions bash)
        COMP_WORDS=(runner tests --gen iv) COMP_CWORD=3
        _clap_complete_runner runner iv
        echo \"${COMPREPLY[@]}\"";
    let mut command = Command::new("bash");
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").expect("PATH"));
    command.args(["-c", script]).current_dir(sandbox.root()).env("PATH", path);
    match command.output() {
        Ok(output) => assert_eq!(ran(&output).out, "ivb\n", "{:#?}", ran(&output)),
        Err(_) => eprintln!("bash is not installed: its script was not executed"),
    }
}

#[test]
fn shells() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        sandbox.run(&["completions", shell]).expect(0, &["RUNNER_COMPLETE"]);
    }
    let mut command = sandbox.command(&[]);
    let output = command.env("RUNNER_COMPLETE", "none").output().expect("the runner starts");
    ran(&output).expect(2, &["none"]);
}
