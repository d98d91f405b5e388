//! Profiles of piglit, and the lines in which its programs report results.
//!
//! A *profile* is an XML file, compressed or not, that lists tests. A test has a name such as
//! `spec@glsl-1.30@built-in constants`, a class such as `gl` or `shader`, and options whose values
//! are literals of Python. Classes decide what a test is for this project:
//!
//! | class | test |
//! |---|---|
//! | `shader`, `glsl_parser`, `asm_parser`, `vkrunner` | a file, which has a kind of its own |
//! | `multi_shader` | several files |
//! | `gl`, `gl_builtin`, `cl`, `cl_prog` | a [`Program`]: command line, environment, platforms |
//! | `shader`, `glsl_parser` with other arguments than the file's kind implies | a program |
//! | any other | unsupported: the class is named |
//!
//! A *meta profile* lists other profiles.
//!
//! A program says its result in lines of its standard output that begin with `PIGLIT:` and go on
//! with a JSON object. [`Report`] collects them, and [`Report::conclude`] joins them with the way
//! in which the program ended, by the rules of piglit's own runner.
//!
//! ```
//! use piglit_profile::{Ending, Profile, Report, State, Work};
//!
//! let text = r#"<PiglitTestList count="1" name="mine"><Test type="gl" name="spec@a@b c">
//!     <option name="command" value="['b-c', '-x']"/></Test></PiglitTestList>"#;
//! let profile = Profile::parse(text)?;
//! assert_eq!(profile.tests[0].name, "spec@a@b c");
//! let Work::Program(program) = &profile.tests[0].work else { panic!("a program") };
//! assert_eq!(program.line("/piglit".as_ref()), ["/piglit/bin/b-c", "-x", "-auto", "-fbo"]);
//!
//! let mut report = Report::default();
//! report.line(r#" {"subtest": {"One": "pass"}}"#);
//! report.line(r#" {"result": "pass"}"#);
//! let result = report.conclude(Ending::Exit(0));
//! assert_eq!((result.state, result.subtests), (State::Pass, vec![("one".into(), State::Pass)]));
//! # Ok::<(), piglit_profile::ProfileError>(())
//! ```

mod class;
mod error;
mod literal;
mod profile;
mod program;
mod report;
mod state;
mod text;
mod work;

pub use error::ProfileError;
pub use profile::{Profile, Test};
pub use program::{Argument, Program};
pub use report::{Conclusion, Ending, Image, Report};
pub use state::State;
pub use text::decompress;
pub use work::Work;
