#include "optimizer/tra/fuse_group.h"

#include <gtest/gtest.h>

#include "ir/tra/text.h"
#include "optimizer/tra/call_costs.h"
#include "unit/known.h"

namespace tessera::optimizer::fuse_group_test {
namespace {

/// Three softmaxes without a maximum, one after the other, and two differences of an input and its
/// exponentials.
tra::Graph chain() {
  return tra::parse_graph(
      {"test",
       "tra\n"
       "%0 = input X : (i:2x6,j:1x8) -> f32[i=12,j=8]   # X\n"
       "%1 = join(%0) on=(i,j) kernel={o[i,j] = exp(x0[i,j])} : (i:2x6,j:1x8) -> f32[i=12,j=8]   "
       "# A\n"
       "%2 = join(%1) on=(i,j) kernel={o[i] = sum[j] x0[i,j]} : (i:2x6) -> f32[i=12]   # B\n"
       "%3 = join(%1,%2) on=(i,j; i) kernel={o[i,j] = x0[i,j] / x1[i]} : (i:2x6,j:1x8) -> "
       "f32[i=12,j=8]   # C\n"
       "%4 = join(%3) on=(i,j) kernel={o[i,j] = exp(x0[i,j])} : (i:2x6,j:1x8) -> f32[i=12,j=8]   "
       "# D\n"
       "%5 = join(%4) on=(i,j) kernel={o[i] = sum[j] x0[i,j]} : (i:2x6) -> f32[i=12]   # E\n"
       "%6 = join(%4,%5) on=(i,j; i) kernel={o[i,j] = x0[i,j] / x1[i]} : (i:2x6,j:1x8) -> "
       "f32[i=12,j=8]   # F\n"
       "%7 = repartition(%6) key=(i:3x4,j:1x8) : (i:3x4,j:1x8) -> f32[i=12,j=8]   # F\n"
       "%8 = join(%7) on=(i,j) kernel={o[i,j] = exp(x0[i,j])} : (i:3x4,j:1x8) -> f32[i=12,j=8]   "
       "# G\n"
       "%9 = join(%8) on=(i,j) kernel={o[i] = sum[j] x0[i,j]} : (i:3x4) -> f32[i=12]   # H\n"
       "%10 = join(%8,%9) on=(i,j; i) kernel={o[i,j] = x0[i,j] / x1[i]} : (i:3x4,j:1x8) -> "
       "f32[i=12,j=8]   # I\n"
       "%11 = join(%0) on=(i,j) kernel={o[i,j] = exp(x0[i,j])} : (i:2x6,j:1x8) -> f32[i=12,j=8]   "
       "# J\n"
       "%12 = join(%11,%0) on=(i,j; i,j) kernel={o[i,j] = x0[i,j] - x1[i,j]} : (i:2x6,j:1x8) -> "
       "f32[i=12,j=8]   # K\n"
       "%13 = join(%0) on=(i,j) kernel={o[i,j] = exp(x0[i,j])} : (i:2x6,j:1x8) -> f32[i=12,j=8]   "
       "# L\n"
       "%14 = join(%0,%13) on=(i,j; i,j) kernel={o[i,j] = x0[i,j] - x1[i,j]} : (i:2x6,j:1x8) -> "
       "f32[i=12,j=8]   # M\n"
       "output(%10) I\noutput(%12) K\noutput(%14) M\n"},
      expr::all_functions(), expr::all_aggregates());
}

/// A group of the graph: a last node, and those that are added to it.
struct Members {
  int64_t last;
  std::vector<int64_t> added;
};

class Groups {
 public:
  FusionGroup group(const Members& members) const {
    FusionGroup group(graph_, readers_, kernels_, tra::NodeId(members.last));
    for (const int64_t node : members.added) {
      EXPECT_TRUE(group.add(tra::NodeId(node)));
    }
    return group;
  }

 private:
  tra::Graph graph_ = chain();
  Readers readers_ = readers_of(graph_);
  std::vector<int64_t> kernels_ = number_kernels(graph_);
};

TEST(FusionGroup, NumbersEqualKernelsAlike) {
  const std::vector<int64_t> numbers = number_kernels(chain());
  EXPECT_EQ(numbers[0], 0);  // an input has none
  EXPECT_EQ(numbers[7], 0);
  for (const size_t place : {size_t{1}, size_t{2}, size_t{3}}) {
    EXPECT_NE(numbers[place], 0);
    EXPECT_EQ(numbers[place + 3], numbers[place]);
    EXPECT_NE(numbers[place + 1], numbers[place]);
  }
}

TEST(FusionGroup, HasTheIdentityOfTheGroupsWithItsKernelAndCall) {
  const Groups groups;
  // Parts of three softmaxes, the third cut otherwise, and two differences that subtract the other.
  const Members all[] = {{1, {}},    {2, {}},     {3, {}},        {3, {2}},          {3, {2, 1}},
                         {4, {}},    {4, {3}},    {4, {3, 2}},    {5, {}},           {6, {}},
                         {6, {5}},   {6, {5, 4}}, {6, {5, 4, 3}}, {6, {5, 4, 3, 2}}, {8, {}},
                         {9, {}},    {10, {}},    {10, {9}},      {10, {9, 8}},      {12, {}},
                         {12, {11}}, {14, {}},    {14, {13}}};
  int num_equal = 0;
  for (const Members& one : all) {
    for (const Members& other : all) {
      const tra::Join first = groups.group(one).join();
      const tra::Join second = groups.group(other).join();
      const bool is_same =
          first.kernel == second.kernel &&
          largest_call(first.kernel, first.key) == largest_call(second.kernel, second.key);
      const GroupIdentity identity = groups.group(one).identity();
      EXPECT_EQ(identity == groups.group(other).identity(), is_same)
          << one.last << " and " << other.last;
      EXPECT_TRUE(!is_same || identity.hash() == groups.group(other).identity().hash());
      num_equal += is_same && one.last != other.last ? 1 : 0;
    }
  }
  EXPECT_GT(num_equal, 0);
}

}  // namespace
}  // namespace tessera::optimizer::fuse_group_test
