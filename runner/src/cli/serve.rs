//! `runner serve`: a page that shows what a test becomes.

use std::fs;
use std::io::Write;
use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, bail};
use clap::Args;
use serde_json::json;
use tokio::sync::mpsc::unbounded_channel;

use super::args::ExecuteArgs;
use super::exit::EXPECTED;
use super::look_options::initial_words;
use super::output::print;
use super::values::{Generations, generations, process_arguments};
use super::workers::{self, Split};
use crate::console::message::message;
use crate::schedule;
use crate::select::{find_tests, located};
use crate::serve::{self, Catalog, Guard, Offer, Runs};
use crate::temporary_folder::TemporaryFolder;
use execute::Mode;
use vocabulary::{Stage, Target, Width};

#[derive(Debug, Args)]
pub(super) struct ServeArgs {
    /// Directories and tests to list (default: the working directory).
    #[arg(value_name = "PATH", default_value = ".", hide_default_value = true)]
    paths: Vec<PathBuf>,
    /// Generations that the page shows at first: a comma list of names and groups.
    #[arg(long = "gen", value_name = "LIST", default_value = "skl", value_parser = generations)]
    pub(super) generations: Generations,
    /// Port on 127.0.0.1 (default: a free one).
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// Folder of the runs that the page offers.
    #[arg(long, value_name = "DIR", default_value = "results")]
    runs: PathBuf,
    /// Open the page in the browser.
    #[arg(long)]
    open: bool,
    #[command(flatten)]
    pub(super) execute: ExecuteArgs,
}

/// Serves the page until it is interrupted.
pub(super) fn serve(args: &ServeArgs) -> anyhow::Result<u8> {
    refuse_drivers(args)?;
    let paths = located(&args.paths)?;
    let tests = find_tests(&paths, args.execute.file_kinds())?;
    let settings =
        workers::settings(&args.execute, Split::Processes, serve::WORKERS, &process_arguments())?;
    supervise::want_large_pages(false);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, args.port))
        .with_context(|| format!("port {} of 127.0.0.1", args.port))?;
    let guard = Guard::new(listener.local_addr()?.port())?;
    let address = guard.address();
    print(format!("{} tests: {address}\n", tests.len()).as_bytes())?;
    let _opened = if args.open { Some(open(&address)?) } else { None };
    let offer = Offer {
        catalog: Catalog::new(tests),
        runs: Runs::new(args.runs.clone()),
        mode: if args.execute.compile_only { Mode::Compile } else { Mode::Execute },
        settings,
        start: start(args)?,
    };
    schedule::runtime()?.block_on(async {
        let (sender, mut interrupts) = unbounded_channel();
        tokio::spawn(schedule::listen(sender));
        tokio::select! {
            ended = serve::serve(listener, guard, offer) => ended,
            _ = interrupts.recv() => Ok(()),
        }
    })?;
    Ok(EXPECTED)
}

/// Refuses what would execute tests on drivers, which the page has a form for.
fn refuse_drivers(args: &ServeArgs) -> anyhow::Result<()> {
    if args.execute.device.driver.driver.is_some() {
        bail!("--driver: the form *Driver* of a column shows Mesa's driver without this option");
    }
    if let Some(target) = args.generations.0.iter().find(|target| target.has_system_driver()) {
        bail!("--gen {target}: the page shows generations and the reference, no system's driver");
    }
    Ok(())
}

/// Returns what the page has to know at its start.
fn start(args: &ServeArgs) -> anyhow::Result<String> {
    let simulated = |target: &&Target| !target.has_system_driver();
    let names = |targets: &[Target]| -> Vec<&str> { targets.iter().map(|t| t.name()).collect() };
    let all: Vec<Target> = Target::ALL.iter().filter(simulated).copied().collect();
    let quirks: Vec<&str> = compiler::Quirk::ALL.iter().map(|quirk| quirk.name()).collect();
    let start = json!({
        "version": env!("RUNNER_VERSION"),
        "targets": names(&all),
        "shown": names(&args.generations.0),
        "options": initial_words(&args.execute)?,
        "stages": Stage::ALL.map(Stage::name),
        "widths": Width::ALL.map(Width::name),
        "passes": compiler::passes::optional(),
        "quirks": quirks,
        "limit": args.execute.timeout,
        "runs": args.runs.display().to_string(),
    });
    Ok(start.to_string())
}

/// Opens the page in the browser, through a file: all users of the machine can read command lines.
fn open(address: &str) -> anyhow::Result<TemporaryFolder> {
    let folder = TemporaryFolder::create("serve")?;
    let path = folder.path().join("open.html");
    let html = format!("<meta http-equiv=\"refresh\" content=\"0; url={address}\">\n");
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(&path).and_then(|mut file| file.write_all(html.as_bytes()));
    written.with_context(|| path.display().to_string())?;
    let opened = Command::new("xdg-open")
        .arg(&path)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    if let Err(error) = opened {
        message!("note: no browser: xdg-open: {error}");
    }
    Ok(folder)
}
