/* The functions of lib.rs, with the macros of Valgrind's headers. */

#include <valgrind/callgrind.h>
#include <valgrind/helgrind.h>
#include <valgrind/memcheck.h>

void no_arguments(void) { CALLGRIND_TOGGLE_COLLECT; }

void one_argument(void) { CALLGRIND_DUMP_STATS_AT("label"); }

void four_arguments(void *address, unsigned long size, unsigned long redzone)
{
    VALGRIND_MALLOCLIKE_BLOCK(address, size, redzone, 1);
}

unsigned long a_result(void) { return RUNNING_ON_VALGRIND; }

unsigned long arguments_and_a_result(void *address, unsigned long length)
{
    return VALGRIND_MAKE_MEM_DEFINED(address, length);
}

/* As VALGRIND_HG_CLEAN_MEMORY_HEAPBLOCK, which does not compile in Valgrind 3.19 */
long another_default(void *block)
{
    return VALGRIND_DO_CLIENT_REQUEST_EXPR(-2L, _VG_USERREQ__HG_CLEAN_MEMORY_HEAPBLOCK, block, 0, 0,
                                           0, 0);
}

void two_requests(void)
{
    CALLGRIND_START_INSTRUMENTATION;
    CALLGRIND_STOP_INSTRUMENTATION;
}
