#include "net/loopback.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <numeric>

#include <gtest/gtest.h>

#include "base/error.h"

namespace tessera::net::loopback_test {
namespace {

/// Counts what a link says, and waits for it.
class Hearer : public Listener {
 public:
  void offered(int32_t) override {
    note([this] { ++num_offered; });
  }
  void failed(const Failure& failure) override {
    note([&] { failures.push_back(std::to_string(failure.process) + ": " + failure.reason); });
  }
  Link::Done done() {
    return [this] { note([this] { ++num_done; }); };
  }
  template <class IsSo>
  void wait_for(const IsSo& is_so) {
    std::unique_lock lock(mutex_);
    ASSERT_TRUE(changed_.wait_for(lock, std::chrono::seconds(20), is_so));
  }

  int num_offered = 0;
  int num_done = 0;
  std::vector<std::string> failures;

 private:
  template <class Change>
  void note(const Change& change) {
    const std::lock_guard lock(mutex_);
    change();
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
};

class LoopbackTest : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Delays, LoopbackTest, testing::Values(0, 300));

TEST_P(LoopbackTest, MessagesComeInOrderIntoTheMemoryThatWasOffered) {
  const auto links = make_loopback(2, {std::chrono::microseconds(GetParam()), 1});
  constexpr int kMessages = 50;
  std::vector<int64_t> out(kMessages);
  std::iota(out.begin(), out.end(), 1);
  std::vector<int64_t> in(kMessages);
  Hearer sender;
  Hearer receiver;
  links[0]->listen(&sender);
  links[1]->listen(&receiver);
  for (int64_t& word : in) {
    links[1]->receive(0, std::as_writable_bytes(std::span(&word, 1)), receiver.done());
  }
  for (int i = 0; i < kMessages; ++i) {
    sender.wait_for([&] { return sender.num_offered > i; });
    links[0]->send(1, std::as_bytes(std::span(&out[static_cast<size_t>(i)], 1)), sender.done());
  }
  receiver.wait_for([&] { return receiver.num_done == kMessages; });
  sender.wait_for([&] { return sender.num_done == kMessages; });
  EXPECT_EQ(in, out);
  EXPECT_EQ(links[0]->num_offered(1), kMessages);
  EXPECT_EQ(links[0]->num_sent(1), kMessages);
  EXPECT_EQ(links[1]->num_offered(0), 0);
  links[0]->listen(nullptr);
  links[1]->listen(nullptr);
}

TEST(Loopback, NothingIsSentWithoutMemoryForIt) {
  const auto links = make_loopback(2);
  EXPECT_THROW(links[0]->send(1, {}, [] {}), Error);
}

TEST(Loopback, AllHearOfTheFirstFailureOnce) {
  const auto links = make_loopback(3);
  Hearer hearers[3];
  links[0]->listen(&hearers[0]);
  links[1]->listen(&hearers[1]);
  links[1]->fail(ErrorKind::resource, "the disk is full");
  links[2]->fail(ErrorKind::resource, "another");
  links[2]->listen(&hearers[2]);  // later
  for (int process = 0; process < 3; ++process) {
    hearers[process].wait_for([&] { return !hearers[process].failures.empty(); });
    links[static_cast<size_t>(process)]->listen(nullptr);
    EXPECT_EQ(hearers[process].failures, std::vector<std::string>{"1: the disk is full"});
  }
}

TEST(Loopback, MemoryIsLeftAloneAfterAFailure) {
  const auto links = make_loopback(2);
  Hearer hearer;
  links[0]->listen(&hearer);
  int64_t in = 5;
  const int64_t out = 6;
  links[1]->receive(0, std::as_writable_bytes(std::span(&in, 1)), [] { ADD_FAILURE(); });
  hearer.wait_for([&] { return hearer.num_offered == 1; });
  links[0]->fail(ErrorKind::resource, "it is late");
  links[0]->send(1, std::as_bytes(std::span(&out, 1)), [] { ADD_FAILURE(); });
  links[0]->listen(nullptr);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(in, 5);
}

}  // namespace
}  // namespace tessera::net::loopback_test
