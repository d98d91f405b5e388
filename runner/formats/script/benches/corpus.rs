//! Parses every `.shader_test` file of an installed piglit on one core and prints the throughput.
//!
//! `cargo bench -p script --bench corpus`; `PIGLIT_DIR` names another directory than the usual
//! places. Files are read into memory in batches before the clock starts, so that the number is the
//! parser's. Without piglit, it prints a message and ends.

#[path = "../tests/it/corpus.rs"]
mod corpus;

use std::time::{Duration, Instant};

/// Bytes that are read before they are parsed.
const BATCH: usize = 64 << 20;

fn main() {
    let Some(root) = corpus::root() else {
        println!("corpus benchmark did not run: piglit is not installed (set PIGLIT_DIR)");
        return;
    };
    let files = corpus::files(&root);
    let mut total = Totals::default();
    let mut batch = Vec::new();
    let mut size = 0;
    for file in &files {
        let Ok(bytes) = std::fs::read(file) else { continue };
        size += bytes.len();
        batch.push(bytes);
        if size >= BATCH {
            total.parse(&batch);
            batch.clear();
            size = 0;
        }
    }
    total.parse(&batch);
    let megabytes = total.bytes as f64 / 1e6;
    let seconds = total.time.as_secs_f64();
    println!(
        "{} files, {megabytes:.0} MB, {} errors, {} command lines: {seconds:.2} s, {:.0} MB/s on one core",
        total.files,
        total.errors,
        total.lines,
        megabytes / seconds
    );
}

#[derive(Default)]
struct Totals {
    files: usize,
    bytes: usize,
    errors: usize,
    lines: usize,
    time: Duration,
}

impl Totals {
    fn parse(&mut self, batch: &[Vec<u8>]) {
        let start = Instant::now();
        for bytes in batch {
            match script::parse(bytes) {
                Ok(script) => self.lines += script.test.map_or(0, |lines| lines.len()),
                Err(error) => {
                    self.errors += 1;
                    eprintln!("{error}: {}", error.text);
                }
            }
        }
        self.time += start.elapsed();
        self.files += batch.len();
        self.bytes += batch.iter().map(Vec::len).sum::<usize>();
    }
}
