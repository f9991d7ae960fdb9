// A file of Google Benchmark, which is counted as it is.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

static std::uint32_t Checksum(const std::vector<std::uint8_t>& bytes) {
  std::uint32_t sum = 0;
  for (std::uint8_t byte : bytes) sum = ((sum << 5) | (sum >> 27)) ^ byte;
  return sum;
}

static void BM_Checksum(benchmark::State& state) {
  const std::vector<std::uint8_t> bytes(static_cast<std::size_t>(state.range(0)), 7);
  for (auto _ : state) {
    benchmark::DoNotOptimize(Checksum(bytes));
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_Checksum)->RangeMultiplier(8)->Range(64, 4096)->Complexity(benchmark::oN);
