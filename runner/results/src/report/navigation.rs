//! Links between pages: the generations of one test, the previous and the next failing test.

use serde::Serialize;

use super::entry::{Entry, ReportError, status_name};
use super::templates::render;
use crate::names::printable;
use crate::verdict::Status;

/// The entries of a report with the numbers that their pages would have.
pub(super) struct Navigation<'e, 'a> {
    entries: &'e [Entry<'a>],
    /// Number of each entry's page, from 1; 0 means none.
    pages: Vec<usize>,
    /// Failures with pages, by index.
    failures: Vec<usize>,
}

#[derive(Serialize)]
struct Links {
    generations: Vec<Link>,
    previous: Option<Link>,
    next: Option<Link>,
}

#[derive(Serialize)]
struct Link {
    /// Number of the page; `None` if there is no page to go to.
    page: Option<usize>,
    name: String,
    status: &'static str,
}

impl<'e, 'a> Navigation<'e, 'a> {
    /// Returns the navigation of a report, whose entries are sorted by test; `order` lists the
    /// entries of the pages.
    pub(super) fn new(entries: &'e [Entry<'a>], order: &[usize]) -> Navigation<'e, 'a> {
        let mut pages = vec![0; entries.len()];
        for (place, &index) in order.iter().enumerate() {
            pages[index] = place + 1;
        }
        let is_failure = |&index: &usize| pages[index] > 0 && is_failure(&entries[index]);
        let failures = (0..entries.len()).filter(is_failure).collect();
        Navigation { entries, pages, failures }
    }

    /// Returns the links of an entry's page in a report with `written` pages.
    pub(super) fn render(&self, index: usize, written: usize) -> Result<String, ReportError> {
        let links = Links {
            generations: self.generations(index, written),
            previous: self.failing_test(index, written, false),
            next: self.failing_test(index, written, true),
        };
        Ok(render("navigation.html", links)?)
    }

    fn page(&self, index: usize, written: usize) -> Option<usize> {
        Some(self.pages[index]).filter(|page| (1..=written).contains(page))
    }

    /// Links all results of the entry's test; that of the page itself has no link.
    fn generations(&self, index: usize, written: usize) -> Vec<Link> {
        let test = self.entries[index].test();
        let first = self.entries.partition_point(|entry| entry.test() < test);
        let of_test = self.entries[first..].iter().take_while(|entry| entry.test() == test);
        let link = |(offset, entry): (usize, &Entry<'_>)| Link {
            page: self.page(first + offset, written).filter(|_| first + offset != index),
            name: printable(&entry.label()),
            status: status_name(entry.status()),
        };
        of_test.enumerate().map(link).collect()
    }

    /// Links the nearest failure of another test, on the same generation if it fails there.
    fn failing_test(&self, index: usize, written: usize, forward: bool) -> Option<Link> {
        let (test, label) = (self.entries[index].test(), self.entries[index].label());
        let here = self.failures.partition_point(|&failure| failure < index);
        let (before, after) = self.failures.split_at(here);
        let ordered: Box<dyn Iterator<Item = &usize>> =
            if forward { Box::new(after.iter()) } else { Box::new(before.iter().rev()) };
        let is_other = |failure: &usize| {
            self.entries[*failure].test() != test && self.page(*failure, written).is_some()
        };
        let mut others = ordered.copied().filter(is_other).peekable();
        let nearest = *others.peek()?;
        let test = self.entries[nearest].test();
        let found = others
            .take_while(|&failure| self.entries[failure].test() == test)
            .find(|&failure| self.entries[failure].label() == label)
            .unwrap_or(nearest);
        let entry = &self.entries[found];
        Some(Link {
            page: self.page(found, written),
            name: printable(&format!("{} [{}]", test, entry.label())),
            status: status_name(entry.status()),
        })
    }
}

/// Returns true if a result is not as expected, or neither passes nor is skipped.
fn is_failure(entry: &Entry<'_>) -> bool {
    let unexpected = entry.pair.new.is_none_or(|result| !result.is_good());
    unexpected || !matches!(entry.status(), Some(Status::Pass | Status::Skip))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ResultRef;
    use crate::diff::pairs;
    use crate::verdict::TestResult;

    /// Tests `a` and `c` fail on both generations, `b` on `skl` alone, `d` on `ivb` alone.
    fn results() -> Vec<TestResult> {
        let fails = ["a ivb", "a skl", "b skl", "c ivb", "c skl", "d ivb"];
        let places = ["a", "b", "c", "d"].into_iter().flat_map(|t| [(t, "ivb"), (t, "skl")]);
        let result = |(test, generation): (&str, &str)| {
            let fails = fails.contains(&&*format!("{test} {generation}"));
            TestResult::plain(test, generation, if fails { Status::Fail } else { Status::Pass })
        };
        places.map(result).collect()
    }

    #[test]
    fn links_lead_to_written_pages_only() {
        let results = results();
        let results: Vec<ResultRef<'_>> = results.iter().map(ResultRef::from).collect();
        let pairs = pairs(&[], &results);
        let entry = |&pair| Entry { pair, change: None, page: None };
        let entries: Vec<Entry<'_>> = pairs.iter().map(entry).collect();
        // Pages 1 to 6: a ivb, a skl, b skl, c ivb, c skl, d ivb.
        let order = [0, 1, 3, 4, 5, 6];
        let navigation = Navigation::new(&entries, &order);
        let linked = |index, written| {
            let html = navigation.render(index, written).unwrap();
            let links = html.split("href=\"").skip(1);
            let page = |link: &str| link.split('.').next().unwrap_or_default().to_owned();
            links.map(page).collect::<Vec<_>>().join(" ")
        };
        // Other generation, previous, next: on the same generation where the test fails there.
        assert_eq!(linked(1, 6), "1 3");
        assert_eq!(linked(3, 6), "2 5");
        assert_eq!(linked(4, 6), "5 3 6");
        assert_eq!(linked(5, 6), "4 3 6");
        assert_eq!(linked(6, 6), "4");
        // With four pages, the one of `c skl` does not exist.
        assert_eq!(linked(3, 4), "2 4");
        assert_eq!(linked(4, 4), "3");
        let html = navigation.render(3, 6).unwrap();
        assert!(html.contains("<span class=\"pass\">ivb: pass</span>"), "{html}");
        assert!(html.contains("rel=\"next\" href=\"5.html\">c [skl] →"), "{html}");
    }
}
