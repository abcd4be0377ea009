#include "engine/setup/planner_names.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace tessera::engine::planner_names_test {
namespace {

using Name = std::optional<std::string>;

PlannerNames read(const std::string& text) {
  optimizer::partition::PlannerRegistry cutting;
  optimizer::partition::register_all_planners(cutting);
  placement::PlannerRegistry placing;
  placing.add({"near", "", {}});
  placing.add({"far", "", {}});
  return planner_names(text, cutting, placing);
}

std::string refusal_of(const std::string& text) {
  try {
    read(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::user);
    return error.message();
  }
  return "";
}

TEST(PlannerNames, OneCutsAndOnePlaces) {
  EXPECT_EQ(read("exact").cuts, Name("exact"));
  EXPECT_EQ(read("exact").places, Name());
  EXPECT_EQ(read("near").places, Name("near"));
  EXPECT_EQ(read("near,auto").cuts, Name("auto"));
  EXPECT_EQ(read("near,auto").places, Name("near"));
}

TEST(PlannerNames, AnArgumentGoesOnBehindACommaUnlessItPlaces) {
  EXPECT_EQ(read("label:h,f").cuts, Name("label:h,f"));
  EXPECT_EQ(read("label:h,f,near").cuts, Name("label:h,f"));
  EXPECT_EQ(read("label:h,f,near").places, Name("near"));
  EXPECT_EQ(read("near,label:h,f").cuts, Name("label:h,f"));
}

TEST(PlannerNames, RefusesWhatIsUnknownAndTwoOfAKind) {
  EXPECT_EQ(refusal_of("exakt"),
            "there is no planner exakt; auto, data-parallel, eindecomp, exact, label:NAME,..., "
            "sqrt cut tensors, near, far place tiles on sites; did you mean 'exact'?");
  EXPECT_EQ(refusal_of("exact,sqrt"), "the planners exact and sqrt both cut tensors: name one");
  EXPECT_EQ(refusal_of("far,near"), "the planners far and near both place tiles: name one");
}

}  // namespace
}  // namespace tessera::engine::planner_names_test
