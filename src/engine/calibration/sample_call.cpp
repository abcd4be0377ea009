#include "engine/calibration/sample_call.h"

#include <algorithm>
#include <array>
#include <barrier>
#include <cmath>
#include <ctime>
#include <memory>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"
#include "expr/text/text.h"
#include "kernels/registry.h"
#include "store/page_pool.h"
#include "types/tile_view.h"

namespace tessera::engine {

namespace {

constexpr int kRuns = 15;                // with the median taken, like in the bench
constexpr double kLeastSeconds = 20e-3;  // of a run: shorter calls are repeated

/// Returns the computing time of this thread so far: time of other programs does not count.
double computed_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// The memory of a call, in pages like those of a run's tiles.
class Bytes {
 public:
  explicit Bytes(int64_t bytes)
      : bytes_(std::max<int64_t>(bytes, 1)),
        pool_(std::make_unique<store::PagePool>(0)),
        data_(pool_->take(bytes_, store::Filling::in_parts)) {
    if (data_ == nullptr) {
      throw std::bad_alloc();
    }
  }
  Bytes(Bytes&&) = default;
  Bytes& operator=(Bytes&&) = delete;
  ~Bytes() {
    if (pool_ != nullptr) {
      pool_->put(data_, bytes_);
    }
  }

  std::byte* data() const { return data_; }

 private:
  int64_t bytes_;
  std::unique_ptr<store::PagePool> pool_;
  std::byte* data_;
};

/// A tile of small numbers, none of them 0.
struct Tile {
  explicit Tile(const ArrayType& type)
      : bytes(size_in_bytes(type)), view(dense_view(bytes.data(), type.dtype, whole(type.shape))) {
    const int64_t count = num_elements(type.shape);
    for (int64_t at = 0; at < count; ++at) {
      const auto number = static_cast<float>(1 + at % 7);
      if (type.dtype == DType::f64) {
        view.as<double>()[at] = number;
      } else {
        view.as<float>()[at] = number;
      }
    }
  }
  Bytes bytes;
  TileView view;
};

/// Returns the array that a program reads as an operand, as far as its labels reach.
ArrayType input_type(const expr::TileProgram& program, std::span<const expr::LabelRange> ranges,
                     int32_t operand) {
  ArrayType type;
  for (const expr::Node& node : program.statements[0].bodies[0].nodes) {
    const auto* const access = std::get_if<expr::Access>(&node.op);
    if (access == nullptr || access->operand != operand) {
      continue;
    }
    type = {node.dtype, {}};
    for (const expr::Index& index : access->index) {
      type.shape.push_back(static_cast<int64_t>(expr::reach_of(index, ranges)->highest) + 1);
    }
  }
  return type;
}

/// The memory of a call.
class Operands {
 public:
  Operands(const expr::TileProgram& program, std::span<const expr::LabelRange> ranges,
           int64_t workspace_bytes)
      : workspace_(workspace_bytes) {
    for (int32_t operand = 0; operand < program.num_inputs; ++operand) {
      inputs_.push_back(tiles_.emplace_back(input_type(program, ranges, operand)).view);
    }
    ArrayType result{program.statements[0].bodies[0].dtype(), {}};
    for (const expr::LabelNumber label : program.statements[0].out) {
      result.shape.push_back(ranges[static_cast<size_t>(label)].length);
    }
    output_ = tiles_.emplace_back(result).view;
  }

  kernels::KernelCall call(std::span<const expr::LabelRange> ranges) const {
    return {inputs_, {&output_, 1}, ranges, false, workspace_.data()};
  }

 private:
  std::vector<Tile> tiles_;
  std::vector<TileView> inputs_;
  TileView output_;
  Bytes workspace_;
};

/// Returns the seconds of a call, the median of several, each of which begins when all threads are
/// ready.
double usual_seconds(const kernels::PreparedKernel& kernel, const kernels::KernelCall& call,
                     std::barrier<>& together) {
  const auto seconds_of = [&](int64_t calls) {
    const double start = computed_seconds();
    for (int64_t number = 0; number < calls; ++number) {
      kernel.run(call);
    }
    return (computed_seconds() - start) / static_cast<double>(calls);
  };
  seconds_of(1);  // brings in pages and code
  const auto calls = static_cast<int64_t>(std::ceil(kLeastSeconds / seconds_of(1)));
  std::array<double, kRuns> seconds;
  for (double& run : seconds) {
    together.arrive_and_wait();
    run = seconds_of(calls);
  }
  const auto middle = seconds.begin() + kRuns / 2;
  std::nth_element(seconds.begin(), middle, seconds.end());
  return *middle;
}

}  // namespace

SampleCall::SampleCall(const Sample& sample, const kernels::Context& context)
    : context_(context),
      kernel_(*context.kernels.find(std::string(sample.kernel))),
      program_(expr::parse_program({"sample", std::string(sample.program)}, {},
                                   {context.aggregates, {}}, context.functions)) {
  context_.precision = sample.precision;
  for (const expr::LabelDecl& label : program_.labels) {
    shape_.ranges.push_back({0, label.extent});
  }
}

kernels::KernelPlan SampleCall::plan(const kernels::Context& context) const {
  OrRefusal<kernels::KernelPlan> plan = kernel_.read(program_, shape_, context);
  TESSERA_CHECK(static_cast<bool>(plan), "{} refuses its sample: {}", kernel_.name, plan.reason());
  return std::move(*plan);
}

kernels::Cost SampleCall::predicted(const KernelRates& rates) const {
  Machine machine = context_.machine;
  machine.rates = rates;
  return plan({context_.functions,
               context_.aggregates,
               context_.kernels,
               machine,
               {},
               context_.precision})
      .cost;
}

double SampleCall::measured(int32_t threads) const {
  const kernels::KernelPlan plan = this->plan(context_);
  const std::shared_ptr<const kernels::PreparedKernel> kernel = plan.prepare();
  std::vector<Operands> operands;
  for (int32_t thread = 0; thread < threads; ++thread) {
    operands.emplace_back(program_, shape_.ranges, plan.workspace_bytes);
  }
  std::vector<double> seconds(operands.size());
  std::barrier together(threads);
  {
    std::vector<std::jthread> all;
    for (size_t thread = 0; thread < operands.size(); ++thread) {
      all.emplace_back([&, thread] {
        seconds[thread] = usual_seconds(*kernel, operands[thread].call(shape_.ranges), together);
      });
    }
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}

}  // namespace tessera::engine
