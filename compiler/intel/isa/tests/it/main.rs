//! Integration tests: one trial per file of `filetests`, and round trips of random instructions.

mod filetests;
mod round_trip;

use libtest_mimic::{Arguments, Trial};

fn main() {
    let arguments = Arguments::from_args();
    let mut trials = filetests::trials();
    trials.push(Trial::test("filetests::every_rule_has_a_file", filetests::every_rule_has_a_file));
    let round_trips: &[(&str, fn())] = round_trip::TRIALS;
    for &(name, body) in round_trips {
        trials.push(Trial::test(format!("round_trip::{name}"), move || {
            body();
            Ok(())
        }));
    }
    libtest_mimic::run(&arguments, trials).exit();
}
