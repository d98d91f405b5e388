//! The word lists of `words.txt`.

use std::sync::LazyLock;

/// An entry of a list.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The word, phrase or pattern.
    pub word: String,
    /// Replacement or reason, shown with an offense.
    pub instead: String,
}

/// All lists.
#[derive(Debug, Default)]
pub struct Words {
    /// Words and phrases banned anywhere in prose.
    pub word: Vec<Entry>,
    /// Words that may not open a sentence.
    pub opening: Vec<Entry>,
    /// Names of documents outside the repository.
    pub document: Vec<Entry>,
    /// Identifiers with a standard name.
    pub name: Vec<Entry>,
    /// British forms.
    pub british: Vec<Entry>,
}

/// The lists of `words.txt`.
pub static WORDS: LazyLock<Words> = LazyLock::new(|| parse(include_str!("../words.txt")));

/// Parses the lists.
fn parse(text: &str) -> Words {
    let mut words = Words::default();
    let mut list = &mut words.word;
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        list = match line {
            "[word]" => &mut words.word,
            "[opening]" => &mut words.opening,
            "[document]" => &mut words.document,
            "[name]" => &mut words.name,
            "[british]" => &mut words.british,
            _ => {
                let (word, instead) = line.split_once(" = ").expect("`entry = replacement`");
                list.push(Entry { word: word.into(), instead: instead.into() });
                list
            }
        };
    }
    words
}
