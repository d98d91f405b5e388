//! Commands whose arguments and results are plain numbers.

use super::Api;

/// Defines functions of the command's name in snake case.
macro_rules! commands {
    ($($name:ident = $command:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?;)*) => {
        #[allow(clippy::too_many_arguments, reason = "as many as the command has")]
        impl Api {
            $(
                #[doc = concat!("Executes `gl", stringify!($command), "`.")]
                pub(crate) fn $name(&self, $($argument: $type),*) $(-> $result)? {
                    // SAFETY: a context is current (see the module `api`), the command takes and
                    // returns numbers, and it reads and writes only memory of the driver: vertices
                    // come from buffer objects, since no client array is ever set.
                    unsafe { self.raw.$command($($argument),*) }
                }
            )*
        }
    };
}

commands! {
    active_shader_program = ActiveShaderProgram(pipeline: u32, program: u32);
    active_texture = ActiveTexture(unit: u32);
    attach_shader = AttachShader(program: u32, shader: u32);
    begin_query = BeginQuery(target: u32, query: u32);
    begin_transform_feedback = BeginTransformFeedback(mode: u32);
    bind_buffer = BindBuffer(target: u32, buffer: u32);
    bind_buffer_base = BindBufferBase(target: u32, index: u32, buffer: u32);
    bind_framebuffer = BindFramebuffer(target: u32, framebuffer: u32);
    bind_image_texture = BindImageTexture(
        unit: u32, texture: u32, level: i32, layered: u8, layer: i32, access: u32, format: u32
    );
    bind_program_arb = BindProgramARB(target: u32, program: u32);
    bind_program_pipeline = BindProgramPipeline(pipeline: u32);
    bind_renderbuffer = BindRenderbuffer(target: u32, renderbuffer: u32);
    bind_texture = BindTexture(target: u32, texture: u32);
    bind_vertex_array = BindVertexArray(array: u32);
    blend_barrier = BlendBarrierKHR();
    blit_framebuffer = BlitFramebuffer(
        x0: i32, y0: i32, x1: i32, y1: i32,
        to_x0: i32, to_y0: i32, to_x1: i32, to_y1: i32,
        mask: u32, filter: u32
    );
    call_list = CallList(list: u32);
    check_framebuffer_status = CheckFramebufferStatus(target: u32) -> u32;
    clear = Clear(mask: u32);
    clear_color = ClearColor(red: f32, green: f32, blue: f32, alpha: f32);
    clear_depth = ClearDepth(depth: f64);
    clear_depthf = ClearDepthf(depth: f32);
    color4f = Color4f(red: f32, green: f32, blue: f32, alpha: f32);
    compile_shader = CompileShader(shader: u32);
    create_program = CreateProgram() -> u32;
    create_shader = CreateShader(stage: u32) -> u32;
    delete_lists = DeleteLists(list: u32, count: i32);
    delete_program = DeleteProgram(program: u32);
    delete_shader = DeleteShader(shader: u32);
    depth_func = DepthFunc(function: u32);
    disable = Disable(capability: u32);
    disable_client_state = DisableClientState(array: u32);
    disable_vertex_attrib_array = DisableVertexAttribArray(index: u32);
    dispatch_compute = DispatchCompute(x: u32, y: u32, z: u32);
    dispatch_compute_group_size = DispatchComputeGroupSizeARB(
        x: u32, y: u32, z: u32, size_x: u32, size_y: u32, size_z: u32
    );
    draw_arrays = DrawArrays(mode: u32, first: i32, count: i32);
    draw_arrays_instanced = DrawArraysInstanced(mode: u32, first: i32, count: i32, instances: i32);
    draw_arrays_instanced_base_instance = DrawArraysInstancedBaseInstance(
        mode: u32, first: i32, count: i32, instances: i32, base: u32
    );
    enable = Enable(capability: u32);
    enable_client_state = EnableClientState(array: u32);
    enable_vertex_attrib_array = EnableVertexAttribArray(index: u32);
    end_list = EndList();
    end_query = EndQuery(target: u32);
    end_transform_feedback = EndTransformFeedback();
    framebuffer_fetch_barrier = FramebufferFetchBarrierEXT();
    framebuffer_renderbuffer = FramebufferRenderbuffer(
        target: u32, attachment: u32, renderbuffer_target: u32, renderbuffer: u32
    );
    framebuffer_texture = FramebufferTexture(target: u32, attachment: u32, texture: u32, level: i32);
    framebuffer_texture_1d = FramebufferTexture1D(
        target: u32, attachment: u32, texture_target: u32, texture: u32, level: i32
    );
    framebuffer_texture_2d = FramebufferTexture2D(
        target: u32, attachment: u32, texture_target: u32, texture: u32, level: i32
    );
    framebuffer_texture_layer = FramebufferTextureLayer(
        target: u32, attachment: u32, texture: u32, level: i32, layer: i32
    );
    front_face = FrontFace(mode: u32);
    frustum = Frustum(left: f64, right: f64, bottom: f64, top: f64, near: f64, far: f64);
    gen_lists = GenLists(count: i32) -> u32;
    get_error = GetError() -> u32;
    hint = Hint(target: u32, mode: u32);
    lightf = Lightf(light: u32, parameter: u32, value: f32);
    lighti = Lighti(light: u32, parameter: u32, value: i32);
    link_program = LinkProgram(program: u32);
    load_identity = LoadIdentity();
    make_image_handle_resident = MakeImageHandleResidentARB(handle: u64, access: u32);
    make_texture_handle_resident = MakeTextureHandleResidentARB(handle: u64);
    matrix_mode = MatrixMode(mode: u32);
    memory_barrier = MemoryBarrier(bits: u32);
    multi_tex_coord4f = MultiTexCoord4f(unit: u32, s: f32, t: f32, r: f32, q: f32);
    new_list = NewList(list: u32, mode: u32);
    normal3f = Normal3f(x: f32, y: f32, z: f32);
    ortho = Ortho(left: f64, right: f64, bottom: f64, top: f64, near: f64, far: f64);
    patch_parameteri = PatchParameteri(parameter: u32, value: i32);
    pixel_storei = PixelStorei(parameter: u32, value: i32);
    polygon_mode = PolygonMode(face: u32, mode: u32);
    program_env_parameter4f = ProgramEnvParameter4fARB(
        target: u32, index: u32, x: f32, y: f32, z: f32, w: f32
    );
    program_local_parameter4f = ProgramLocalParameter4fARB(
        target: u32, index: u32, x: f32, y: f32, z: f32, w: f32
    );
    program_parameteri = ProgramParameteri(program: u32, parameter: u32, value: i32);
    program_parameteri_arb = ProgramParameteriARB(program: u32, parameter: u32, value: i32);
    provoking_vertex = ProvokingVertex(mode: u32);
    renderbuffer_storage = RenderbufferStorage(target: u32, format: u32, width: i32, height: i32);
    renderbuffer_storage_multisample = RenderbufferStorageMultisample(
        target: u32, samples: i32, format: u32, width: i32, height: i32
    );
    reset_status = GetGraphicsResetStatus() -> u32;
    secondary_color3f = SecondaryColor3f(red: f32, green: f32, blue: f32);
    shade_model = ShadeModel(mode: u32);
    tex_parameterf = TexParameterf(target: u32, parameter: u32, value: f32);
    tex_parameteri = TexParameteri(target: u32, parameter: u32, value: i32);
    tex_storage_1d = TexStorage1D(target: u32, levels: i32, format: u32, width: i32);
    tex_storage_2d = TexStorage2D(target: u32, levels: i32, format: u32, width: i32, height: i32);
    tex_storage_3d = TexStorage3D(
        target: u32, levels: i32, format: u32, width: i32, height: i32, depth: i32
    );
    texture_handle = GetTextureHandleARB(texture: u32) -> u64;
    image_handle = GetImageHandleARB(
        texture: u32, level: i32, layered: u8, layer: i32, format: u32
    ) -> u64;
    uniform_block_binding = UniformBlockBinding(program: u32, block: u32, binding: u32);
    uniform_handle = UniformHandleui64ARB(location: i32, handle: u64);
    use_program = UseProgram(program: u32);
    use_program_stages = UseProgramStages(pipeline: u32, stages: u32, program: u32);
    vertex_attrib4f = VertexAttrib4f(index: u32, x: f32, y: f32, z: f32, w: f32);
    vertex_attrib_handle = VertexAttribL1ui64ARB(index: u32, value: u64);
    viewport = Viewport(x: i32, y: i32, width: i32, height: i32);
    viewport_indexed = ViewportIndexedf(index: u32, x: f32, y: f32, width: f32, height: f32);
    viewport_swizzle = ViewportSwizzleNV(index: u32, x: u32, y: u32, z: u32, w: u32);
}
