#include <memory>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "counted_source.h"
#include "expr/aggregate.h"
#include "expr/function.h"
#include "ir/ia/text.h"
#include "plan/to_tasks.h"
#include "runtime/executor.h"
#include "store/memory_tensor.h"
#include "unit/known.h"

namespace tessera::runtime::serial_executor_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// R[i] = A[i] // B[i] in two tiles.
const char* const kQuotient =
    "ia sites=1\n"
    "%0 = input A : (i:2x2) -> i64[i=4]\n"
    "%1 = input B : (i:2x2) -> i64[i=4]\n"
    "%2 = local_join(%0, %1) on=(i; i) kernel={o[i] = floor_divide(x0[i], x1[i])} : (i:2x2) "
    "-> i64[i=4]"
    "   # R (quotient.ein:3:1)\n"
    "output(%2) R\n";

class SerialExecutor : public testing::Test {
 protected:
  SerialExecutor() {
    graph_ = plan::to_tasks(
        ia::parse_graph({"plan.ia", kQuotient}, known().functions, known().aggregates),
        known().context);
  }

  RunReport run(store::TileStore& store, const std::vector<int64_t>& divisors) {
    const std::vector<int64_t> dividends = {8, 9, 10, 11};
    std::copy(dividends.begin(), dividends.end(), a_.view().as<int64_t>());
    std::copy(divisors.begin(), divisors.end(), b_.view().as<int64_t>());
    RunContext context{{&store}, known().context, {{"A", &a_}, {"B", &b_}}, {{"R", &result_}}};
    const std::vector<std::unique_ptr<CountedSource>> sources =
        lends_ ? std::vector<std::unique_ptr<CountedSource>>() : lend_nothing(context);
    return make_serial_executor()->run(graph_, context);
  }

  plan::TaskGraph graph_;
  bool lends_ = false;  // A and B
  store::MemoryTensor a_{ArrayType{DType::i64, {4}}};
  store::MemoryTensor b_{ArrayType{DType::i64, {4}}};
  store::MemoryTensor result_{ArrayType{DType::i64, {4}}};
};

TEST_F(SerialExecutor, RunsEveryTaskAndReleasesEveryTile) {
  store::TileStore store(int64_t{1} << 20);
  const RunReport report = run(store, {2, 2, 5, 4});
  const auto* values = result_.view().as<int64_t>();
  EXPECT_THAT((std::vector<int64_t>(values, values + 4)), ElementsAre(4, 4, 2, 2));
  EXPECT_EQ(report.tasks.size(), graph_.tasks.size());
  EXPECT_GE(report.peak_bytes, graph_.proof().peak.at_most);
  EXPECT_EQ(store.usage().in_use, 0);
}

TEST_F(SerialExecutor, ReadsWhereItLiesWhatASourceLends) {
  lends_ = true;
  store::TileStore store(int64_t{1} << 20);
  const RunReport report = run(store, {2, 2, 5, 4});
  const auto* values = result_.view().as<int64_t>();
  EXPECT_THAT((std::vector<int64_t>(values, values + 4)), ElementsAre(4, 4, 2, 2));
  EXPECT_LT(report.peak_bytes, graph_.proof().peak.at_most);
  EXPECT_EQ(store.usage().in_use, 0);
}

TEST_F(SerialExecutor, AFaultOfTheDataNamesItsStatement) {
  store::TileStore store(int64_t{1} << 20);
  try {
    run(store, {2, 2, 0, 4});
    FAIL() << "divided by zero";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::user);
    EXPECT_THAT(error.full_text(), HasSubstr("divided by zero"));
    EXPECT_THAT(error.full_text(), HasSubstr("in R (quotient.ein:3:1)"));
  }
  EXPECT_EQ(store.usage().in_use, 0);
}

TEST_F(SerialExecutor, AFailingAllocationReleasesWhatWasTaken) {
  for (int64_t failing = 1; failing <= 7; ++failing) {
    store::TileStore store(int64_t{1} << 20, failing);
    try {
      run(store, {1, 1, 1, 1});
      FAIL() << "allocation " << failing << " did not fail";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::resource);
    }
    EXPECT_EQ(store.usage().in_use, 0);
  }
}

TEST_F(SerialExecutor, ABudgetThatIsTooSmallIsAResourceError) {
  store::TileStore store(64);
  EXPECT_THROW(run(store, {1, 1, 1, 1}), Error);
  EXPECT_EQ(store.usage().in_use, 0);
}

TEST_F(SerialExecutor, APlanWithAnUnknownKernelIsRefused) {
  for (plan::TaskInfo& task : graph_.tasks) {
    task.kernel = "abacus";
  }
  store::TileStore store(int64_t{1} << 20);
  try {
    run(store, {1, 1, 1, 1});
    FAIL() << "ran on an abacus";
  } catch (const Error& error) {
    EXPECT_THAT(error.message(), HasSubstr("abacus"));
  }
}

}  // namespace
}  // namespace tessera::runtime::serial_executor_test
