//! Reports: a run as a folder of HTML with a table of all results, filters, a page per interesting
//! result (with a bundle, a failure or a change), and plots over time. The folder is
//! self-contained: it needs no server and no network.
//!
//! `index.html` loads lines in chunks (`data/*.js`: scripts, since pages opened from a disk may not
//! read files) and draws only the visible ones; `pages/<n>.html` are self-contained.

mod data;
mod entry;
mod index;
mod navigation;
mod page;
mod plot;
mod templates;

pub use entry::{ReportError, Sources};
pub use plot::{Plot, Value, plot};

use std::fs;
use std::io;
use std::path::Path;

use crate::diff::{CodeSelection, Diff, Pair, pairs, run_pairs};
use crate::threads::joined;
use entry::{Entry, put};
use navigation::Navigation;

/// Maximum total size of the pages; further results appear in the table only.
const PAGE_BYTES: usize = 100 << 20;
/// Marker of a folder that holds a report and may be replaced.
const MARK: &str = "runner-report";
/// Number of pages rendered at a time, on all cores.
const BATCH: usize = 256;

/// Counts of what a report holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// Number of results in the table.
    pub results: usize,
    /// Number of pages.
    pub pages: usize,
    /// Number of results whose pages were omitted for size.
    pub left_out: usize,
}

/// Writes the report of a run into a folder.
///
/// # Errors
/// Fails if a file cannot be written or the folder holds other files.
pub fn write(out: &Path, sources: &Sources<'_>) -> Result<Written, ReportError> {
    prepare(out)?;
    let pairs = match sources.previous {
        Some((_, old)) => run_pairs(old, sources.run),
        None => pairs(&[], &sources.run.results),
    };
    let diff = sources
        .previous
        .map(|(_, old)| Diff::of_runs(&pairs, old, sources.run, &CodeSelection::default()));
    let entry = |pair: &Pair<'_, '_>| sources.previous.map(|_| pair.change());
    let mut entries: Vec<Entry<'_>> =
        pairs.iter().map(|&pair| Entry { pair, change: entry(&pair), page: None }).collect();
    let (pages, left_out) = write_pages(out, sources, &mut entries)?;
    let chunks = data::write(out, &entries)?;
    index::write(out, sources, &entries, diff.as_ref(), chunks, left_out)?;
    let start = "\"use strict\";\nstart();\n";
    for (name, text) in [
        ("report.css", include_str!("../../templates/report.css")),
        ("report.js", include_str!("../../templates/report.js")),
        ("start.js", start),
    ] {
        put(&out.join(name), text.as_bytes())?;
    }
    Ok(Written { results: entries.len(), pages, left_out })
}

/// Creates the folder, or removes an earlier report.
fn prepare(out: &Path) -> Result<(), ReportError> {
    let failed = |source| ReportError::Write { path: out.display().to_string(), source };
    fs::create_dir_all(out).map_err(failed)?;
    let empty = fs::read_dir(out).map_err(failed)?.next().is_none();
    if !empty && !out.join(MARK).is_file() {
        return Err(ReportError::Occupied(out.display().to_string()));
    }
    put(&out.join(MARK), b"")?;
    for name in ["data", "pages"] {
        match fs::remove_dir_all(out.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
            _ => fs::create_dir(out.join(name)).map_err(failed)?,
        }
    }
    Ok(())
}

/// Writes the pages, the most interesting first, and numbers their entries; returns the numbers of
/// written and omitted pages.
fn write_pages(
    out: &Path,
    sources: &Sources<'_>,
    entries: &mut [Entry<'_>],
) -> Result<(usize, usize), ReportError> {
    let mut order: Vec<(u8, usize)> = entries
        .iter()
        .enumerate()
        .filter_map(|(index, entry)| Some((entry.rank()?, index)))
        .collect();
    order.sort_unstable();
    let order: Vec<usize> = order.into_iter().map(|(_, index)| index).collect();
    let navigation = Navigation::new(entries, &order);
    let pages = PageWriter { sources, entries, navigation };
    let written = pages.write(&out.join("pages"), &order)?;
    for (place, index) in order.iter().take(written).enumerate() {
        entries[*index].page = Some(place + 1);
    }
    Ok((written, order.len() - written))
}

/// Writer of the pages.
struct PageWriter<'e, 'a> {
    sources: &'e Sources<'a>,
    entries: &'e [Entry<'a>],
    navigation: Navigation<'e, 'a>,
}

impl PageWriter<'_, '_> {
    /// Writes the pages of some entries, numbered from 1, until they become too large; returns
    /// their number.
    fn write(&self, folder: &Path, order: &[usize]) -> Result<usize, ReportError> {
        let (mut bytes, mut written) = (0, 0);
        for batch in order.chunks(BATCH) {
            if bytes > PAGE_BYTES {
                break;
            }
            let numbers: Vec<(usize, usize)> = (written + 1..).zip(batch.iter().copied()).collect();
            for (number, page) in self.render(&numbers, order.len())? {
                let html = page.html.as_bytes();
                let images = page.images.iter().map(|(_, png)| on_disk(png)).sum::<usize>();
                bytes += on_disk(html) + images;
                put(&folder.join(format!("{number}.html")), html)?;
                for (name, png) in &page.images {
                    put(&folder.join(name), png)?;
                }
            }
            written += batch.len();
        }
        if written < order.len() {
            self.remove_links(folder, order, written)?;
        }
        Ok(written)
    }

    /// Removes the links to pages that were not written.
    fn remove_links(
        &self,
        folder: &Path,
        order: &[usize],
        written: usize,
    ) -> Result<(), ReportError> {
        for (place, &index) in order.iter().take(written).enumerate() {
            let old = self.navigation.render(index, order.len())?;
            let new = self.navigation.render(index, written)?;
            if old != new {
                let path = folder.join(format!("{}.html", place + 1));
                let failed =
                    |source| ReportError::Write { path: path.display().to_string(), source };
                let page = fs::read_to_string(&path).map_err(failed)?;
                put(&path, page.replacen(&old, &new, 1).as_bytes())?;
            }
        }
        Ok(())
    }

    /// Renders pages, given by number and entry, on all cores; links lead to `count` pages.
    fn render(
        &self,
        numbers: &[(usize, usize)],
        count: usize,
    ) -> Result<Vec<(usize, page::Page)>, ReportError> {
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let size = numbers.len().div_ceil(threads).max(1);
        let one = |&(number, index): &(usize, usize)| {
            let navigation = self.navigation.render(index, count)?;
            let entry = &self.entries[index];
            Ok((number, page::render(self.sources, entry, number, navigation)?))
        };
        let make = |part: &[(usize, usize)]| -> Result<Vec<(usize, page::Page)>, ReportError> {
            part.iter().map(one).collect()
        };
        let parts: Vec<Result<Vec<_>, ReportError>> = std::thread::scope(|scope| {
            let handles: Vec<_> =
                numbers.chunks(size).map(|part| scope.spawn(move || make(part))).collect();
            handles.into_iter().map(joined).collect()
        });
        let mut pages = Vec::with_capacity(numbers.len());
        for part in parts {
            pages.append(&mut part?);
        }
        Ok(pages)
    }
}

/// Returns the size of a file on disk, in whole blocks.
fn on_disk(bytes: &[u8]) -> usize {
    bytes.len().next_multiple_of(4096)
}
