#include "program/runs/known_plans.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/session.h"
#include "program/growing/names_by_place.h"
#include "program/growing/tensor_program.h"
#include "store/memory_tensor.h"

namespace tessera::program::known_plans_test {

namespace {

using testing::ElementsAre;

TEST(NamesByPlace, FollowFromPlacesAlone) {
  NamesByPlace names;
  const auto is_tensor = [](const std::string& word) { return word[0] == 'T' || word == "S1"; };
  EXPECT_EQ(names.renamed("T7[i_3] = exp(S1[i_3]) * T7_2[i_3] + T7[i_3]", is_tensor),
            "X1[i_3] = exp(X2[i_3]) * X3[i_3] + X1[i_3]");
  EXPECT_EQ(names.name_of("S1"), "X2");
}

/// A program over whole numbers of f64.
class KnownPlansTest : public testing::Test {
 protected:
  std::vector<double> plus_ten(const std::vector<double>& values) {
    TensorProgram program(session_, {}, history_, plans_);
    FreshLabels labels;
    const Shape grid = {static_cast<int64_t>(values.size())};
    const std::string left = labels.of(grid).front();
    const std::string numbers = program.add_values(values, grid);
    const TensorRows sums =
        program.add(grid, {DType::f64, {}}, {left}, numbers + "[" + left + "] + 10", labels);
    store::MemoryTensor result(type_of(sums));
    program.run({{sums.name, &result}}, {});
    const auto* const first = result.view().as<double>();
    return {first, first + values.size()};
  }

  engine::Session session_{engine::Settings()};
  frames::PipeliningHistory history_;
  KnownPlans plans_;
};

TEST_F(KnownPlansTest, ServeProgramsOverOtherTensors) {
  EXPECT_THAT(plus_ten({1, 2, 3}), ElementsAre(11, 12, 13));
  EXPECT_THAT(plus_ten({4, 5, 6}), ElementsAre(14, 15, 16));
  EXPECT_EQ(plans_.size(), 1U);
  EXPECT_THAT(plus_ten({7, 8}), ElementsAre(17, 18));
  EXPECT_EQ(plans_.size(), 2U);
}

TEST_F(KnownPlansTest, AreOfTypesOfInputs) {
  const auto key = [](DType dtype) {
    return KnownPlans::key_of("input X1[i_3]\noutput X1\n", {{"X1", {dtype, {3}}}});
  };
  plans_.keep(key(DType::f32), {});
  EXPECT_NE(plans_.find(key(DType::f32)), nullptr);
  EXPECT_EQ(plans_.find(key(DType::f64)), nullptr);
}

TEST_F(KnownPlansTest, ForgetThoseNotUsedForLongest) {
  plans_.keep("first", {});
  plans_.keep("second", {});
  for (size_t number = 2; plans_.size() == number; ++number) {
    plans_.keep(std::to_string(number), {});
    plans_.find("first");
  }
  EXPECT_NE(plans_.find("first"), nullptr);
  EXPECT_EQ(plans_.find("second"), nullptr);
}

}  // namespace

}  // namespace tessera::program::known_plans_test
