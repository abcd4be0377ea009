#include "program/versions/version_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace tessera::program::version_order_test {

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Chains of tables: a[n] reads a[n-1] and b[n], b[n] reads a[n-1], a[0] is there.
class Chains : public VersionDefinitions {
 public:
  explicit Chains(int64_t most_versions = 1000) : order(*this, most_versions) {}

  std::optional<uint32_t> find(VersionId version) override {
    const int64_t index = order.key(version).front();
    TESSERA_USER_CHECK(index >= 0, "no definition covers {}", order.name(version));
    return index == 0 ? std::nullopt : std::optional(order.table(version) == "a" ? 0U : 1U);
  }

  void for_each_read(VersionId version, uint32_t definition, const VisitRead& visit) override {
    const int64_t index = order.key(version).front();
    visit("a", {index - 1});
    if (definition == 0) {
      visit("b", {index});
    }
    if (reads_itself && index == 2) {
      visit(order.table(version), {index});
    }
  }

  std::vector<std::string> names(const std::vector<VersionId>& versions) {
    std::vector<std::string> names;
    for (const VersionId version : versions) {
      names.push_back(order.name(version));
    }
    return names;
  }

  VersionOrder order;
  bool reads_itself = false;
};

TEST(VersionOrder, HasEachVersionOnceBehindWhatItReads) {
  Chains chains;
  std::vector<VersionId> order;
  chains.order.append(chains.order.add("a", {2}), order);
  chains.order.append(chains.order.add("b", {2}), order);
  chains.order.end(order);
  EXPECT_THAT(chains.names(order), ElementsAre("a[0]", "b[1]", "a[1]", "b[2]", "a[2]"));
  EXPECT_FALSE(chains.order.definition(order[0]).has_value());
  EXPECT_EQ(chains.order.definition(order[1]), 1U);
}

TEST(VersionOrder, ForgetsWhatNothingWillRead) {
  Chains chains;
  std::vector<VersionId> order;
  const VersionId wanted = chains.order.add("a", {2});
  chains.order.add_reader(wanted);
  chains.order.append(wanted, order);
  chains.order.end(order);
  std::vector<std::string> forgotten;
  for (const VersionId version : order) {
    chains.order.set_computed(version);
    chains.order.release_reads(
        version, [&](VersionId read) { forgotten.push_back(chains.order.name(read)); });
  }
  EXPECT_THAT(forgotten, ElementsAre("a[0]", "b[1]", "a[1]", "b[2]"));
  EXPECT_TRUE(chains.order.is_computed(wanted));
}

std::string refusal(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.message();
  }
  return "";
}

TEST(VersionOrder, RefusesCyclesAndChainsWithoutEnd) {
  Chains cycle;
  cycle.reads_itself = true;
  std::vector<VersionId> order;
  EXPECT_THAT(refusal([&] { cycle.order.append(cycle.order.add("b", {2}), order); }),
              HasSubstr("b[2] depends on itself: b[2] reads b[2]"));
  Chains chains(10);
  order.clear();
  EXPECT_THAT(refusal([&] { chains.order.append(chains.order.add("a", {20}), order); }),
              HasSubstr("needs more than 10 versions"));
  Chains uncovered;
  EXPECT_THAT(refusal([&] { uncovered.order.add("a", {-1}); }),
              HasSubstr("no definition covers a[-1]"));
}

}  // namespace

}  // namespace tessera::program::version_order_test
