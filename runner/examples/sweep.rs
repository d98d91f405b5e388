//! scratch
use program::link::{LinkOptions, link};
use std::collections::BTreeMap;
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let dir = &args[0];
    let every: usize = args.get(1).map_or(1, |s| s.parse().unwrap());
    let mut files: Vec<_> = walkdir::WalkDir::new(dir)
        .sort_by_file_name()
        .into_iter()
        .filter_map(|e| e.ok())
        .filter(|e| e.path().extension().is_some_and(|x| x == "shader_test"))
        .map(|e| e.into_path())
        .collect();
    files = files.into_iter().step_by(every).collect();
    let mut classes: BTreeMap<String, (usize, String)> = BTreeMap::new();
    let exts: std::collections::BTreeSet<String> = std::fs::read_to_string("/work/shared/gens/skl.yaml")
        .unwrap()
        .lines()
        .filter_map(|l| l.trim().strip_prefix("- ").map(|s| s.trim().to_string()))
        .chain(
            std::fs::read_to_string("/work/shared/gens/skl.yaml")
                .unwrap()
                .split(|c: char| !c.is_alphanumeric() && c != '_')
                .filter(|w| w.starts_with("GL_"))
                .map(|s| s.to_string()),
        )
        .collect();
    let t = std::thread::Builder::new()
        .stack_size(256 << 20)
        .spawn(move || {
            for f in files {
                let bytes = std::fs::read(&f).unwrap();
                let Ok(s) = script::parse(&bytes) else { continue };
                let expects_error = s
                    .test
                    .as_ref()
                    .is_some_and(|t| t.iter().any(|l| matches!(l.command, script::Command::LinkError)));
                let es = matches!(s.require.context, script::ContextRequest::Es(_));
                let api = if es { program::Api::Es } else { program::Api::Compatibility };
                let caps = program::Capabilities {
                    generation: "skl".into(),
                    api,
                    gl_version: 46,
                    glsl_version: if es { 320 } else { 460 },
                    extensions: exts.clone(),
                    limits: Default::default(),
                };
                let mut types = program::TypeTable::default();
                let mut shaders = vec![];
                let mut err = None;
                for sh in s.shaders() {
                    let stage = match format!("{:?}", sh.stage).as_str() {
                        "Vertex" => program::Stage::Vertex,
                        "TessControl" | "TessellationControl" => program::Stage::TessControl,
                        "TessEvaluation" | "TessellationEvaluation" => program::Stage::TessEvaluation,
                        "Geometry" => program::Stage::Geometry,
                        "Fragment" => program::Stage::Fragment,
                        "Compute" => program::Stage::Compute,
                        o => panic!("{o}"),
                    };
                    let v = s.version_line(sh).map(|v| v.to_string()).unwrap_or_default();
                    let src = [v.as_str(), sh.source];
                    let srcs: &[&str] = if v.is_empty() { &src[1..] } else { &src };
                    let r = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                        glsl::compile(srcs, stage, glsl::CompileOptions::new(&caps), &mut types)
                    }));
                    match r {
                        Ok(Ok(s)) => shaders.push(s),
                        Ok(Err(e)) => {
                            err = Some(format!(
                                "check: {}",
                                e.to_string()
                                    .lines()
                                    .next()
                                    .unwrap_or("")
                                    .splitn(2, ": ")
                                    .nth(1)
                                    .unwrap_or("?")
                            ));
                            break;
                        }
                        Err(_) => {
                            err = Some("check PANIC".into());
                            break;
                        }
                    }
                }
                let class = match err {
                    Some(e) => e,
                    None if shaders.is_empty() => "none".into(),
                    None => {
                        match std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                            link(shaders, types, &LinkOptions::new(&caps))
                        })) {
                            Err(_) => "link PANIC".to_string(),
                            Ok(Err(e)) => {
                                if expects_error {
                                    "ok link error".into()
                                } else {
                                    format!("link: {}", e.to_string().lines().next().unwrap_or(""))
                                }
                            }
                            Ok(Ok(_)) if expects_error => "MISSING link error".into(),
                            Ok(Ok(p)) => {
                                let mut out = "ok".to_string();
                                for st in &p.stages {
                                    let stage = st.shader.stage;
                                    let key = program::StageKey {
                                        targets: [program::TargetKind::Float].into_iter().collect(),
                                        samples: 1,
                                        ..Default::default()
                                    };
                                    let d = eu::DevInfo::get("ivb").unwrap();
                                    let o = compiler::Options { paranoid: true, ..Default::default() };
                                    let r = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                                        if stage == program::Stage::Fragment
                                            || std::env::var("VS").is_ok() && stage == program::Stage::Vertex
                                        {
                                            compiler::compile(&p, stage, &key, d, &o).map(drop)
                                        } else {
                                            compiler::ir_after(&p, stage, &key, d, &o, &mut |_, _, _| {})
                                                .map(drop)
                                        }
                                    }));
                                    match r {
                                        Ok(Ok(())) => {}
                                        Ok(Err(e)) => {
                                            out = format!(
                                                "{stage}: {}",
                                                e.to_string().lines().next().unwrap_or("")
                                            );
                                            break;
                                        }
                                        Err(_) => {
                                            out = format!("{stage} PANIC");
                                            break;
                                        }
                                    }
                                }
                                out
                            }
                        }
                    }
                };
                let key: String =
                    class.chars().map(|c| if c.is_ascii_digit() { '#' } else { c }).take(110).collect();
                let e =
                    classes.entry(key).or_insert((0, f.file_stem().unwrap().to_string_lossy().into_owned()));
                e.0 += 1;
            }
            let mut v: Vec<_> = classes.into_iter().collect();
            v.sort_by_key(|(_, (n, _))| std::cmp::Reverse(*n));
            for (c, (n, f)) in v.iter().take(70) {
                println!("{n:6} {c}   [{f}]");
            }
        })
        .unwrap();
    t.join().unwrap();
}
