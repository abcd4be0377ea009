#include "io/runs.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"
#include "unit/io/scratch_directory.h"
#include "unit/io/thrown_error.h"

namespace tessera::io::runs_test {
namespace {

std::string bytes_of_file(size_t count) {
  std::string bytes(count, '\0');
  for (size_t place = 0; place < count; ++place) {
    bytes[place] = static_cast<char>(place * 7 + place / 251);
  }
  return bytes;
}

/// What read_runs reads of a file with these bytes, one run after the other.
std::string read(const File& file, const std::vector<std::pair<int64_t, int64_t>>& wanted) {
  std::string into;
  for (const auto& [offset, bytes] : wanted) {
    into.append(static_cast<size_t>(bytes), '?');
  }
  std::vector<Run> runs;
  auto* next = reinterpret_cast<std::byte*>(into.data());
  for (const auto& [offset, bytes] : wanted) {
    runs.push_back({offset, bytes, next});
    next += bytes;
  }
  read_runs(file, runs);
  return into;
}

std::string expected(const std::string& bytes,
                     const std::vector<std::pair<int64_t, int64_t>>& wanted) {
  std::string text;
  for (const auto& [offset, count] : wanted) {
    text += bytes.substr(static_cast<size_t>(offset), static_cast<size_t>(count));
  }
  return text;
}

TEST(Runs, AreReadWhereverTheyLie) {
  const ScratchDirectory scratch;
  const std::string bytes = bytes_of_file(9'000'001);
  const File file = open_to_read(scratch.file("A", bytes));
  std::vector<std::pair<int64_t, int64_t>> near;
  std::vector<std::pair<int64_t, int64_t>> far;
  std::vector<std::pair<int64_t, int64_t>> mixed = {{8'999'999, 2}, {0, 1}, {5, 5'000'000}, {3, 3}};
  for (int64_t number = 0; number < 2000; ++number) {
    near.emplace_back(1000 + 4001 * number % 8'000'000, 400);
    far.emplace_back(number * 4'400, 17);
    mixed.emplace_back((number * 7'654'321) % 8'999'000, number % 900);
  }
  near.emplace_back(9'000'000, 1);
  for (const auto& wanted : {near, far, mixed}) {
    EXPECT_EQ(read(file, wanted), expected(bytes, wanted));
  }
}

TEST(Runs, SayWhereAFileEndsBefore) {
  const ScratchDirectory scratch;
  const File file = open_to_read(scratch.file("A", bytes_of_file(100'000)));
  std::vector<std::pair<int64_t, int64_t>> wanted;
  for (int64_t number = 0; number < 200; ++number) {
    wanted.emplace_back(number * 1000, 10);
  }
  EXPECT_EQ(thrown_error([&] { read(file, wanted); }).kind(), ErrorKind::resource);
}

}  // namespace
}  // namespace tessera::io::runs_test
