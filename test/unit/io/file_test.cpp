#include "io/file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/atomic_file.h"
#include "unit/io/scratch_directory.h"
#include "unit/io/thrown_error.h"

namespace tessera::io::file_test {
namespace {

using ::testing::HasSubstr;

TEST(File, SaysThatTheDiskIsFull) {
  const int descriptor = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) {
    GTEST_SKIP() << "this system has no /dev/full";
  }
  const File file(descriptor, "/dev/full");
  const std::byte data[3] = {};
  const Error error = thrown_error([&] { file.write_exactly(0, data, 3); });
  EXPECT_EQ(error.kind(), ErrorKind::resource);
  EXPECT_THAT(error.message(), HasSubstr("cannot write /dev/full: No space left on device (3 bytes "
                                         "more needed, "));
  EXPECT_THAT(error.message(), HasSubstr("free in /dev); free some space"));
}

TEST(File, ReadsAndMeasures) {
  const ScratchDirectory scratch;
  const File file = open_to_read(scratch.file("A", "abcdef"));
  EXPECT_EQ(file.size(), 6);
  char text[3] = {};
  file.read_exactly(2, reinterpret_cast<std::byte*>(text), 3);
  EXPECT_EQ(std::string(text, 3), "cde");
}

TEST(File, SaysThatItMayNotBeReadFrom) {
  const ScratchDirectory scratch;
  const std::string path = scratch.file("A", "abc");
  const File file(::open(path.c_str(), O_WRONLY | O_CLOEXEC), path);
  std::byte data{};
  EXPECT_THAT(thrown_error([&] { file.read_exactly(0, &data, 1); }).message(),
              HasSubstr("cannot read " + path + " at byte 0: Bad file descriptor"));
}

TEST(AtomicFile, CannotBeCommittedTwice) {
  const ScratchDirectory scratch;
  AtomicFile file(scratch.path("A"), 0);
  file.commit(store::Durability::process);
  EXPECT_EQ(thrown_error([&] { file.commit(store::Durability::process); }).kind(),
            ErrorKind::internal);
  EXPECT_EQ(read_bytes(scratch.path("A")), "");
}

TEST(AtomicFile, ReplacesTheOlderFileHoweverDurable) {
  const ScratchDirectory scratch;
  for (const store::Durability durability :
       {store::Durability::process, store::Durability::system}) {
    const std::string path = scratch.file("A", "older");
    AtomicFile file(path, 3);
    file.write_at(0, reinterpret_cast<const std::byte*>("new"), 3);
    EXPECT_EQ(read_bytes(path), "older");
    file.commit(durability);
    EXPECT_EQ(read_bytes(path), "new");
  }
}

TEST(AtomicFile, SaysThatItsDirectoryIsGone) {
  const ScratchDirectory scratch;
  std::filesystem::create_directory(scratch.path("D"));
  AtomicFile file(scratch.path("D/A"), 3);
  std::filesystem::remove_all(scratch.path("D"));
  const Error error = thrown_error([&] { file.commit(store::Durability::process); });
  EXPECT_EQ(error.kind(), ErrorKind::resource);
  EXPECT_THAT(error.message(), HasSubstr("D/A: No such file or directory"));
}

}  // namespace
}  // namespace tessera::io::file_test
