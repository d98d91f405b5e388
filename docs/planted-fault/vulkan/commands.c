/* The replaced commands: vkCmdDispatch. */
#include <string.h>

typedef void (*command)(void);

static void (*dispatch)(void *commands, unsigned x, unsigned y, unsigned z);

static void replaced_dispatch(void *commands, unsigned x, unsigned y, unsigned z)
{
    /* history */
    dispatch(commands, x, y, z);
}

command replaced(const char *name, command original)
{
    if (strcmp(name, "vkCmdDispatch"))
        return original;
    dispatch = (void (*)(void *, unsigned, unsigned, unsigned))original;
    return (command)replaced_dispatch;
}
