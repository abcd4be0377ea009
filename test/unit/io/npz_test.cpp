#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "io/format.h"
#include "unit/io/scratch_directory.h"
#include "unit/io/thrown_error.h"

namespace tessera::io::npz_test {
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
  sink->commit(store::Durability::process);
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

TEST(Npz, FindsAFlippedByte) {
  const ScratchDirectory scratch;
  const std::string path = scratch.path("data.npz");
  write({path, "", "A"}, 0x01020304);
  std::string bytes = read_bytes(path);
  const size_t element = bytes.find("\x04\x03\x02\x01");
  ASSERT_NE(element, bytes.npos);
  bytes[element] ^= 1;
  scratch.file("data.npz", bytes);
  const Error error = thrown_error([&] { column_of({path, "", "A"}); });
  EXPECT_EQ(error.kind(), ErrorKind::resource);
  EXPECT_THAT(error.message(), HasSubstr("cannot read " + path + ":A: CRC error"));
}

TEST(Npz, FollowsALink) {
  const ScratchDirectory scratch;
  write({scratch.path("data.npz"), "", "A"}, 0);
  std::filesystem::create_symlink("data.npz", scratch.path("link.npz"));
  write({scratch.path("link.npz"), "B", ""}, 10);
  EXPECT_TRUE(std::filesystem::is_symlink(scratch.path("link.npz")));
  EXPECT_THAT(column_of({scratch.path("data.npz"), "B", ""}), ElementsAre(11, 14));
}

TEST(Npz, LeavesTheOldArchiveWhereTheNewOneCannotBeWritten) {
  const ScratchDirectory scratch;
  const std::string path = scratch.path("data.npz");
  write({path, "", "A"}, 0);
  const std::string before = read_bytes(path);
  rlimit all{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &all), 0);
  const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
  // The result itself takes less than this, with the member that is there more.
  const rlimit little{static_cast<rlim_t>(before.size()), all.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &little), 0);
  const Error error = thrown_error([&] { write({path, "B", ""}, 10); });
  ::setrlimit(RLIMIT_FSIZE, &all);
  std::signal(SIGXFSZ, ignored);
  EXPECT_THAT(error.message(), HasSubstr("cannot write " + path + ": File too large"));
  EXPECT_EQ(read_bytes(path), before);
  EXPECT_THAT(scratch.names(), ElementsAre("data.npz"));
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
}  // namespace tessera::io::npz_test
