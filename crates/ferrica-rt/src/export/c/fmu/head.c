/* @MODEL@ as an FMU for co-simulation with @SOLVER@ and a step of @H@ s, made by ferrica: the functions of the interface over @N@.c.
   A macro FMI@VERSION@_FUNCTION_PREFIX is put before their names, for several models in one program. */
#include "@N@.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef FMI@VERSION@_FUNCTION_PREFIX
#define JOINED(a, b) a##b
#define JOIN(a, b) JOINED(a, b)
#define NAMED(name) JOIN(FMI@VERSION@_FUNCTION_PREFIX, name)
#else
#define NAMED(name) name
#endif

#if defined _WIN32 || defined __CYGWIN__
#define PUBLIC __declspec(dllexport)
#elif defined __GNUC__
#define PUBLIC __attribute__((visibility("default")))
#else
#define PUBLIC
#endif

enum { OK, WARNING, DISCARD, ERROR };

