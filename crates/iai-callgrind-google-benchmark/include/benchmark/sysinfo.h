// Part of the interface of Google Benchmark, all of which is in one header here.
#include "benchmark/benchmark.h"
