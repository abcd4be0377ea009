#include <cstring>
#include <random>

#include <gmock/gmock.h>

#include "base/error.h"
#include "engine/promise/promised_plan.h"
#include "engine/session.h"
#include "store/memory_tensor.h"
#include "unit/io/scratch_directory.h"

namespace tessera::engine::promise_test {
namespace {

using store::MemoryTensor;
using testing::HasSubstr;

/// A program and its data.
struct Drawn {
  std::string text;
  std::map<std::string, MemoryTensor> inputs;
};

MemoryTensor of_numbers(DType dtype, Shape shape, std::mt19937& random, int64_t lowest,
                        int64_t highest) {
  MemoryTensor tensor({dtype, shape});
  std::uniform_int_distribution<int64_t> number(lowest, highest);
  for (int64_t at = 0; at < num_elements(shape); ++at) {
    const int64_t value = number(random);
    switch (dtype) {
      case DType::u8:
        tensor.view().as<uint8_t>()[at] = static_cast<uint8_t>(value);
        break;
      case DType::i64:
        tensor.view().as<int64_t>()[at] = value;
        break;
      default:
        tensor.view().as<double>()[at] = static_cast<double>(value);
        break;
    }
  }
  return tensor;
}

/// Programs whose later plans follow from a count, or from tensors that data index; half of them
/// keep all, or nothing.
std::vector<std::string> programs() {
  return {
      "input x[i], s[i]\nY[i] = keep[i where s[i] > 1] x[i]\nt = sum[i] Y[i]\n"
      "output Y, t\n",
      "input X[i,j], s[i]\nY[i,j] = keep[i where s[i] > 1] (2 * X[i,j] + index(i))\n"
      "C[i,j] = keep[j where any[i] (Y[i,j] > 2)] Y[i,j]\noutput Y, C\n",
      "input X[i,j], s[i]\nA[i,j] = X[i,j] * 3\nr[i] = sum[j] A[i,j]\n"
      "Y[i,j] = keep[i where r[i] > s[i]] A[i,j]\nm[j] = max[i] A[i,j]\noutput A, Y, m\n",
      "input X[i,j], g[i]\nY[g[i], j] = sum[i] X[i,j]\nZ[g,j] = Y[g,j] - 1\noutput Z\n",
      "input X[i,j]\nY[i // 3, j] = sum[i] X[i,j]\noutput Y\n",
      "input x[i], I[i]\nz[i] = x[i] * 2 + 1\nY[i] = z[I[i]]\noutput Y, z\n",
      "input x[i], I[i]\nY[i] = x[I[I[i]]]\noutput Y\n",
      "input X[i,j]\nZ[i,j] = X[i,j] + 1\nY[i,j] = Z[(i + 5) % size(i), (j + 3) % size(j)]\n"
      "output Y\n",
      "input X[i,j], I[i], J[k]\nY[i,k] = X[I[i], J[k]]\noutput Y\n",
      "input X[i,j]\nS[i] = sum[j] X[i,j]\noutput X, S\n",
      "input X[i,j]\noutput X\n",
  };
}

Drawn drawn(size_t number, uint32_t seed) {
  std::mt19937 random(seed);
  const auto length = [&](int64_t lowest, int64_t highest) {
    return std::uniform_int_distribution<int64_t>(lowest, highest)(random);
  };
  const int64_t rows = length(4, 150);
  const int64_t columns = length(1, 7);
  const int64_t shift = std::vector<int64_t>{-9, 0, 0, 9}[seed % 4];
  Drawn made;
  made.text = programs()[number];
  made.inputs.emplace("x", of_numbers(DType::f64, {rows}, random, -3, 3));
  made.inputs.emplace("X", of_numbers(DType::f64, {rows, columns}, random, -3, 3));
  made.inputs.emplace("s", of_numbers(DType::f64, {rows}, random, -2 + shift, 4 + shift));
  made.inputs.emplace("g", of_numbers(DType::u8, {rows}, random, 0, length(0, 255)));
  made.inputs.emplace("I", of_numbers(DType::i64, {rows}, random, 0, rows - 1));
  made.inputs.emplace("J", of_numbers(DType::i64, {5}, random, 0, columns - 1));
  std::erase_if(made.inputs, [&](const auto& input) {
    const std::string head = made.text.substr(0, made.text.find('\n'));
    return head.find(" " + input.first + "[") == std::string::npos;
  });
  return made;
}

/// Runs a program and holds its results.
class HeldResults : public Rounds {
 public:
  explicit HeldResults(const Drawn& drawn) {
    round_ = Round{Program{{"p.ein", drawn.text}}, {}, {}, {}, {}};
    for (const auto& [name, tensor] : drawn.inputs) {
      round_->bindings.inputs[name] = tensor.type();
      round_->sources[name] = &tensor;
    }
  }

  std::optional<Round> next(const Sources&) override { return std::exchange(round_, std::nullopt); }
  void planned(const Stages& stages) override {
    for (const plan::SinkInfo& sink : stages.results()) {
      results.insert_or_assign(sink.name, MemoryTensor(sink.type));
    }
  }
  Outlets outlets(const Plan& plan) override {
    ++num_plans;
    Outlets outlets;
    for (const plan::SinkInfo& sink : plan.tasks.sinks) {
      if (const auto result = results.find(sink.name); result != results.end()) {
        outlets.sinks[sink.name] = &result->second;
      }
    }
    return outlets;
  }
  void ran(const Plan&, std::vector<runtime::RunReport>) override {}
  void done(const Stages&) override {}

  std::map<std::string, MemoryTensor> results;
  int num_plans = 0;  // that were run

 private:
  std::optional<Round> round_;
};

Settings settings_of(uint32_t seed) {
  Settings settings;
  settings.workers = 1 + static_cast<int32_t>(seed % 2);
  settings.num_sites = seed % 5 == 0 ? 2 : 1;
  settings.memory_bytes = 1;
  return settings;
}

/// The budget that a refusal names, where nothing has run.
int64_t smallest_budget(const Drawn& drawn, const Settings& settings) {
  HeldResults rounds(drawn);
  try {
    const Session session(settings);
    session.execute(rounds);
  } catch (const plan::BudgetError& refused) {
    EXPECT_EQ(rounds.num_plans, 0) << drawn.text << refused.message();
    return refused.shortage().smallest_budget;
  }
  ADD_FAILURE() << "runs with " << *settings.memory_bytes << " bytes: " << drawn.text;
  return 1;
}

bool has_same_bytes(const MemoryTensor& a, const MemoryTensor& b) {
  return a.type() == b.type() && std::memcmp(a.view().data, b.view().data,
                                             static_cast<size_t>(size_in_bytes(a.type()))) == 0;
}

TEST(Promise, ARunEndsUnderTheBudgetThatARefusalNamesAndIsRefusedBelowBeforeItBegins) {
  for (size_t number = 0; number < programs().size(); ++number) {
    const auto seed = static_cast<uint32_t>(number);
    const Drawn program = drawn(number, seed);
    Settings settings = settings_of(seed);
    const int64_t smallest = smallest_budget(program, settings);
    settings.memory_bytes = smallest - 64;
    EXPECT_EQ(smallest_budget(program, settings), smallest) << program.text;
    settings.memory_bytes = smallest;
    HeldResults small(program);
    ASSERT_NO_THROW(Session(settings).execute(small)) << program.text;
    settings.memory_bytes = std::nullopt;
    HeldResults free(program);
    Session(settings).execute(free);
    ASSERT_EQ(small.results.size(), free.results.size());
    for (const auto& [name, tensor] : free.results) {
      EXPECT_TRUE(has_same_bytes(tensor, small.results.at(name))) << name << program.text;
    }
  }
}

TEST(Promise, SaysBeforeTheRunWhatOnlyARunCanTell) {
  std::mt19937 random(1);
  Drawn program;
  program.text = "input x[i], g[i]\nY[g[i]] = sum[i] x[i]\noutput Y\n";
  program.inputs.emplace("x", of_numbers(DType::f64, {50}, random, 0, 9));
  program.inputs.emplace("g", of_numbers(DType::i64, {50}, random, 0, 9));
  Settings settings = settings_of(1);
  HeldResults rounds(program);
  try {
    Session(settings).execute(rounds);
    FAIL() << "runs in one byte";
  } catch (const plan::BudgetError& refused) {
    EXPECT_THAT(refused.message(), HasSubstr("so far: how many groups of Y"));
  }
}

/// Checkpoints are kept after every statement.
TEST(Promise, ARunWithCheckpointsEndsUnderTheBudgetThatARefusalNames) {
  for (const size_t number : {size_t{0}, size_t{5}}) {
    const io::ScratchDirectory scratch;
    const Drawn program = drawn(number, 7);
    Settings settings = settings_of(1);
    settings.checkpoint_directory = scratch.path("kept");
    settings.checkpoint_seconds = 1e-9;
    settings.memory_bytes = smallest_budget(program, settings);
    for (int start = 0; start < 2; ++start) {
      HeldResults rounds(program);
      ASSERT_NO_THROW(Session(settings).execute(rounds)) << program.text << "start " << start;
    }
  }
}

}  // namespace
}  // namespace tessera::engine::promise_test
