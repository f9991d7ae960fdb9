#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

static void sum(benchmark::State& state) {
  std::vector<int> numbers(state.range(0), 1);
  for (auto _ : state) {
    long sum = 0;
    for (int number : numbers) benchmark::DoNotOptimize(sum += number);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.counters["half"] = 0.5;
}
BENCHMARK(sum)->ArgName("n")->Arg(10)->Arg(100)->Complexity(benchmark::oN);

static double address(const void* pointer) {
  return static_cast<double>(reinterpret_cast<std::uintptr_t>(pointer));
}

static void heap(benchmark::State& state) {
  const std::vector<int> numbers(1000);
  for (auto _ : state) {
  }
  state.counters["address"] = address(numbers.data());
  double variables = 0;
  for (char** variable = environ; *variable; ++variable) variables += address(*variable);
  state.counters["variables"] = variables;
}
BENCHMARK(heap);

// In a file of its own, of which the tests compile several versions
extern "C" long squares(long last);

static void squares_below_100(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(squares(100));
}
BENCHMARK(squares_below_100);

static void random_rounds(benchmark::State& state) {
  const unsigned rounds = std::random_device()() % 100000;
  for (auto _ : state) {
    for (unsigned round = 0; round < rounds; ++round) benchmark::DoNotOptimize(round);
  }
}
BENCHMARK(random_rounds);

static void empty(benchmark::State& state) {
  for (auto _ : state) {
  }
}
BENCHMARK(empty);

static void paused(benchmark::State& state) {
  for (auto _ : state) {
    state.PauseTiming();
    for (int round = 0; round < 100000; ++round) benchmark::DoNotOptimize(round);
    state.ResumeTiming();
  }
}
BENCHMARK(paused);

class Numbers : public benchmark::Fixture {
 public:
  void SetUp(const benchmark::State&) override { numbers.assign(1000, 1); }
  std::vector<int> numbers;
};
// The name in the list is that of the class
#define FIXTURE Numbers
BENCHMARK_F(FIXTURE, Clear)(benchmark::State& state) {
  while (state.KeepRunning()) numbers.clear();
}

static void two_threads(benchmark::State& state) {
  for (auto _ : state) {
    for (int round = 0; round < 1000; ++round) benchmark::DoNotOptimize(round);
  }
}
BENCHMARK(two_threads)->Threads(2);

static void check(bool condition) {
  if (!condition) throw std::logic_error("the number of iterations is wrong");
}

static void iterations(benchmark::State& state) {
  benchmark::IterationCount number = 0;
  check(state.iterations() == 0 && state.max_iterations == 42);
  while (state.KeepRunning()) {
    ++number;
    check(state.iterations() == number);
  }
  check(number == 42 && state.iterations() == 42);
  state.SetItemsProcessed(state.iterations());
  state.SetLabel("a label");
}
BENCHMARK(iterations)->Iterations(42);

static void skips(benchmark::State& state) {
  state.SkipWithMessage("not on this machine");
  for (auto _ : state) {
  }
}
BENCHMARK(skips);

static void wrong_thread(benchmark::State& state, int index, bool throws) {
  if (state.thread_index() == index) {
    if (throws) throw std::runtime_error("thrown in a thread");
    return;
  }
  for (auto _ : state) {
  }
}
BENCHMARK_CAPTURE(wrong_thread, first, 0, false)->Threads(2);
BENCHMARK_CAPTURE(wrong_thread, second, 1, false)->Threads(2);
BENCHMARK_CAPTURE(wrong_thread, first_throws, 0, true)->Threads(2);
BENCHMARK_CAPTURE(wrong_thread, second_throws, 1, true)->Threads(2);

static void wrong(benchmark::State& state, int how) {
  if (how == 0) return;
  for (auto _ : state) {
    if (how == 1) throw std::runtime_error("thrown");
    if (how == 2) std::abort();
    if (how == 3) std::exit(0);
  }
  for (auto _ : state) {
  }
}
BENCHMARK_CAPTURE(wrong, never, 0);
BENCHMARK_CAPTURE(wrong, throws, 1);
BENCHMARK_CAPTURE(wrong, aborts, 2);
BENCHMARK_CAPTURE(wrong, exits, 3);
BENCHMARK_CAPTURE(wrong, twice, 4);

static void characters(benchmark::State& state, const std::string& text, int rounds) {
  if (text.empty()) throw std::logic_error("the text was moved");
  for (auto _ : state) {
    for (int round = 0; round < rounds; ++round) {
      for (char character : text) benchmark::DoNotOptimize(character);
    }
  }
}

int main(int argc, char** argv) {
  std::string text = "a text";
  benchmark::RegisterBenchmark("characters", characters, std::move(text), 10);
  benchmark::RegisterBenchmark("characters_again", characters, text, 10);
  benchmark::Initialize(&argc, argv);
  const std::string argument = argc > 1 ? argv[1] : "";
  if (argument.rfind("--register=", 0) == 0) benchmark::RegisterBenchmark(argument.substr(11).c_str(), empty);
  const std::size_t number = benchmark::RunSpecifiedBenchmarks(argument == "filter" ? "[" : "");
  if (argument == "number") std::fprintf(stderr, "%d are selected\n", static_cast<int>(number));
  if (argument == "abort") std::abort();
  return argument == "fail" ? 3 : 0;
}
