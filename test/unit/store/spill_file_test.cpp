#include "store/spill_file.h"

#include <filesystem>
#include <random>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace tessera::store::spill_file_test {
namespace {

using testing::HasSubstr;
using testing::TempDir;

std::vector<std::byte> drawn_bytes(uint64_t seed, size_t count) {
  std::mt19937_64 random(seed);
  std::vector<std::byte> bytes(count);
  std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<std::byte>(random()); });
  return bytes;
}

void expect_at(const SpillFile& file, int64_t slot, const std::vector<std::byte>& expected) {
  std::vector<std::byte> bytes(expected.size());
  file.read(slot, bytes.data(), static_cast<int64_t>(bytes.size()));
  EXPECT_EQ(bytes, expected);
}

TEST(SpillFile, GivesBackWhatWasWritten) {
  SpillFile file(TempDir());
  std::vector<std::pair<int64_t, std::vector<std::byte>>> written;
  for (const size_t bytes : {0, 1, 4095, 4096, 4097, 300000}) {
    const std::vector<std::byte> content = drawn_bytes(bytes, bytes);
    written.emplace_back(file.write(content.data(), static_cast<int64_t>(bytes)), content);
  }
  for (const auto& [slot, content] : written) {
    expect_at(file, slot, content);
  }
}

TEST(SpillFile, FreedPlacesAreUsedAgainAndJoined) {
  SpillFile file(TempDir());
  const std::vector<std::byte> page = drawn_bytes(1, 4096);
  std::vector<int64_t> slots;
  for (int number = 0; number < 4; ++number) {
    slots.push_back(file.write(page.data(), 4096));
  }
  for (const size_t number : {0, 2, 1}) {
    file.release(slots[number], 4096);
  }
  const std::vector<std::byte> large = drawn_bytes(2, 3 * 4096);
  EXPECT_EQ(file.write(large.data(), 3 * 4096), slots[0]);
  expect_at(file, slots[0], large);
  expect_at(file, slots[3], page);
}

TEST(SpillFile, PlacesOfDrawnSizesNeverOverlap) {
  SpillFile file(TempDir());
  std::mt19937_64 random(3);
  std::vector<std::pair<int64_t, std::vector<std::byte>>> live;
  for (int round = 0; round < 500; ++round) {
    if (live.size() > 20 || (!live.empty() && random() % 3 == 0)) {
      const size_t victim = random() % live.size();
      expect_at(file, live[victim].first, live[victim].second);
      file.release(live[victim].first, static_cast<int64_t>(live[victim].second.size()));
      live.erase(live.begin() + static_cast<std::ptrdiff_t>(victim));
    } else {
      const std::vector<std::byte> content = drawn_bytes(random(), random() % 30000);
      live.emplace_back(file.write(content.data(), static_cast<int64_t>(content.size())), content);
    }
  }
  for (const auto& [slot, content] : live) {
    expect_at(file, slot, content);
  }
}

TEST(SpillFile, ManyThreadsUseIt) {
  SpillFile file(TempDir());
  std::vector<std::jthread> threads;
  for (uint64_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&file, thread] {
      for (uint64_t round = 0; round < 100; ++round) {
        const std::vector<std::byte> content = drawn_bytes(thread * 1000 + round, 5000);
        const int64_t slot = file.write(content.data(), 5000);
        expect_at(file, slot, content);
        file.release(slot, 5000);
      }
    });
  }
}

TEST(SpillFile, HasNoName) {
  const std::string directory = TempDir() + "/spill_file_test";
  std::filesystem::create_directory(directory);
  {
    SpillFile file(directory);
    const std::vector<std::byte> page = drawn_bytes(1, 4096);
    EXPECT_EQ(file.write(page.data(), 4096), 0);
    EXPECT_TRUE(std::filesystem::is_empty(directory));
  }
  std::filesystem::remove(directory);
}

TEST(SpillFile, KnowsAFilesystemInMemory) {
  if (!std::filesystem::exists("/dev/shm")) {
    GTEST_SKIP() << "there is no /dev/shm here";
  }
  EXPECT_TRUE(SpillFile("/dev/shm").is_in_memory());
}

TEST(SpillFile, ADirectoryThatIsMissingIsAUserError) {
  try {
    SpillFile file("/no/such/place");
    FAIL() << "opened";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::user);
    EXPECT_THAT(error.message(), HasSubstr("/no/such/place: there is no such directory"));
  }
}

TEST(SpillFile, ReadingBeyondTheEndIsAResourceError) {
  SpillFile file(TempDir());
  std::byte byte{};
  EXPECT_THROW(file.read(0, &byte, 1), Error);
}

}  // namespace
}  // namespace tessera::store::spill_file_test
