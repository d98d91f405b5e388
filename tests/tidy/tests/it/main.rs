//! The tree satisfies every check, except in the folders that `pending.txt` names.

use std::collections::BTreeMap;
use tidy::pending::Pending;
use tidy::{check, source};

#[test]
fn the_tree_is_tidy() {
    let root = source::root().expect("the tests run in a checkout");
    let files = source::tree(&root).expect("git lists the files of the tree");
    assert!(files.len() > 500, "only {} files: not a checkout of the repository?", files.len());
    let offenses = check(&files);
    let pending = Pending::load();
    let (covered, new): (Vec<_>, Vec<_>) =
        offenses.iter().partition(|offense| pending.covers(offense));
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for offense in covered {
        let folder = offense.path.split("/src/").next().unwrap_or(&offense.path);
        *counts.entry((folder, offense.check)).or_default() += 1;
    }
    for ((folder, check), count) in counts {
        println!("pending: {count:5} {check:10} {folder}");
    }
    for entry in pending.stale(&offenses) {
        println!("pending.txt: `{entry}` covers nothing: remove it");
    }
    let list: Vec<String> = new.iter().map(ToString::to_string).collect();
    assert!(list.is_empty(), "{} offenses:\n{}", list.len(), list.join("\n"));
}
