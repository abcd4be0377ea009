#include "engine/execution/rounds.h"

#include <algorithm>

#include <gmock/gmock.h>

#include "base/error.h"
#include "engine/session.h"
#include "store/memory_tensor.h"
#include "unit/io/scratch_directory.h"
#include "unit/io/thrown_error.h"

namespace tessera::engine::rounds_test {
namespace {

using store::MemoryTensor;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr int64_t kRows = 7;
constexpr int64_t kColumns = 5;

/// A matrix of small integers.
MemoryTensor matrix() {
  MemoryTensor made({DType::f32, {kRows, kColumns}});
  for (int64_t number = 0; number < kRows * kColumns; ++number) {
    made.view().as<float>()[number] = static_cast<float>(number * 7 % 11 - 5);
  }
  return made;
}

Program program(const std::string& text) {
  return {{"p.ein", text}};
}

/// Rounds one after the other, whose results go to memory.
class ListedRounds : public Rounds {
 public:
  explicit ListedRounds(std::vector<Round> rounds) : rounds_(std::move(rounds)) {}

  std::optional<Round> next(const Sources& left) override {
    names_left.emplace_back();
    for (const auto& [name, source] : left) {
      names_left.back() += name;
    }
    return num_given_ == rounds_.size() ? std::nullopt : std::optional(rounds_[num_given_++]);
  }

  void planned(const Stages& stages) override {
    for (const plan::SinkInfo& sink : stages.results()) {
      results.insert_or_assign(sink.name, MemoryTensor(sink.type));
    }
  }

  /// What a round leaves has no sink here.
  Outlets outlets(const Plan& plan) override {
    Outlets outlets;
    for (const plan::SinkInfo& sink : plan.tasks.sinks) {
      const std::vector<std::string>& left = rounds_[num_given_ - 1].leaves;
      if (std::find(left.begin(), left.end(), sink.name) == left.end()) {
        outlets.sinks[sink.name] = &results.at(sink.name);
      }
    }
    return outlets;
  }

  void ran(const Plan&, std::vector<runtime::RunReport> reports) override {
    num_runs.push_back(reports.size());
  }

  void done(const Stages&) override {}

  std::map<std::string, MemoryTensor> results;
  std::vector<size_t> num_runs;         // of every round
  std::vector<std::string> names_left;  // before every round

 private:
  std::vector<Round> rounds_;
  size_t num_given_ = 0;
};

std::vector<float> elements(const MemoryTensor& tensor) {
  const auto* const first = tensor.view().as<float>();
  return {first, first + num_elements(tensor.type().shape)};
}

Round round(const std::string& text, const MemoryTensor& x) {
  return {program(text), {{{"X", x.type()}}, {}}, {{"X", &x}}, {}, {}};
}

const std::string kFirst =
    "input X[i,j]\nm[i] = max[j] X[i,j]\ns[i] = sum[j] X[i,j]\noutput m, s\n";
const std::string kSecond = "input X[i,j], m[i], s[i]\nY[i,j] = (X[i,j] - m[i]) * s[i]\noutput Y\n";

std::vector<float> of_one_round(const Session& session, const MemoryTensor& x) {
  ListedRounds whole(
      {round("input X[i,j]\nm[i] = max[j] X[i,j]\ns[i] = sum[j] X[i,j]\n"
             "Y[i,j] = (X[i,j] - m[i]) * s[i]\noutput Y\n",
             x)});
  session.execute(whole);
  return elements(whole.results.at("Y"));
}

std::vector<float> of_two_rounds(const Session& session, const MemoryTensor& x) {
  Round first = round(kFirst, x);
  first.leaves = {"m", "s"};
  Round second = round(kSecond, x);
  second.reads = {"m", "s"};
  ListedRounds rounds({first, second});
  session.execute(rounds);
  EXPECT_THAT(rounds.names_left, ElementsAre("", "ms", "ms"));
  EXPECT_THAT(rounds.num_runs, ElementsAre(1, 1));
  return elements(rounds.results.at("Y"));
}

TEST(Rounds, TheSecondReadsWhatTheFirstLeftAndComputesTheBitsOfOne) {
  const MemoryTensor x = matrix();
  for (const std::map<std::string, int64_t>& tile :
       {std::map<std::string, int64_t>{}, {{"i", 2}, {"j", 3}}}) {
    Settings settings;
    settings.tile = tile;
    const Session session(settings);
    const std::vector<float> whole = of_one_round(session, x);
    EXPECT_EQ(of_two_rounds(session, x), whole);
    EXPECT_EQ(whole[0], -10);  // the row is -5 2 -2 5 1
  }
}

TEST(Rounds, WhatIsLeftIsInFilesWithoutNames) {
  const io::ScratchDirectory scratch;
  const MemoryTensor x = matrix();
  Settings settings;
  settings.spill_directory = scratch.path("");
  const Session session(settings);
  EXPECT_EQ(of_two_rounds(session, x), of_one_round(session, x));
  EXPECT_THAT(scratch.names(), testing::IsEmpty());
}

/// Halves a number until it is below one: how often is known only when a round has run.
class Halving : public ListedRounds {
 public:
  explicit Halving(const MemoryTensor& start) : ListedRounds({}), start_(start) {}

  std::optional<Round> next(const Sources& left) override {
    float now = 0;
    const store::TileSource& source = left.empty() ? start_ : *left.at("x");
    source.read(dense_view(reinterpret_cast<std::byte*>(&now), DType::f32, whole({})));
    if (now < 1) {
      return std::nullopt;
    }
    ++num_rounds;
    Round step{program("input x_before\nx = x_before * 0.5\noutput x\n"), {}, {}, {}, {"x"}};
    step.sources["x_before"] = &source;
    step.bindings.inputs["x_before"] = source.type();
    return step;
  }

  Outlets outlets(const Plan&) override { return {}; }

  int64_t num_rounds = 0;

 private:
  const MemoryTensor& start_;
};

TEST(Rounds, TheLastIsKnownWhenTheOneBeforeHasRun) {
  MemoryTensor start({DType::f32, {}});
  start.view().as<float>()[0] = 10;
  Halving halving(start);
  Session().execute(halving);
  EXPECT_EQ(halving.num_rounds, 4);  // 5, 2.5, 1.25, 0.625
}

TEST(Rounds, OnePlanRunsAsOftenAsAsked) {
  const MemoryTensor x = matrix();
  Round first = round(kFirst, x);
  first.num_runs = 3;
  ListedRounds rounds({first});
  Session().execute(rounds);
  EXPECT_THAT(rounds.num_runs, ElementsAre(3));
}

TEST(Rounds, AreRefusedWhereTheyReadOrLeaveWhatIsNotThere) {
  const MemoryTensor x = matrix();
  const auto message = [&](std::vector<std::string> reads, std::vector<std::string> leaves) {
    Round given = round(kFirst, x);
    given.reads = std::move(reads);
    given.leaves = std::move(leaves);
    return thrown_error([&] {
             ListedRounds rounds({given});
             Session().execute(rounds);
           })
        .message();
  };
  EXPECT_EQ(message({"q"}, {}), "a round reads q, which none before it left");
  EXPECT_EQ(message({}, {"q"}), "a round is to leave q, which is none of its results");
}

TEST(Rounds, EachIsRefusedBeforeItRunsWhereItsBudgetIsTooSmall) {
  const MemoryTensor x = matrix();
  ListedRounds rounds({round(kFirst, x)});
  Settings settings;
  settings.tile = {{"i", kRows}, {"j", kColumns}};
  settings.memory_bytes = 64;
  const Session session(settings);
  EXPECT_EQ(thrown_error([&] { session.execute(rounds); }).kind(), ErrorKind::resource);
  EXPECT_THAT(rounds.num_runs, testing::IsEmpty());
}

}  // namespace
}  // namespace tessera::engine::rounds_test
