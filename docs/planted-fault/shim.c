/* Stands between a program and the OpenGL driver, and replaces single commands (commands.c).
   LD_PRELOAD selects it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

typedef void (*command)(void);

command replaced(const char *name, command original);

/* Who loads EGL gets this library, whose dependency is the real one. */
void *dlopen(const char *name, int flags)
{
    void *(*original)(const char *, int) = dlsym(RTLD_NEXT, "dlopen");
    Dl_info self;
    if (name && strstr(name, "libEGL.so") && dladdr(replaced, &self))
        name = self.dli_fname;
    return original(name, flags);
}

command eglGetProcAddress(const char *name)
{
    command (*original)(const char *) = dlsym(RTLD_NEXT, "eglGetProcAddress");
    return replaced(name, original(name));
}
