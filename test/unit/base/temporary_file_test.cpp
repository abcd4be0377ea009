#include "base/temporary_file.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>
#include <unistd.h>

namespace tessera::temporary_file_test {
namespace {

TEST(TemporaryDirectory, IsWhereTheUserSays) {
  const char* const before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("TMPDIR", "/some/place", 1);
  EXPECT_EQ(temporary_directory(), "/some/place");
  ::setenv("TMPDIR", "", 1);
  EXPECT_EQ(temporary_directory(), "/var/tmp");
  ::unsetenv("TMPDIR");
  EXPECT_EQ(temporary_directory(), "/var/tmp");
  if (before != nullptr) {
    ::setenv("TMPDIR", kept.c_str(), 1);
  }
}

TEST(UnnamedFile, LeavesNothingInItsDirectory) {
  const std::string directory = testing::TempDir() + "/temporary_file_test";
  std::filesystem::create_directory(directory);
  const int descriptor = open_unnamed_file(directory);
  ASSERT_GE(descriptor, 0);
  EXPECT_EQ(::pwrite(descriptor, "abc", 3, 0), 3);
  char read[3] = {};
  EXPECT_EQ(::pread(descriptor, read, 3, 0), 3);
  EXPECT_EQ(std::string(read, 3), "abc");
  EXPECT_TRUE(std::filesystem::is_empty(directory));
  ::close(descriptor);
  std::filesystem::remove(directory);
}

TEST(UnnamedFile, LeavesTheReasonInErrno) {
  EXPECT_EQ(open_unnamed_file("/no/such/place"), -1);
  EXPECT_EQ(errno, ENOENT);
}

}  // namespace
}  // namespace tessera::temporary_file_test
