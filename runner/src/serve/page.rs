//! The files of the page.

/// A file of the page.
#[derive(Clone, Copy, Debug)]
pub(super) struct PageFile {
    path: &'static str,
    /// Its media type.
    pub(super) kind: &'static str,
    /// Its text.
    pub(super) text: &'static str,
}

const HTML: &str = "text/html; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

macro_rules! files {
    ($($path:literal $name:literal $kind:ident,)*) => {
        /// Every file.
        const FILES: &[PageFile] = &[
            $(PageFile { path: $path, kind: $kind, text: include_str!(concat!("page/", $name)) },)*
        ];
    };
}

files! {
    "/" "index.html" HTML,
    "/page.css" "page.css" STYLE,
    "/page.js" "page.js" SCRIPT,
    "/api.js" "api.js" SCRIPT,
    "/changes.js" "changes.js" SCRIPT,
    "/column.js" "column.js" SCRIPT,
    "/editor.js" "editor.js" SCRIPT,
    "/pictures.js" "pictures.js" SCRIPT,
    "/rows.js" "rows.js" SCRIPT,
    "/runs.js" "runs.js" SCRIPT,
    "/state.js" "state.js" SCRIPT,
}

/// Returns a file by its path.
pub(super) fn file(path: &str) -> Option<&'static PageFile> {
    FILES.iter().find(|file| file.path == path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_small_and_asks_nobody_else() {
        let size: usize = FILES.iter().map(|file| file.text.len()).sum();
        assert!(size < 300_000, "{size} bytes");
        for file in FILES {
            for elsewhere in ["http://", "https://", "//cdn", "@import", "eval("] {
                assert!(!file.text.contains(elsewhere), "{}: {elsewhere}", file.path);
            }
        }
    }
}
