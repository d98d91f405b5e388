//! Language version, stage and enabled extensions, and the features that they make available.

use glsl_syntax::ast::{Profile, Version};
use glsl_syntax::extension;
use program::{Api, Capabilities, Conversions, Stage};
use rustc_hash::FxHashSet;

/// Availability of a type, function, variable or constant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Availability {
    /// First desktop version; 0: none.
    pub desktop: u16,
    /// First ES version; 0: none.
    pub es: u16,
    /// Extensions (without `GL_`) that make it available earlier.
    pub extensions: Vec<&'static str>,
    /// Bit per stage; 0: all.
    pub stages: u8,
    /// Only in the compatibility profile (or before GLSL 1.40).
    pub compatibility: bool,
    /// First desktop version without it; 0: never removed.
    pub removed: u16,
    /// First ES version without it; 0: never removed.
    pub removed_es: u16,
}

impl Availability {
    /// Reads `desktop es [extension | vs tcs tes gs fs cs | compat | <version | <es:version]…`.
    pub(crate) fn parse(text: &'static str) -> Availability {
        let mut words = text.split_whitespace();
        let mut number = || words.next().and_then(|w| w.parse().ok()).unwrap_or(0);
        let mut result =
            Availability { desktop: number(), es: number(), ..Availability::default() };
        for word in words {
            let stage = match word {
                "vs" => Some(Stage::Vertex),
                "tcs" => Some(Stage::TessControl),
                "tes" => Some(Stage::TessEval),
                "gs" => Some(Stage::Geometry),
                "fs" => Some(Stage::Fragment),
                "cs" => Some(Stage::Compute),
                _ => None,
            };
            if let Some(stage) = stage {
                result.stages |= 1 << stage as u8;
            } else if word == "compat" {
                result.compatibility = true;
            } else if let Some(version) = word.strip_prefix("<es:") {
                result.removed_es = version.parse().unwrap_or(0);
            } else if let Some(version) = word.strip_prefix('<') {
                result.removed = version.parse().unwrap_or(0);
            } else {
                result.extensions.push(word);
            }
        }
        result
    }
}

/// The language of one shader.
pub(crate) struct Language<'a> {
    pub version: u16,
    pub es: bool,
    pub stage: Stage,
    /// True if features removed from the core profile are available.
    pub compatibility: bool,
    /// True if the version and its profile have them without ARB_compatibility.
    compatible_profile: bool,
    capabilities: Option<&'a Capabilities>,
    /// Enabled extensions, without `GL_`.
    enabled: FxHashSet<String>,
    /// The implicit conversions at the current position.
    pub conversions: Conversions,
}

impl<'a> Language<'a> {
    pub(crate) fn new(
        version: Version,
        stage: Stage,
        capabilities: Option<&'a Capabilities>,
    ) -> Language<'a> {
        let compat_context = capabilities.is_none_or(|c| c.api() == Api::Compatibility);
        let number = version.number;
        let compatibility = !version.es
            && (number < 140
                || version.profile == Profile::Compatibility
                || (number == 140 && compat_context));
        // ARB_texture_rectangle is enabled unless a shader disables it (its issue 10).
        let enabled =
            (!version.es).then(|| "ARB_texture_rectangle".to_owned()).into_iter().collect();
        let conversions = Conversions::default();
        let mut language = Language {
            version: number,
            es: version.es,
            stage,
            compatibility,
            compatible_profile: compatibility,
            capabilities,
            enabled,
            conversions,
        };
        language.find_conversions();
        language
    }

    /// Turns an extension, given with its prefix, or `all` on or off.
    pub(crate) fn set_extension(&mut self, name: &str, on: bool) {
        self.enable(name, on);
        self.find_conversions();
        self.compatibility =
            self.compatible_profile || !self.es && self.extension("ARB_compatibility");
    }

    fn enable(&mut self, name: &str, on: bool) {
        if name == "all" {
            self.enabled.clear();
            if on {
                let known = match self.capabilities {
                    Some(c) => c.extensions().iter().cloned().collect(),
                    None => known_extensions(),
                };
                self.enabled.extend(known.iter().map(|n| n.trim_start_matches("GL_").to_owned()));
            }
            return;
        }
        for name in extension::enabled_by(name) {
            let name = name.trim_start_matches("GL_");
            if on {
                self.enabled.insert(name.to_owned());
            } else {
                self.enabled.remove(name);
            }
        }
    }

    /// At least this desktop or this ES version; 0 means that language never has it.
    pub(crate) fn at_least(&self, desktop: u16, es: u16) -> bool {
        let needed = if self.es { es } else { desktop };
        needed != 0 && self.version >= needed
    }

    /// Returns whether samplers and images have handles, and are values.
    pub(crate) fn has_handles(&self) -> bool {
        self.extension("ARB_bindless_texture")
    }

    /// Returns whether an extension (without `GL_`) is enabled at the current position.
    pub(crate) fn extension(&self, name: &str) -> bool {
        self.enabled.contains(name)
    }

    /// Returns whether any of the extensions is enabled.
    pub(crate) fn any_extension(&self, names: &[&str]) -> bool {
        names.iter().any(|n| self.extension(n))
    }

    /// Returns whether the version, stage and extensions satisfy a condition.
    pub(crate) fn allows(&self, a: &Availability) -> bool {
        if a.stages != 0 && a.stages & (1 << self.stage as u8) == 0 {
            return false;
        }
        let removed = if self.es { a.removed_es } else { a.removed };
        if removed != 0 && self.version >= removed && (self.es || !self.compatibility) {
            return false;
        }
        if a.compatibility && !self.compatibility {
            return false;
        }
        self.at_least(a.desktop, a.es) || self.any_extension(&a.extensions)
    }

    /// A limit of the context, or `default`.
    pub(crate) fn limit(&self, name: &str, default: u32) -> u32 {
        self.capabilities.map_or(default, |c| c.limit(name, default))
    }

    /// A limit of the context, or `default`, if it is less than `count`.
    pub(crate) fn limit_below(&self, name: &str, default: u32, count: u32) -> Option<u32> {
        match self.capabilities {
            Some(capabilities) => capabilities.limit_below(name, default, count),
            None => (count > default).then_some(default),
        }
    }

    /// Returns whether the context exports an extension (without `GL_`), enabled or not.
    pub(crate) fn offers(&self, name: &str) -> bool {
        self.capabilities.is_none_or(|c| c.has(&format!("GL_{name}")))
    }

    pub(crate) fn has_integers(&self) -> bool {
        self.at_least(130, 300) || self.extension("EXT_gpu_shader4")
    }

    pub(crate) fn has_doubles(&self) -> bool {
        self.at_least(400, 0)
            || self.any_extension(&["ARB_gpu_shader_fp64", "ARB_vertex_attrib_64bit"])
    }

    pub(crate) fn has_int64(&self) -> bool {
        self.any_extension(&["ARB_gpu_shader_int64", "AMD_gpu_shader_int64", "NV_gpu_shader5"])
    }

    pub(crate) fn has_int16(&self) -> bool {
        self.any_extension(&["AMD_gpu_shader_int16", "NV_gpu_shader5"])
    }

    pub(crate) fn has_half_float(&self) -> bool {
        self.any_extension(&["AMD_gpu_shader_half_float", "NV_gpu_shader5"])
    }

    fn find_conversions(&mut self) {
        let gpu_shader5 = self.any_extension(&["ARB_gpu_shader5", "MESA_shader_integer_functions"]);
        let es = self.extension("EXT_shader_implicit_conversions");
        let fp64 = self.extension("ARB_gpu_shader_fp64");
        // Its specification permits this where the other extension is supported, enabled or not.
        let fp64_to_uint =
            fp64 && (self.offers("ARB_gpu_shader5") || self.offers("NV_gpu_shader5"));
        self.conversions = Conversions {
            any: self.at_least(120, 0) || es,
            int_to_uint: self.at_least(400, 0) || gpu_shader5 || fp64_to_uint || es,
            doubles: self.has_doubles(),
            int64: self.has_int64(),
            ranking: self.at_least(400, 0) || gpu_shader5 || fp64,
        };
    }

    pub(crate) fn has_arrays_of_arrays(&self) -> bool {
        self.at_least(430, 310)
            || self.extension("ARB_arrays_of_arrays")
            // Inputs of its geometry shaders add a dimension to arrays.
            || (self.stage == Stage::Geometry && self.extension("ARB_geometry_shader4"))
    }

    /// Arrays as first-class values: constructors, assignment, comparison, `.length()`.
    pub(crate) fn has_array_values(&self) -> bool {
        self.at_least(120, 300) || self.extension("3DL_array_objects")
    }

    pub(crate) fn has_bit_operations(&self) -> bool {
        self.has_integers()
    }

    pub(crate) fn has_switch(&self) -> bool {
        self.at_least(130, 300)
    }

    pub(crate) fn has_initializer_lists(&self) -> bool {
        self.at_least(420, 0) || self.extension("ARB_shading_language_420pack")
    }

    /// `#pragma STDGL invariant(all)` is an error in fragment shaders: GLSL 1.20 to 4.10 and GLSL
    /// ES 3.00 (section 4.6.1 of each). Others do not say so, GLSL ES 3.20 and GLSL 4.60 among
    /// them.
    pub(crate) fn forbids_invariant_fragment_outputs(&self) -> bool {
        if self.es { self.version == 300 } else { (120..=410).contains(&self.version) }
    }

    pub(crate) fn has_420pack(&self) -> bool {
        self.at_least(420, 310) || self.extension("ARB_shading_language_420pack")
    }

    /// `length()` of vectors and matrices, which GLSL ES lacks (section 5.5 of both).
    pub(crate) fn has_vector_length(&self) -> bool {
        !self.es && self.has_420pack()
    }

    pub(crate) fn has_enhanced_layouts(&self) -> bool {
        self.at_least(440, 0) || self.extension("ARB_enhanced_layouts")
    }

    pub(crate) fn has_matrix_vector_scalar_swizzle(&self) -> bool {
        self.at_least(420, 0) || self.extension("ARB_shading_language_420pack")
    }
}

/// Extensions that this front end implements.
const KNOWN: &str = "
AMD_conservative_depth AMD_gpu_shader_half_float AMD_gpu_shader_int16 AMD_gpu_shader_int64 AMD_shader_stencil_export
AMD_shader_trinary_minmax AMD_texture_texture4 AMD_vertex_shader_layer AMD_vertex_shader_viewport_index ARB_ES3_1_compatibility
ARB_arrays_of_arrays ARB_bindless_texture ARB_compute_shader ARB_compute_variable_group_size ARB_conservative_depth
ARB_cull_distance ARB_derivative_control ARB_draw_buffers ARB_draw_instanced ARB_enhanced_layouts
ARB_explicit_attrib_location ARB_explicit_uniform_location ARB_fragment_coord_conventions
ARB_fragment_layer_viewport ARB_fragment_shader_interlock ARB_geometry_shader4 ARB_gpu_shader5 ARB_gpu_shader_fp64
ARB_gpu_shader_int64 ARB_post_depth_coverage ARB_sample_shading ARB_separate_shader_objects
ARB_shader_atomic_counter_ops ARB_shader_atomic_counters ARB_shader_ballot ARB_shader_bit_encoding ARB_shader_clock
ARB_shader_draw_parameters ARB_shader_group_vote ARB_shader_image_load_store ARB_shader_image_size
ARB_shader_precision ARB_shader_stencil_export ARB_shader_storage_buffer_object ARB_shader_subroutine
ARB_shader_texture_image_samples ARB_shader_texture_lod ARB_shader_viewport_layer_array
ARB_shading_language_420pack ARB_shading_language_include ARB_shading_language_packing ARB_tessellation_shader
ARB_texture_buffer_object ARB_texture_cube_map_array ARB_texture_gather ARB_texture_multisample
ARB_texture_query_levels ARB_texture_query_lod ARB_texture_rectangle ARB_uniform_buffer_object
ARB_vertex_attrib_64bit ARB_viewport_array EXT_blend_func_extended EXT_clip_cull_distance EXT_conservative_depth
EXT_demote_to_helper_invocation EXT_draw_buffers EXT_draw_instanced EXT_frag_depth EXT_geometry_point_size
EXT_geometry_shader EXT_gpu_shader4 EXT_gpu_shader5 EXT_primitive_bounding_box EXT_separate_shader_objects
EXT_shader_framebuffer_fetch EXT_shader_framebuffer_fetch_non_coherent EXT_shader_image_load_formatted
EXT_shader_image_load_store EXT_shader_implicit_conversions EXT_shader_integer_mix EXT_shader_io_blocks
EXT_shader_samples_identical EXT_shader_texture_lod EXT_tessellation_point_size EXT_tessellation_shader
EXT_texture_array EXT_texture_buffer EXT_texture_cube_map_array EXT_texture_query_lod EXT_texture_shadow_lod
INTEL_conservative_rasterization INTEL_shader_atomic_float_minmax INTEL_shader_integer_functions2
KHR_blend_equation_advanced MESA_shader_integer_functions NV_compute_shader_derivatives NV_fragment_shader_interlock
NV_image_formats NV_shader_atomic_float NV_shader_atomic_int64 NV_shader_noperspective_interpolation
NV_texture_rectangle NV_viewport_array2 OES_EGL_image_external OES_EGL_image_external_essl3 OES_geometry_point_size
OES_geometry_shader OES_gpu_shader5 OES_primitive_bounding_box OES_sample_variables OES_shader_image_atomic
OES_shader_io_blocks OES_shader_multisample_interpolation OES_standard_derivatives OES_tessellation_point_size
OES_tessellation_shader OES_texture_3D OES_texture_buffer OES_texture_cube_map_array
OES_texture_storage_multisample_2d_array OES_viewport_array EXT_shader_group_vote ANDROID_extension_pack_es31a
ARB_texture_compression_bptc ARB_fragment_program ARB_sparse_texture2 EXT_multisampled_render_to_texture
3DL_array_objects ARB_ES2_compatibility ARB_ES3_compatibility ARB_ES3_2_compatibility ARB_blend_func_extended ARB_compatibility ARB_fragment_shader
ARB_shading_language_100 ARB_shadow ARB_vertex_shader EXT_shader_image_int64 EXT_shadow_samplers EXT_texture_norm16
EXT_vertex_attrib_64bit KHR_blend_equation_advanced_coherent NV_draw_buffers EXT_YUV_target KHR_shader_subgroup_basic NV_gpu_shader5 ARB_shader_objects ARB_draw_buffers_blend
";

/// Names, with their prefix, of every extension known to the front end.
pub fn known_extensions() -> Vec<String> {
    KNOWN.split_whitespace().map(|name| format!("GL_{name}")).collect()
}
