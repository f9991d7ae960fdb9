// The interface of Google Benchmark over the harness of iai-callgrind: the body of a benchmark's loop is counted by Valgrind.
//
// Code before the loop is setup and code after it is teardown. What is about time is accepted without an effect.
#ifndef IAI_CALLGRIND_BENCHMARK_H
#define IAI_CALLGRIND_BENCHMARK_H

#include <cassert>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <initializer_list>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "benchmark/export.h"

#if defined(__GNUC__) || defined(__clang__)
#define BENCHMARK_UNUSED __attribute__((unused))
#define BENCHMARK_ALWAYS_INLINE __attribute__((always_inline))
#define BENCHMARK_DONT_OPTIMIZE
#define BENCHMARK_DEPRECATED_MSG(text) __attribute__((deprecated(text)))
#define IAI_CALLGRIND_NOINLINE __attribute__((noinline))
#define IAI_CALLGRIND_LIKELY(condition) __builtin_expect(static_cast<bool>(condition), 1)
#else
#error "iai-callgrind counts code of GCC and Clang"
#endif

#if defined(__cpp_exceptions) || defined(__EXCEPTIONS)
#define IAI_CALLGRIND_EXCEPTIONS
#endif

#define BENCHMARK_DISABLE_DEPRECATED_WARNING \
  _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wdeprecated-declarations\"")
#define BENCHMARK_RESTORE_DEPRECATED_WARNING _Pragma("GCC diagnostic pop")

// The harness, which is in the library.
extern "C" {
enum IaiCallgrindMode { iai_callgrind_counts, iai_callgrind_lists, iai_callgrind_dry_run };

struct IaiCallgrindBenchmark {
  const char* name;
  const char* curve;
  std::int64_t size;
  bool has_size;
  int complexity;
  std::int64_t iterations;
  int (*run)(void* loop, void* data);
  void* data;
};

int iai_callgrind_initialize(int argc, char** argv, const char* header,
                             int (*empty)(void* loop, void* data));
IaiCallgrindMode iai_callgrind_mode();
bool iai_callgrind_is_selected(const char* name);
bool iai_callgrind_matches(const char* filter, const char* name);
const char* iai_callgrind_filter();
int iai_callgrind_verbosity();
void iai_callgrind_survive_abort(bool survives);
void iai_callgrind_set_main(int (*main)(int argc, char** argv));
void iai_callgrind_reach(const IaiCallgrindBenchmark* benchmark, bool is_selected);
std::int64_t iai_callgrind_loop_next(void* loop);
void iai_callgrind_loop_pause(void* loop);
void iai_callgrind_loop_resume(void* loop);
void iai_callgrind_end_process();
std::int64_t iai_callgrind_loop_iterations(void* loop);
std::int64_t iai_callgrind_loop_started(void* loop);
std::int64_t iai_callgrind_calls(void* loop);
void iai_callgrind_label(const char* label);
void iai_callgrind_skipped(const char* reason);
void iai_callgrind_counter(const char* name, double value);
void iai_callgrind_amount(std::int64_t items, std::int64_t bytes);
}

namespace benchmark {

class State;
class Benchmark;
class BenchmarkReporter;

using IterationCount = std::int64_t;
using ComplexityN = std::int64_t;
using callback_function = std::function<void(const State&)>;
using BigOFunc = double(IterationCount);
using StatisticsFunc = double(const std::vector<double>&);

enum TimeUnit { kNanosecond, kMicrosecond, kMillisecond, kSecond };
enum BigO { oNone, o1, oN, oNSquared, oNCubed, oLogN, oNLogN, oAuto, oLambda };
enum StatisticUnit { kTime, kPercentage };

inline const char* GetTimeUnitString(TimeUnit unit) {
  static const char* const names[] = {"ns", "us", "ms", "s"};
  return names[unit];
}

inline double GetTimeUnitMultiplier(TimeUnit unit) {
  static const double multipliers[] = {1e9, 1e6, 1e3, 1};
  return multipliers[unit];
}

// A value that a benchmark reports by name. Flags about time have no effect on it.
class Counter {
 public:
  enum Flags {
    kDefaults = 0,
    kIsRate = 1,
    kAvgThreads = 2,
    kAvgThreadsRate = kIsRate | kAvgThreads,
    kIsIterationInvariant = 4,
    kIsIterationInvariantRate = kIsRate | kIsIterationInvariant,
    kAvgIterations = 8,
    kAvgIterationsRate = kIsRate | kAvgIterations,
    kInvert = static_cast<int>(0x80000000U)
  };
  enum OneK { kIs1000 = 1000, kIs1024 = 1024 };

  double value;
  Flags flags;
  OneK oneK;

  Counter(double number = 0, Flags how = kDefaults, OneK thousand = kIs1000)
      : value(number), flags(how), oneK(thousand) {}

  operator double const&() const { return value; }
  operator double&() { return value; }
};

inline Counter::Flags operator|(const Counter::Flags& left, const Counter::Flags& right) {
  return static_cast<Counter::Flags>(static_cast<int>(left) | static_cast<int>(right));
}

using UserCounters = std::map<std::string, Counter>;

namespace internal {

enum Skipped { NotSkipped = 0, SkippedWithMessage, SkippedWithError };
enum AggregationReportMode { ARM_Unspecified = 0, ARM_Default = 1 };

struct Statistics {
  std::string name_;
  StatisticsFunc* compute_;
  StatisticUnit unit_;
};

inline TimeUnit& DefaultTimeUnit() {
  static TimeUnit unit = kNanosecond;
  return unit;
}

// Prints a note once for each text.
inline void Note(const std::string& text) {
  static std::set<std::string> printed;
  if (iai_callgrind_mode() != iai_callgrind_lists && printed.insert(text).second) {
    std::fprintf(stderr, "note: %s\n", text.c_str());
  }
}

// Calls the function of a benchmark. DHAT counts what is allocated below this one, so that the call is not its last instruction.
template <class Code>
IAI_CALLGRIND_NOINLINE void Body(const Code& code) {
  code();
  asm volatile("" : : : "memory");
}

// The threads of a benchmark, which start and end their loops together. The first one counts. A thread whose function returned
// or that is skipped is not waited for.
class Threads {
 public:
  Threads(void* loop, int number) : loop_(loop), number_(number) {}

  // Returns the number of the next iterations of the first thread.
  std::int64_t NextOfFirst() {
    if (has_started_) {
      iai_callgrind_loop_pause(loop_);
      Wait([this] { return left_ + gone_ >= number_ - 1; });
      iai_callgrind_loop_resume(loop_);
    } else {
      Wait([this] { return entered_ + gone_ >= number_ - 1; });
    }
    const std::int64_t next = iai_callgrind_loop_next(loop_);
    iai_callgrind_loop_pause(loop_);
    Change([this, next] {
      has_started_ = true;
      ++turn_;
      next_ = next;
      entered_ = left_ = 0;
    });
    iai_callgrind_loop_resume(loop_);
    return next;
  }

  // Returns the number of the next iterations of another thread.
  std::int64_t NextOfOther(bool is_inside) {
    int turn = 0;
    Change([&] {
      turn = turn_;
      ++(is_inside ? left_ : entered_);
    });
    Wait([&] { return turn_ != turn || is_over_; });
    std::lock_guard<std::mutex> lock(mutex_);
    return is_over_ ? 0 : next_;
  }

  // The function of the first thread returned.
  void End() {
    Change([this] { is_over_ = true; });
  }

  // The function of another thread returned.
  void Leave() {
    Change([this] { ++gone_; });
  }

  void* loop() const { return loop_; }

 private:
  template <class Condition>
  void Wait(Condition condition) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, condition);
  }

  template <class Action>
  void Change(Action action) {
    std::lock_guard<std::mutex> lock(mutex_);
    action();
    changed_.notify_all();
  }

  void* const loop_;
  const int number_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool has_started_ = false;
  bool is_over_ = false;
  int turn_ = 0, entered_ = 0, left_ = 0, gone_ = 0;
  std::int64_t next_ = 0;
};

class Instance;
struct Parts;

}  // namespace internal

// The loop of a benchmark, with its arguments and what it reports.
class State {
 public:
  struct StateIterator;

  inline BENCHMARK_ALWAYS_INLINE StateIterator begin();
  inline BENCHMARK_ALWAYS_INLINE StateIterator end();

  BENCHMARK_ALWAYS_INLINE bool KeepRunning() {
    if (IAI_CALLGRIND_LIKELY(left_ > 0)) {
      --left_;
      return true;
    }
    if (skipped()) return false;
    left_ = next_(source_);
    if (left_ == 0) return false;
    --left_;
    return true;
  }

  BENCHMARK_ALWAYS_INLINE bool KeepRunningBatch(IterationCount n) {
    batch_ = n;
    return KeepRunning();
  }

  void PauseTiming() {
    if (thread_index_ == 0) iai_callgrind_loop_pause(loop_);
  }
  void ResumeTiming() {
    if (thread_index_ == 0) iai_callgrind_loop_resume(loop_);
  }

  void SkipWithError(const std::string& text) { Skip(internal::SkippedWithError, text); }
  void SkipWithMessage(const std::string& text) { Skip(internal::SkippedWithMessage, text); }
  bool skipped() const { return skipped_ != internal::NotSkipped; }
  bool error_occurred() const { return skipped_ == internal::SkippedWithError; }

  void SetIterationTime(double) {}
  void SetLabel(const std::string& label) { label_ = label; }
  void SetComplexityN(ComplexityN n) { complexity_n_ = n; }
  ComplexityN complexity_length_n() const { return complexity_n_; }
  void SetItemsProcessed(std::int64_t items) { items_ = items; }
  std::int64_t items_processed() const { return items_ < 0 ? 0 : items_; }
  void SetBytesProcessed(std::int64_t bytes) { bytes_ = bytes; }
  std::int64_t bytes_processed() const { return bytes_ < 0 ? 0 : bytes_; }

  std::int64_t range(std::size_t position = 0) const {
    assert(position < range_.size());
    return range_[position];
  }
  std::int64_t range_x() const { return range(0); }
  std::int64_t range_y() const { return range(1); }
  std::size_t range_size() const { return range_.size(); }
  int threads() const { return threads_; }
  int thread_index() const { return thread_index_; }
  // The number of iterations so far. As with Google Benchmark, it is 0 in a range loop.
  IterationCount iterations() const {
    return is_in_range_loop_ ? 0 : (iai_callgrind_loop_started(loop_) - left_) * batch_;
  }
  std::string name() const { return name_; }

  const IterationCount max_iterations;
  UserCounters counters;

  State(const State&) = delete;
  State& operator=(const State&) = delete;

 private:
  friend class internal::Instance;
  friend struct StateIterator;

  State(std::string name, const std::vector<std::int64_t>& range, void* loop, int thread_index,
        int threads, internal::Threads* others)
      : max_iterations(iai_callgrind_loop_iterations(loop)),
        next_(others == nullptr ? iai_callgrind_loop_next : NextOfThread),
        source_(others == nullptr ? loop : this),
        loop_(loop),
        others_(others),
        name_(std::move(name)),
        range_(range),
        thread_index_(thread_index),
        threads_(threads) {}

  static std::int64_t NextOfThread(void* state) {
    State& self = *static_cast<State*>(state);
    if (self.thread_index_ == 0) return self.others_->NextOfFirst();
    const std::int64_t next = self.others_->NextOfOther(self.is_inside_);
    self.is_inside_ = next > 0;
    self.has_ended_ = next == 0;
    return next;
  }

  void Skip(internal::Skipped how, const std::string& text) {
    skipped_ = how;
    skip_text_ = text;
    left_ = 0;
  }

  std::int64_t left_ = 0;
  std::int64_t (*next_)(void*);
  void* source_;
  void* loop_;
  internal::Threads* others_;
  bool is_inside_ = false, has_ended_ = false, is_in_range_loop_ = false;
  internal::Skipped skipped_ = internal::NotSkipped;
  IterationCount batch_ = 1;
  std::string name_, label_, skip_text_;
  std::vector<std::int64_t> range_;
  ComplexityN complexity_n_ = 0;
  std::int64_t items_ = -1, bytes_ = -1;
  int thread_index_, threads_;
};

struct State::StateIterator {
  // Has a destructor, so that no compiler warns about a variable that is not used.
  struct BENCHMARK_UNUSED Value {
    ~Value() {}
  };

  using iterator_category = std::forward_iterator_tag;
  using value_type = Value;
  using reference = Value;
  using pointer = Value;
  using difference_type = std::ptrdiff_t;

  StateIterator() : left_(0), state_(nullptr) {}
  explicit BENCHMARK_ALWAYS_INLINE StateIterator(State* state) : left_(0), state_(state) {
    if (state->skipped()) return;
    state->is_in_range_loop_ = true;
    left_ = state->next_(state->source_);
  }

  BENCHMARK_ALWAYS_INLINE Value operator*() const { return Value(); }
  BENCHMARK_ALWAYS_INLINE StateIterator& operator++() {
    --left_;
    return *this;
  }
  BENCHMARK_ALWAYS_INLINE bool operator!=(const StateIterator&) {
    if (IAI_CALLGRIND_LIKELY(left_ != 0)) return true;
    if (state_->skipped()) return false;
    left_ = state_->next_(state_->source_);
    if (left_ != 0) return true;
    state_->is_in_range_loop_ = false;
    return false;
  }

 private:
  std::int64_t left_;
  State* state_;
};

inline BENCHMARK_ALWAYS_INLINE State::StateIterator State::begin() { return StateIterator(this); }
inline BENCHMARK_ALWAYS_INLINE State::StateIterator State::end() { return StateIterator(); }

// Pauses the count in a scope.
class ScopedPauseTiming {
 public:
  explicit ScopedPauseTiming(State& state) : state_(state) { state_.PauseTiming(); }
  ~ScopedPauseTiming() { state_.ResumeTiming(); }
  ScopedPauseTiming(const ScopedPauseTiming&) = delete;
  void operator=(const ScopedPauseTiming&) = delete;

 private:
  State& state_;
};

// The user's own threads. They are accepted without an effect: the standard library starts the threads.
struct ThreadRunnerBase {
  virtual ~ThreadRunnerBase() {}
  virtual void RunThreads(const std::function<void(int)>& run) = 0;
};
using threadrunner_factory = std::function<std::unique_ptr<ThreadRunnerBase>(int)>;

// Returns the bounds and the powers of the multiplier between them, with both signs.
inline std::vector<std::int64_t> CreateRange(std::int64_t low, std::int64_t high, int multiplier) {
  std::set<std::int64_t> values = {low, high};
  if (low < 0 && high >= 0) values.insert(0);
  const std::int64_t largest = std::numeric_limits<std::int64_t>::max() / multiplier;
  for (std::int64_t power = 1;; power *= multiplier) {
    if (low < power && power < high) values.insert(power);
    if (low < -power && -power < high) values.insert(-power);
    if (power > largest) break;
  }
  return std::vector<std::int64_t>(values.begin(), values.end());
}

inline std::vector<std::int64_t> CreateDenseRange(std::int64_t start, std::int64_t limit, int step) {
  std::vector<std::int64_t> values;
  for (std::int64_t value = start; value <= limit; value += step) values.push_back(value);
  return values;
}

// A benchmark with its arguments and numbers of threads.
class Benchmark {
 public:
  virtual ~Benchmark() {}
  virtual void Run(State& state) = 0;

  Benchmark* Name(const std::string& name) { return With([&] { name_ = name; }); }
  Benchmark* Arg(std::int64_t x) { return Args({x}); }
  Benchmark* Args(const std::vector<std::int64_t>& args) {
    return With([&] { args_.push_back(args); });
  }
  Benchmark* ArgPair(std::int64_t x, std::int64_t y) { return Args({x, y}); }
  Benchmark* Range(std::int64_t start, std::int64_t limit) {
    return ArgsProduct({CreateRange(start, limit, multiplier_)});
  }
  Benchmark* DenseRange(std::int64_t start, std::int64_t limit, int step = 1) {
    return ArgsProduct({CreateDenseRange(start, limit, step)});
  }
  Benchmark* Ranges(const std::vector<std::pair<std::int64_t, std::int64_t>>& ranges) {
    std::vector<std::vector<std::int64_t>> lists;
    for (const auto& range : ranges) {
      lists.push_back(CreateRange(range.first, range.second, multiplier_));
    }
    return ArgsProduct(lists);
  }
  Benchmark* RangePair(std::int64_t low1, std::int64_t high1, std::int64_t low2,
                       std::int64_t high2) {
    return Ranges({{low1, high1}, {low2, high2}});
  }
  // The first list varies fastest.
  Benchmark* ArgsProduct(const std::vector<std::vector<std::int64_t>>& lists) {
    std::size_t number = lists.empty() ? 0 : 1;
    for (const auto& list : lists) number *= list.size();
    for (std::size_t index = 0; index < number; ++index) {
      std::size_t rest = index;
      std::vector<std::int64_t> args;
      for (const auto& list : lists) {
        args.push_back(list[rest % list.size()]);
        rest /= list.size();
      }
      args_.push_back(args);
    }
    return this;
  }
  Benchmark* ArgName(const std::string& name) { return ArgNames({name}); }
  Benchmark* ArgNames(const std::vector<std::string>& names) {
    return With([&] { arg_names_ = names; });
  }
  Benchmark* RangeMultiplier(int multiplier) { return With([&] { multiplier_ = multiplier; }); }
  Benchmark* Apply(const std::function<void(Benchmark*)>& function) {
    return With([&] { function(this); });
  }
  Benchmark* Setup(const callback_function& setup) { return With([&] { setup_ = setup; }); }
  Benchmark* Teardown(const callback_function& teardown) {
    return With([&] { teardown_ = teardown; });
  }
  Benchmark* Complexity(BigO complexity = oAuto) { return With([&] { complexity_ = complexity; }); }
  Benchmark* Complexity(BigOFunc*) { return Complexity(oLambda); }
  Benchmark* Threads(int number) { return With([&] { threads_.push_back(number); }); }
  Benchmark* ThreadRange(int min, int max) {
    for (std::int64_t number : CreateRange(min, max, 2)) Threads(static_cast<int>(number));
    return this;
  }
  Benchmark* DenseThreadRange(int min, int max, int stride = 1) {
    for (int number = min; number < max; number += stride) Threads(number);
    return Threads(max);
  }
  // The number is the same on every machine.
  Benchmark* ThreadPerCpu() { return Threads(4); }

  // As many iterations as this run, of which the last ones count.
  Benchmark* Iterations(IterationCount n) {
    return With([&] { iterations_ = n; });
  }

  // About time. Those that Google Benchmark has in the name are in the name here too.
  Benchmark* Repetitions(int n) {
    return With([&] { repetitions_ = "/repeats:" + std::to_string(n); });
  }
  Benchmark* MinTime(double seconds) {
    return With([&] { min_time_ = "/min_time:" + Thousandths(seconds); });
  }
  Benchmark* MinWarmUpTime(double seconds) {
    return With([&] { min_warmup_time_ = "/min_warmup_time:" + Thousandths(seconds); });
  }
  Benchmark* MeasureProcessCPUTime() { return With([&] { process_time_ = "/process_time"; }); }
  Benchmark* UseRealTime() { return With([&] { clock_ = "/real_time"; }); }
  Benchmark* UseManualTime() { return With([&] { clock_ = "/manual_time"; }); }
  Benchmark* Unit(TimeUnit unit) {
    return With([&] {
      unit_ = unit;
      has_unit_ = true;
    });
  }
  TimeUnit GetTimeUnit() const { return has_unit_ ? unit_ : internal::DefaultTimeUnit(); }
  Benchmark* ReportAggregatesOnly(bool = true) { return this; }
  Benchmark* DisplayAggregatesOnly(bool = true) { return this; }
  Benchmark* ComputeStatistics(const std::string&, StatisticsFunc*, StatisticUnit = kTime) {
    return this;
  }
  Benchmark* ThreadRunner(threadrunner_factory&&) {
    internal::Note("ThreadRunner has no effect: benchmarks run in threads of the standard library");
    return this;
  }

  const char* GetName() const { return name_.c_str(); }
  int ArgsCnt() const { return args_.empty() ? -1 : static_cast<int>(args_.front().size()); }
  const char* GetArgName(int index) const {
    return arg_names_[static_cast<std::size_t>(index)].c_str();
  }

 protected:
  explicit Benchmark(const std::string& name) : name_(name) {}
  void SetName(const std::string& name) { name_ = name; }

 private:
  friend class internal::Instance;

  template <class Change>
  Benchmark* With(Change change) {
    change();
    return this;
  }

  static std::string Thousandths(double number) {
    char text[64];
    std::snprintf(text, sizeof text, "%0.3f", number);
    return text;
  }

  std::string name_;
  std::vector<std::vector<std::int64_t>> args_;
  std::vector<std::string> arg_names_;
  std::vector<int> threads_;
  int multiplier_ = 8;
  BigO complexity_ = oNone;
  TimeUnit unit_ = kNanosecond;
  bool has_unit_ = false;
  IterationCount iterations_ = 0;
  std::string repetitions_, min_time_, min_warmup_time_, process_time_, clock_;
  callback_function setup_, teardown_;
};

// A class whose objects have the data of benchmarks.
class Fixture : public Benchmark {
 public:
  Fixture() : Benchmark("") {}
  void Run(State& state) override {
    SetUp(state);
    internal::Body([&] { BenchmarkCase(state); });
    TearDown(state);
  }
  virtual void SetUp(const State&) {}
  virtual void TearDown(const State&) {}
  virtual void SetUp(State& state) { SetUp(const_cast<const State&>(state)); }
  virtual void TearDown(State& state) { TearDown(const_cast<const State&>(state)); }

 protected:
  virtual void BenchmarkCase(State&) = 0;
};

namespace internal {

using ::benchmark::Benchmark;
using ::benchmark::threadrunner_factory;
using Function = void(State&);

// A benchmark whose code is a function or a lambda.
template <class Code>
class CodeBenchmark : public ::benchmark::Benchmark {
 public:
  template <class Given>
  CodeBenchmark(const std::string& name, Given&& code)
      : Benchmark(name), code_(std::forward<Given>(code)) {}
  void Run(State& state) override {
    Body([&] { code_(state); });
  }

 private:
  Code code_;
};

inline std::vector<std::unique_ptr<::benchmark::Benchmark>>& Registered() {
  static std::vector<std::unique_ptr<::benchmark::Benchmark>> registered;
  return registered;
}

int Main(int argc, char** argv);

inline ::benchmark::Benchmark* RegisterBenchmarkInternal(
    std::unique_ptr<::benchmark::Benchmark> benchmark) {
  iai_callgrind_set_main(Main);
  Registered().push_back(std::move(benchmark));
  return Registered().back().get();
}

template <class Code>
::benchmark::Benchmark* RegisterCode(const std::string& name, Code&& code) {
  using Class = CodeBenchmark<typename std::decay<Code>::type>;
  return RegisterBenchmarkInternal(
      std::unique_ptr<::benchmark::Benchmark>(new Class(name, std::forward<Code>(code))));
}

// A single call where a file registers a benchmark: Valgrind translates that code for each one.
IAI_CALLGRIND_NOINLINE inline ::benchmark::Benchmark* RegisterFunction(const char* name, Function* function) {
  return RegisterCode(name, function);
}

template <class Class>
::benchmark::Benchmark* RegisterFixture() {
  return RegisterBenchmarkInternal(std::unique_ptr<::benchmark::Benchmark>(new Class()));
}

// A benchmark with arguments and a number of threads.
class Instance {
 public:
  Instance(::benchmark::Benchmark* benchmark, std::vector<std::int64_t> args, int threads)
      : benchmark_(benchmark), args_(std::move(args)), threads_(threads) {
    const std::string end = benchmark->min_time_ + benchmark->min_warmup_time_ +
                            Iterations() + benchmark->repetitions_ +
                            benchmark->process_time_ + benchmark->clock_ + Number();
    curve_ = benchmark->name_ + Arguments(1) + end;
    name_ = benchmark->name_ + Arguments(0) + end;
  }

  static std::vector<Instance> All() {
    std::vector<Instance> instances;
    for (const auto& benchmark : Registered()) {
      if (benchmark->name_.compare(0, 9, "DISABLED_") == 0) continue;
      auto args = benchmark->args_;
      if (args.empty()) args.emplace_back();
      auto threads = benchmark->threads_;
      if (threads.empty()) threads.push_back(1);
      for (const auto& list : args) {
        for (int number : threads) instances.emplace_back(benchmark.get(), list, number);
      }
    }
    return instances;
  }

  const std::string& name() const { return name_; }

  void Reach(bool is_selected) {
    const IaiCallgrindBenchmark reached = {
        name_.c_str(), curve_.c_str(), Size(), !args_.empty(), benchmark_->complexity_,
        benchmark_->iterations_, RunReached, this};
    iai_callgrind_reach(&reached, is_selected);
  }

  // Runs a benchmark without a body. The library calls it before the first benchmark, so that Valgrind translates its code once.
  static int RunEmpty(void* loop, void*) {
    CodeBenchmark<Function*> empty("", [](State& state) {
      for (auto _ : state) {
      }
    });
    Instance instance(&empty, {}, 1);
    return RunReached(loop, &instance);
  }

 private:
  static IAI_CALLGRIND_NOINLINE int RunReached(void* loop, void* self) { return static_cast<Instance*>(self)->Run(loop); }

  std::int64_t Size() const { return args_.empty() ? 0 : args_.front(); }

  std::string Arguments(std::size_t first) const {
    std::string text;
    for (std::size_t index = first; index < args_.size(); ++index) {
      const auto& names = benchmark_->arg_names_;
      const std::string name = index < names.size() ? names[index] : "";
      text += "/" + (name.empty() ? "" : name + ":") + std::to_string(args_[index]);
    }
    return text;
  }

  std::string Iterations() const {
    const IterationCount number = benchmark_->iterations_;
    return number == 0 ? "" : "/iterations:" + std::to_string(number);
  }

  std::string Number() const {
    return benchmark_->threads_.empty() ? "" : "/threads:" + std::to_string(threads_);
  }

  // Runs the benchmark. Returns 0 if it passed, 1 if it failed and 2 if it is skipped.
  int Run(void* loop) {
    Threads group(loop, threads_);
    Threads* others = threads_ == 1 ? nullptr : &group;
    State first(name_, args_, loop, 0, threads_, others);
    if (!Passes([&] { RunAll(first, group); })) return 1;
    if (first.error_occurred()) return Failed("the benchmark was skipped: " + first.skip_text_);
    if (first.skipped()) {
      iai_callgrind_skipped(first.skip_text_.c_str());
      return 2;
    }
    Report(first);
    return 0;
  }

  // Returns false if the code throws an exception. Other threads would wait for this one, so it ends their process.
  template <class Code>
  bool Passes(const Code& code) const {
#ifdef IAI_CALLGRIND_EXCEPTIONS
    std::string text = "an exception of unknown type was thrown";
    try {
      code();
      return true;
    } catch (const std::exception& exception) {
      text = std::string("an exception was thrown: ") + exception.what();
    } catch (...) {
    }
    Failed(text);
    if (threads_ > 1) iai_callgrind_end_process();
    return false;
#else
    code();
    return true;
#endif
  }

  void RunAll(State& first, Threads& group) {
    if (benchmark_->setup_) benchmark_->setup_(first);
    std::vector<std::thread> threads;
    for (int index = 1; index < threads_; ++index) {
      threads.emplace_back([this, index, &first, &group] { RunOther(index, first, group); });
    }
    benchmark_->Run(first);
    group.End();
    for (std::thread& thread : threads) thread.join();
    if (benchmark_->teardown_) benchmark_->teardown_(first);
  }

  void RunOther(int index, State& first, Threads& group) {
    State state(name_, args_, group.loop(), index, threads_, &group);
    Passes([&] { benchmark_->Run(state); });
    group.Leave();
    static std::mutex mutex;
    std::lock_guard<std::mutex> lock(mutex);
    for (const auto& counter : state.counters) {
      const auto place = first.counters.emplace(counter.first, Counter(0, counter.second.flags)).first;
      place->second.value += counter.second.value;
    }
    if (state.items_ >= 0) first.items_ = first.items_processed() + state.items_;
    if (state.bytes_ >= 0) first.bytes_ = first.bytes_processed() + state.bytes_;
    if (state.skipped()) {
      first.Skip(state.skipped_, state.skip_text_);
    } else if (!state.has_ended_) {
      first.Skip(internal::SkippedWithError, "thread " + std::to_string(index) +
                                                 " never enters the loop over its `State`, or leaves it before the end");
    }
  }

  // Reports what the benchmark set. Iterations that do not count are taken out of amounts.
  void Report(const State& state) const {
    const std::int64_t all = state.max_iterations, counted = iai_callgrind_calls(state.loop_);
    const auto counted_part = [&](std::int64_t amount) {
      return amount < 0 ? amount : amount / all * counted + amount % all * counted / all;
    };
    if (state.items_ >= 0 || state.bytes_ >= 0) {
      iai_callgrind_amount(counted_part(state.items_), counted_part(state.bytes_));
    }
    if (!state.label_.empty()) iai_callgrind_label(state.label_.c_str());
    const double iterations = static_cast<double>(all * state.batch_);
    for (const auto& counter : state.counters) {
      double value = counter.second.value;
      const int flags = counter.second.flags;
      if ((flags & Counter::kIsIterationInvariant) != 0) value *= iterations;
      if ((flags & Counter::kAvgIterations) != 0) value /= iterations;
      if ((flags & Counter::kAvgThreads) != 0) value /= threads_;
      iai_callgrind_counter(counter.first.c_str(), value);
    }
  }

  static int Failed(const std::string& text) {
    std::fprintf(stderr, "error: %s\n", text.c_str());
    return 1;
  }

  ::benchmark::Benchmark* benchmark_;
  std::vector<std::int64_t> args_;
  int threads_;
  std::string name_, curve_;
};

}  // namespace internal

inline Benchmark* RegisterBenchmark(const std::string& name, internal::Function* function) {
  return internal::RegisterCode(name, function);
}

template <class Code>
Benchmark* RegisterBenchmark(const std::string& name, Code&& code) {
  return internal::RegisterCode(name, std::forward<Code>(code));
}

// Each benchmark has copies of the code and its arguments, which stay the caller's even if they may be moved.
template <class Code, class First, class... Rest>
Benchmark* RegisterBenchmark(const std::string& name, Code&& code, First&& first, Rest&&... rest) {
  return internal::RegisterCode(name, [=](State& state) { code(state, first, rest...); });
}

inline void ClearRegisteredBenchmarks() { internal::Registered().clear(); }

#include "benchmark/accepted.inc"

inline void PrintDefaultHelp() {}

// Reads the command line: options of Google Benchmark and of iai-callgrind. What follows `--` is the program's own.
inline void Initialize(int* argc, char** argv, void (*)() = PrintDefaultHelp) {
  *argc = iai_callgrind_initialize(*argc, argv, __FILE__, internal::Instance::RunEmpty);
}

inline bool ReportUnrecognizedArguments(int argc, char** argv) {
  for (int index = 1; index < argc; ++index) {
    std::fprintf(stderr, "error: the argument %s is not known\n", argv[index]);
  }
  return argc > 1;
}

inline void Shutdown() {}
inline void MaybeReenterWithoutASLR(int, char**) {}
inline std::string GetBenchmarkVersion() { return "v1.9.4"; }
inline std::string GetBenchmarkFilter() { return internal::FilterOfCode().empty() ? iai_callgrind_filter() : internal::FilterOfCode(); }
inline void SetBenchmarkFilter(std::string filter) { internal::FilterOfCode() = std::move(filter); }

// Reaches the benchmarks that the filters select. Returns their number.
inline std::size_t RunSpecifiedBenchmarks(BenchmarkReporter* display, BenchmarkReporter* file, std::string filter) {
  iai_callgrind_initialize(0, nullptr, __FILE__, internal::Instance::RunEmpty);
  if (display != nullptr || file != nullptr) {
    internal::Note("reporters of the file have no effect: the results are those of the runner");
  }
  if (filter.empty()) filter = internal::FilterOfCode();
  iai_callgrind_survive_abort(false);
  std::size_t number = 0;
  for (internal::Instance& instance : internal::Instance::All()) {
    const char* name = instance.name().c_str();
    if (!iai_callgrind_matches(filter.c_str(), name)) continue;
    const bool is_selected = iai_callgrind_is_selected(name);
    if (is_selected) ++number;
    // The runner gets the others too, as those that are not selected
    if (iai_callgrind_mode() != iai_callgrind_lists) {
      if (is_selected || iai_callgrind_mode() == iai_callgrind_counts) instance.Reach(is_selected);
    } else if (is_selected) {
      std::printf("%s\n", name);
    }
  }
  // The code after the benchmarks can abort, which drops what is not written
  std::fflush(stdout);
  iai_callgrind_survive_abort(true);
  return number;
}
inline std::size_t RunSpecifiedBenchmarks() { return RunSpecifiedBenchmarks(nullptr, nullptr, ""); }
inline std::size_t RunSpecifiedBenchmarks(std::string filter) {
  return RunSpecifiedBenchmarks(nullptr, nullptr, std::move(filter));
}
inline std::size_t RunSpecifiedBenchmarks(BenchmarkReporter* display) {
  return RunSpecifiedBenchmarks(display, nullptr, "");
}
inline std::size_t RunSpecifiedBenchmarks(BenchmarkReporter* display, std::string filter) {
  return RunSpecifiedBenchmarks(display, nullptr, std::move(filter));
}
inline std::size_t RunSpecifiedBenchmarks(BenchmarkReporter* display, BenchmarkReporter* file) {
  return RunSpecifiedBenchmarks(display, file, "");
}

}  // namespace benchmark

namespace benchmark {
namespace internal {

// The `main` of the library `benchmark_main`.
inline int Main(int argc, char** argv) {
  Initialize(&argc, argv);
  if (ReportUnrecognizedArguments(argc, argv)) return 1;
  RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace internal
}  // namespace benchmark

#include "benchmark/optimization.inc"
#include "benchmark/registering.inc"

#endif
