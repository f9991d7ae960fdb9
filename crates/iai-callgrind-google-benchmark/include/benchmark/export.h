// Macros of visibility, which a static library does not need.
#ifndef IAI_CALLGRIND_BENCHMARK_EXPORT_H
#define IAI_CALLGRIND_BENCHMARK_EXPORT_H

#define BENCHMARK_EXPORT
#define BENCHMARK_NO_EXPORT
#ifndef BENCHMARK_DEPRECATED
#define BENCHMARK_DEPRECATED
#endif

#endif
