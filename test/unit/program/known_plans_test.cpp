#include "program/growing/known_plans.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/session.h"
#include "program/growing/tensor_program.h"
#include "store/memory_tensor.h"

namespace tessera::program::known_plans_test {

namespace {

using testing::ElementsAre;

/// A program over whole numbers of f64.
class KnownPlansTest : public testing::Test {
 protected:
  std::vector<double> plus_ten(const std::vector<double>& values) {
    TensorProgram program(session_, {}, learned_);
    FreshLabels labels;
    const Shape grid = {static_cast<int64_t>(values.size())};
    const Labels rows = labels.of(grid);
    const Expression numbers = read(program.add_values(values, grid), indices_of(rows));
    const TensorRows sums =
        program.add(grid, {DType::f64, {}}, {left_of(rows), numbers + number(int64_t{10})});
    store::MemoryTensor result(type_of(sums));
    program.run({{sums.name, &result}}, {});
    const auto* const first = result.view().as<double>();
    return {first, first + values.size()};
  }

  engine::Session session_{engine::Settings()};
  Learned learned_{session_};
};

TEST_F(KnownPlansTest, ServeProgramsOverOtherTensors) {
  EXPECT_THAT(plus_ten({1, 2, 3}), ElementsAre(11, 12, 13));
  EXPECT_THAT(plus_ten({4, 5, 6}), ElementsAre(14, 15, 16));
  EXPECT_EQ(learned_.plans.size(), 1U);
  EXPECT_THAT(plus_ten({7, 8}), ElementsAre(17, 18));
  EXPECT_EQ(learned_.plans.size(), 2U);
}

TEST_F(KnownPlansTest, ServeStatementsThatDifferInTheirTensorsAlone) {
  plus_ten({1, 2});
  plus_ten({3, 4});
  EXPECT_EQ(learned_.statements.size(), 1U);
  plus_ten({1, 2, 3});
  EXPECT_EQ(learned_.statements.size(), 2U);
}

/// A frame that passes on an input of this type.
FrameShape frame_of(DType dtype, int64_t extent) {
  return {{{dtype, {extent}}}, {}, {0}};
}

TEST_F(KnownPlansTest, AreOfTypesOfInputs) {
  KnownPlans plans;
  plans.keep(frame_of(DType::f32, 3), {});
  EXPECT_NE(plans.find(frame_of(DType::f32, 3)), nullptr);
  EXPECT_EQ(plans.find(frame_of(DType::f64, 3)), nullptr);
}

TEST_F(KnownPlansTest, ForgetThoseNotUsedForLongest) {
  KnownPlans plans;
  plans.keep(frame_of(DType::f32, 0), {});
  plans.keep(frame_of(DType::f32, 1), {});
  for (size_t number = 2; plans.size() == number; ++number) {
    plans.keep(frame_of(DType::f32, static_cast<int64_t>(number)), {});
    plans.find(frame_of(DType::f32, 0));
  }
  EXPECT_NE(plans.find(frame_of(DType::f32, 0)), nullptr);
  EXPECT_EQ(plans.find(frame_of(DType::f32, 1)), nullptr);
}

}  // namespace

}  // namespace tessera::program::known_plans_test
