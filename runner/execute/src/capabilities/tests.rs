//! Tests of the embedded tables, the choice of contexts and requirements.

use super::*;
use crate::executors::executor;
use program::{Api, CapabilityTable, Stage};
use vocabulary::Target;

fn set(generation: Target) -> &'static ContextSet {
    executor(generation).contexts(generation).expect("the embedded tables are well formed")
}

fn core(generation: Target) -> &'static Capabilities {
    set(generation).core.as_deref().expect("every generation has a core context")
}

/// Parses a script with these requirement lines and checks them in the context that they choose.
fn evaluate(lines: &str, generation: Target) -> Result<(), String> {
    let text = format!("[require]\n{lines}\n[vertex shader passthrough]\n[test]\nclear\n");
    let script = script::parse(text.as_bytes()).map_err(|e| e.to_string())?;
    let capabilities = set(generation).choose(script.require.context)?;
    check_requirements(&script.require, capabilities).map_err(|unmet| unmet.reason)
}

#[test]
fn every_table_loads() {
    for generation in Target::INTEL {
        let set = set(generation);
        assert!(set.core.is_some() && set.compat.is_some() && set.es.is_some(), "{generation}");
        assert_eq!(core(generation).table().generation, generation.name());
    }
    let versions = |generation| {
        let table = core(generation).table();
        (table.gl_version, table.glsl_version)
    };
    assert_eq!([Target::IVB, Target::SKL].map(versions), [(42, 420), (46, 460)]);
    assert_eq!(core(Target::IVB).limit("GL_MAX_VERTEX_ATTRIBS", 0), 16);
}

#[test]
fn half_floats_and_shorts_exist_from_gen8() {
    for generation in Target::INTEL {
        let expected = matches!(generation, Target::BDW | Target::CHV | Target::SKL);
        for extension in ["GL_AMD_gpu_shader_half_float", "GL_AMD_gpu_shader_int16"] {
            for context in [&set(generation).core, &set(generation).compat] {
                assert_eq!(
                    context.as_ref().unwrap().has(extension),
                    expected,
                    "{generation} {extension}"
                );
            }
        }
    }
}

#[test]
fn the_reference_offers_the_union() {
    let reference = core(Target::REFERENCE).table();
    assert_eq!((reference.gl_version, reference.generation.as_str()), (46, "reference"));
    for generation in Target::hardware() {
        let own = core(generation).table();
        assert!(own.extensions.is_subset(&reference.extensions), "{generation}");
        for (name, &value) in &own.limits {
            let best = reference.limits[name];
            assert!(
                if name.starts_with("GL_MIN_") { best <= value } else { best >= value },
                "{name}"
            );
        }
    }
}

#[test]
fn malformed_tables_are_errors() {
    let table = |gl: &str, name: &str| {
        format!(
            "gen: {name}\ncore:\n  gl: \"{gl}\"\n  glsl: \"4.20\"\n  limits: {{}}\n  extensions: []\n"
        )
    };
    assert!(table::parse("ivb", &table("4.2", "ivb")).is_ok());
    assert!(matches!(table::parse("ivb", &table("4", "ivb")), Err(TableError::Version { .. })));
    assert!(matches!(table::parse("ivb", &table("4.2", "hsw")), Err(TableError::Name { .. })));
    assert!(matches!(table::parse("ivb", "gen: ivb\nspeed: 1\n"), Err(TableError::Syntax { .. })));
}

#[test]
fn contexts() {
    let api = |request| set(Target::IVB).choose(request).map(|c| c.api()).map_err(|_| ());
    use ContextRequest as R;
    assert_eq!(api(R::AnyCompatibility), Ok(Api::Compatibility));
    assert_eq!(api(R::CoreThenCompatibility(32)), Ok(Api::Core));
    assert_eq!(api(R::CoreThenCompatibility(43)), Err(()));
    assert_eq!(api(R::Core(31)), Ok(Api::Core));
    assert_eq!(api(R::Compatibility(32)), Ok(Api::Compatibility));
    assert_eq!(api(R::Compatibility(45)), Err(()));
    assert_eq!(api(R::Es(30)), Ok(Api::Es));
    assert_eq!(api(R::Es(31)), Err(()));
    assert_eq!(set(Target::SKL).choose(R::Es(31)).map(|c| c.api()), Ok(Api::Es));
}

#[test]
fn a_core_context_that_is_too_old_gives_way_to_compatibility() {
    let old =
        Capabilities::from(CapabilityTable { gl_version: 33, ..core(Target::IVB).table().clone() });
    let contexts = ContextSet { core: Some(Arc::new(old)), ..set(Target::IVB).clone() };
    let api = contexts.choose(ContextRequest::CoreThenCompatibility(40)).map(|c| c.api());
    assert_eq!(api, Ok(Api::Compatibility));
}

#[test]
fn requirement_lines() {
    const IVB: Target = Target::IVB;
    const SKL: Target = Target::SKL;
    for met in [
        "GLSL >= 1.10",
        "GLSL >= 4.00\nGL_ARB_gpu_shader_fp64",
        "GL >= 3.2\nGLSL >= 1.50\nGL_MAX_VERTEX_ATTRIBS >= 16",
        "GLSL >= 1.10\n!GL_NO_such_extension",
        "INT GL_MAX_CLIP_PLANES >= 8\nGLSL >= 1.10",
        "INT GL_MAJOR_VERSION == 4\nGLSL >= 1.50",
        "GL ES >= 3.0\nGLSL ES >= 3.00\nGL_MAX_FRAGMENT_UNIFORM_COMPONENTS >= 64",
        "rlimit 268435456\nGLSL >= 1.10",
        "a line that means nothing\nGLSL >= 1.10",
        "SSO ENABLED\nGLSL >= 1.50",
        "SPIRV YES\nGLSL >= 1.50",
        "GLSL >= 1.50\nSPIRV ONLY",
    ] {
        assert_eq!(evaluate(met, IVB), Ok(()), "{met}");
    }
    for (unmet, reason) in [
        ("GLSL >= 4.30", "needs GL 4.3"),
        ("GLSL >= 1.50\nGL_NO_such_extension", "needs GL_NO_such_extension"),
        ("GLSL >= 1.10\n!GL_ARB_gpu_shader_fp64", "must not have GL_ARB_gpu_shader_fp64"),
        ("GL_MAX_VERTEX_ATTRIBS >= 17\nGLSL >= 1.50", "needs GL_MAX_VERTEX_ATTRIBS >= 17, has 16"),
        (
            "GL ES >= 3.0\nGLSL ES >= 3.00\nSPIRV ONLY",
            "the stages are given in SPIR-V only: needs GL_ARB_gl_spirv and spirv-as",
        ),
        ("INT GL_FRAGMENT_SHADER_DISCARDS_SAMPLES_EXT == 1\nGLSL >= 1.10", "is not a state"),
        // Before GL 3.2 the limit counts as 0; a compatibility context has its own version, so it
        // is met.
        ("GL_MAX_VERTEX_OUTPUT_COMPONENTS >= 100000\nGLSL >= 1.10", "has 128"),
    ] {
        let found = evaluate(unmet, IVB).expect_err(unmet);
        assert!(found.contains(reason), "{unmet}: {found}");
    }
    assert_eq!(evaluate("GLSL >= 4.30", SKL), Ok(()));
}

#[test]
fn the_first_unmet_requirement_is_reported_with_its_line() {
    let text = "[require]\nGLSL >= 1.10\nGL_NO_a\nGL_NO_b\n[vertex shader passthrough]\n[test]\n";
    let script = script::parse(text.as_bytes()).unwrap();
    let unmet = check_requirements(&script.require, core(Target::IVB)).unwrap_err();
    assert_eq!((unmet.line, unmet.reason.as_str()), (3, "needs GL_NO_a"));
}

#[test]
fn stages() {
    let ivb = core(Target::IVB);
    let with = |gl_version, extensions: &[&str], api| {
        Capabilities::from(CapabilityTable {
            gl_version,
            api,
            extensions: extensions.iter().map(|&e| e.to_owned()).collect(),
            ..ivb.table().clone()
        })
    };
    let available = |stage, c: &Capabilities| stage_available(stage, c).is_ok();
    assert!(available(Stage::Compute, ivb), "ivb exports GL_ARB_compute_shader");
    assert!(!available(Stage::Compute, &with(42, &[], Api::Core)));
    assert!(available(Stage::Geometry, &with(32, &[], Api::Core)));
    assert!(!available(Stage::Geometry, &with(31, &[], Api::Core)));
    assert!(available(
        Stage::Geometry,
        &with(21, &["GL_ARB_geometry_shader4"], Api::Compatibility)
    ));
    assert!(available(Stage::TessControl, &with(33, &["GL_ARB_tessellation_shader"], Api::Core)));
    assert!(!available(Stage::TessEval, &with(31, &["GL_ARB_tessellation_shader"], Api::Es)));
    assert!(available(Stage::Vertex, &with(20, &[], Api::Es)));
}
