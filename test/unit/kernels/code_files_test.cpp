#include "kernels/generated/code_files.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "unit/io/scratch_directory.h"

namespace tessera::kernels::generated::code_files_test {

namespace {

namespace fs = std::filesystem;

Image image_of(const std::string& text) {
  Image image;
  for (const char character : text) {
    image.bytes.push_back(static_cast<std::byte>(character));
  }
  image.entry = text.size() / 2;
  return image;
}

/// A directory that does not exist yet, in one that does.
class CodeFilesTest : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return directory_ + "/" + name; }
  void change_byte(const std::string& name, int64_t place) const {
    std::fstream file(path(name), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(place);
    file.put('!');
  }

  io::ScratchDirectory scratch_;
  std::string directory_ = scratch_.path("some/kernels");
  CodeFiles files_{directory_};
};

TEST_F(CodeFilesTest, KeepsWhatItWasGiven) {
  EXPECT_FALSE(files_.has("one"));
  EXPECT_FALSE(files_.read("one"));
  files_.write("one", image_of("instructions"));
  EXPECT_TRUE(files_.has("one"));
  const std::optional<Image> read = CodeFiles(directory_).read("one");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->bytes, image_of("instructions").bytes);
  EXPECT_EQ(read->entry, 6U);
  EXPECT_EQ(std::distance(fs::directory_iterator(directory_), {}), 1);
  EXPECT_EQ(fs::status(path("one")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(fs::status(directory_).permissions(), fs::perms::owner_all);
}

TEST_F(CodeFilesTest, TakesADamagedFileAsNone) {
  for (const int64_t place : {0, 9, 17, 25, 57}) {
    files_.write("one", image_of("instructions"));
    change_byte("one", place);
    EXPECT_FALSE(files_.read("one")) << "byte " << place;
  }
  files_.write("one", image_of("instructions"));
  fs::resize_file(path("one"), 60);
  EXPECT_FALSE(files_.read("one"));
  files_.write("one", image_of("instructions"));
  EXPECT_TRUE(files_.read("one"));
}

TEST_F(CodeFilesTest, TakesAFileOfAnotherNameAsNone) {
  files_.write("one", image_of("instructions"));
  fs::rename(path("one"), path("other"));
  EXPECT_FALSE(files_.read("other"));
}

TEST_F(CodeFilesTest, ReadsOnlyWhatThisUserAloneMayWrite) {
  files_.write("one", image_of("instructions"));
  fs::permissions(path("one"), fs::perms::group_write, fs::perm_options::add);
  EXPECT_FALSE(files_.read("one"));
  files_.write("one", image_of("instructions"));
  EXPECT_TRUE(files_.read("one"));
  fs::permissions(directory_, fs::perms::others_write, fs::perm_options::add);
  EXPECT_FALSE(files_.read("one"));
  EXPECT_FALSE(files_.has("one"));
}

TEST_F(CodeFilesTest, FollowsNoLink) {
  files_.write("one", image_of("instructions"));
  fs::rename(path("one"), scratch_.path("elsewhere"));
  fs::create_symlink(scratch_.path("elsewhere"), path("one"));
  EXPECT_FALSE(files_.read("one"));
}

TEST_F(CodeFilesTest, KeepsNoMoreThanItSays) {
  const Image large = image_of(std::string(CodeFiles::kMostBytes / 3, 'x'));
  for (const std::string name : {"one", "two", "three", "four"}) {
    files_.write(name, large);
  }
  int64_t bytes = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory_)) {
    bytes += static_cast<int64_t>(entry.file_size());
  }
  EXPECT_LE(bytes, CodeFiles::kMostBytes);
  EXPECT_TRUE(files_.read("four"));
  EXPECT_FALSE(files_.read("one"));
}

TEST_F(CodeFilesTest, KeepsNothingWhereItMayNotWrite) {
  std::ofstream(scratch_.path("file")) << "no directory";
  const CodeFiles nowhere(scratch_.path("file/kernels"));
  nowhere.write("one", image_of("instructions"));
  EXPECT_FALSE(nowhere.has("one"));
}

}  // namespace

}  // namespace tessera::kernels::generated::code_files_test
