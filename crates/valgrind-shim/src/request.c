/* A client request as a function, for targets where Rust has no inline assembly. */

#if defined(__has_include)
#if !__has_include(<valgrind/valgrind.h>)
#error "valgrind/valgrind.h was not found"
#endif
#endif

#include <stddef.h>
#include <valgrind/valgrind.h>

size_t iai_callgrind_client_request(size_t fallback, const size_t *arguments)
{
    return VALGRIND_DO_CLIENT_REQUEST_EXPR(fallback, arguments[0], arguments[1], arguments[2],
                                           arguments[3], arguments[4], arguments[5]);
}
