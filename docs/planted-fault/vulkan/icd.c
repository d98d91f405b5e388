/* A Vulkan driver that passes everything on to another one, and replaces single commands
   (commands.c). REAL_DRIVER names the library of the other one. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef void (*command)(void);
typedef command (*lookup)(void *, const char *);

command replaced(const char *name, command original);

static lookup device_lookup;

static void *real(const char *name)
{
    static void *library;
    const char *file = getenv("REAL_DRIVER");
    if (!library)
        library = dlopen(file ? file : "libvulkan_lvp.so", RTLD_NOW);
    return library ? dlsym(library, name) : 0;
}

static command device_command(void *device, const char *name)
{
    return replaced(name, device_lookup(device, name));
}

command vk_icdGetInstanceProcAddr(void *instance, const char *name)
{
    lookup original = (lookup)real("vk_icdGetInstanceProcAddr");
    command found = original ? original(instance, name) : 0;
    if (!found || strcmp(name, "vkGetDeviceProcAddr"))
        return found;
    device_lookup = (lookup)found;
    return (command)device_command;
}

command vk_icdGetPhysicalDeviceProcAddr(void *instance, const char *name)
{
    lookup original = (lookup)real("vk_icdGetPhysicalDeviceProcAddr");
    return original ? original(instance, name) : 0;
}

int vk_icdNegotiateLoaderICDInterfaceVersion(unsigned *version)
{
    int (*original)(unsigned *) = real("vk_icdNegotiateLoaderICDInterfaceVersion");
    return original ? original(version) : -3;
}
