/* The replaced commands: glUniform4fv. */
#include <string.h>

typedef void (*command)(void);

static void (*uniform4fv)(int location, int count, const float *values);

static void replaced_uniform4fv(int location, int count, const float *values)
{
    float copy[4] = {values[0], values[1], values[2], values[3]};
    /* history */
    if (count == 1)
        uniform4fv(location, count, copy);
    else
        uniform4fv(location, count, values);
}

command replaced(const char *name, command original)
{
    if (strcmp(name, "glUniform4fv"))
        return original;
    uniform4fv = (void (*)(int, int, const float *))original;
    return (command)replaced_uniform4fv;
}
