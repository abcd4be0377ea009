#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/format.h"
#include "unit/io/scratch_directory.h"
#include "unit/io/thrown_error.h"

namespace tessera::io {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const ArrayType kType{DType::i32, {2, 3}};

FormatRegistry formats() {
  FormatRegistry registry;
  register_all_formats(registry);
  return registry;
}

void write(const Place& place, int32_t first) {
  std::vector<int32_t> values(6);
  for (size_t position = 0; position < values.size(); ++position) {
    values[position] = first + static_cast<int32_t>(position);
  }
  const FormatRegistry registry = formats();
  const auto sink = registry.for_path(place.path).create(place, kType);
  sink->write(
      dense_view(reinterpret_cast<std::byte*>(values.data()), DType::i32, whole(kType.shape)));
  sink->commit();
}

/// The second column of an array.
std::vector<int32_t> column_of(const Place& place) {
  const FormatRegistry registry = formats();
  const auto source = registry.for_path(place.path).open(place, {});
  EXPECT_EQ(source->type(), kType);
  std::vector<int32_t> column(2);
  source->read(
      dense_view(reinterpret_cast<std::byte*>(column.data()), DType::i32, {{0, 1}, {2, 1}}));
  return column;
}

std::string error_of(const Place& place) {
  const FormatRegistry registry = formats();
  return thrown_error([&] { registry.for_path(place.path).open(place, {}); }).message();
}

TEST(Npz, KeepsEveryArrayUnderItsName) {
  const ScratchDirectory scratch;
  const std::string path = scratch.path("data.npz");
  write({path, "", "A"}, 0);
  write({path, "B", "ignored"}, 10);
  EXPECT_THAT(column_of({path, "", "A"}), ElementsAre(1, 4));
  EXPECT_THAT(column_of({path, "B", "A"}), ElementsAre(11, 14));
  EXPECT_THAT(column_of({path, "B.npy", "A"}), ElementsAre(11, 14));
  EXPECT_THAT(scratch.names(), ElementsAre("data.npz"));
}

TEST(Npz, ReplacesAnArrayOfTheName) {
  const ScratchDirectory scratch;
  const std::string path = scratch.path("data.npz");
  write({path, "", "A"}, 0);
  write({path, "", "A"}, 100);
  EXPECT_THAT(column_of({path, "", "A"}), ElementsAre(101, 104));
}

TEST(Npz, TakesTheOnlyArrayUnderAnyName) {
  const ScratchDirectory scratch;
  const std::string path = scratch.path("data.npz");
  write({path, "weights", ""}, 0);
  EXPECT_THAT(column_of({path, "", "X"}), ElementsAre(1, 4));
}

TEST(Npz, ListsTheArraysWhereNoneIsMeant) {
  const ScratchDirectory scratch;
  const std::string path = scratch.path("data.npz");
  write({path, "weights", ""}, 0);
  write({path, "bias", ""}, 0);
  EXPECT_THAT(error_of({path, "", "X"}), HasSubstr("it has weights, bias"));
  EXPECT_THAT(error_of({path, "weight", "X"}), HasSubstr("did you mean 'weights'"));
}

TEST(Npz, SaysWhatIsNoArchive) {
  const ScratchDirectory scratch;
  EXPECT_THAT(error_of(scratch.file("text.npz", "these are words")), HasSubstr("no .npz archive"));
  EXPECT_THAT(error_of(scratch.path("none.npz")), HasSubstr("none.npz"));
}

TEST(Npz, ShowsNothingBeforeCommit) {
  const ScratchDirectory scratch;
  const FormatRegistry registry = formats();
  const Place place(scratch.path("data.npz"), "", "A");
  { const auto abandoned = registry.for_path(place.path).create(place, kType); }
  EXPECT_TRUE(scratch.names().empty());
}

TEST(Npz, RefusesBf16BeforeTheWork) {
  const ScratchDirectory scratch;
  const FormatRegistry registry = formats();
  const Error error = thrown_error([&] {
    registry.for_path("a.npz").create({scratch.path("a.npz"), "", "A"}, {DType::bf16, {2}});
  });
  EXPECT_EQ(error.kind(), ErrorKind::unsupported);
}

TEST(Place, ColonsNameMembersOfArchivesOnly) {
  const FormatRegistry registry = formats();
  EXPECT_EQ(registry.place_of("a.npz:W", "X").path, "a.npz");
  EXPECT_EQ(registry.place_of("a.npz:W", "X").member, "W");
  EXPECT_EQ(registry.place_of("odd:name.npy", "X").path, "odd:name.npy");
  EXPECT_EQ(registry.place_of("a.npz", "X").member, "");
}

}  // namespace
}  // namespace tessera::io
