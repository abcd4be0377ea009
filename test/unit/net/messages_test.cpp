#include "net/messages.h"

#include <functional>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "net/loopback.h"

namespace tessera::net::messages_test {
namespace {

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

/// Runs the same on every process, and returns what each had to say about an error.
std::vector<std::string> run_on_all(const std::vector<std::unique_ptr<Link>>& links,
                                    const std::function<void(Link&)>& body) {
  std::vector<std::string> errors(links.size());
  std::vector<std::jthread> threads;
  for (size_t process = 0; process < links.size(); ++process) {
    threads.emplace_back([&, process] {
      try {
        body(*links[process]);
      } catch (const Error& error) {
        errors[process] = fmt::format("{}: {}", name_of(error.kind()), error.message());
      }
    });
  }
  threads.clear();
  return errors;
}

class MessagesTest : public testing::TestWithParam<int> {
 protected:
  static LoopbackOptions delays() { return {std::chrono::microseconds(GetParam()), 9}; }
};
INSTANTIATE_TEST_SUITE_P(Delays, MessagesTest, testing::Values(0, 2000));

TEST_P(MessagesTest, WhatIsToldIsHeard) {
  const auto links = make_loopback(2, delays());
  const auto errors = run_on_all(links, [](Link& link) {
    for (const size_t size : {size_t{0}, size_t{1}, size_t{100'000}}) {
      const std::vector<std::byte> said(size, std::byte{7});
      if (link.process() == 0) {
        tell(link, 1, said);
        EXPECT_EQ(hear(link, 1), said);
      } else {
        EXPECT_EQ(hear(link, 0), said);
        tell(link, 0, said);
      }
    }
  });
  EXPECT_THAT(errors, testing::Each(""));
}

TEST_P(MessagesTest, AllAreGatheredByNumberAndTheFirstIsHeardByAll) {
  for (const int32_t num_processes : {1, 2, 5}) {
    const auto links = make_loopback(num_processes, delays());
    const auto errors = run_on_all(links, [&](Link& link) {
      const auto all =
          gather(link, bytes_of(std::string(static_cast<size_t>(link.process()), 'x')));
      ASSERT_EQ(all.size(), static_cast<size_t>(link.process() == 0 ? num_processes : 0));
      for (size_t process = 0; process < all.size(); ++process) {
        EXPECT_EQ(all[process], bytes_of(std::string(process, 'x')));
      }
      EXPECT_EQ(broadcast(link, bytes_of("of " + std::to_string(link.process()))),
                bytes_of("of 0"));
    });
    EXPECT_THAT(errors, testing::Each(""));
  }
}

TEST_P(MessagesTest, AFailureEndsThemEverywhere) {
  const auto links = make_loopback(4, delays());
  const auto errors = run_on_all(links, [](Link& link) {
    if (link.process() == 2) {
      link.fail(ErrorKind::user, "there is no x.npy");
    } else {
      gather(link, {});
      broadcast(link, std::span<const std::byte>());
    }
  });
  for (const size_t process : {0, 3}) {
    EXPECT_EQ(errors[process], "error: process 2 failed: there is no x.npy");
  }
  EXPECT_EQ(errors[2], "");
  // One that failed before is known to what is said later.
  EXPECT_THROW(tell(*links[1], 0, {}), Error);
}

TEST_P(MessagesTest, AnInterruptedProcessInterruptsThemAll) {
  const auto links = make_loopback(3, delays());
  const auto errors = run_on_all(links, [](Link& link) {
    if (link.process() == 1) {
      link.fail(ErrorKind::interrupted, "the run was stopped");
    } else {
      barrier(link);
    }
  });
  for (const size_t process : {0, 2}) {
    EXPECT_EQ(errors[process], "interrupted: process 1: the run was stopped");
  }
}

}  // namespace
}  // namespace tessera::net::messages_test
