#include "net/mpi/mpi_link.h"

#include <chrono>
#include <exception>
#include <utility>

#include "base/error.h"
#include "base/prompt_thread.h"
#include "net/mpi/communicator.h"
#include "net/mpi/session.h"

namespace tessera::net {

namespace {

/// The time that MPI has to end after a failure: it waits for all processes, and some may be dead.
constexpr std::chrono::seconds kEnding{4};

}  // namespace

MpiLink::MpiLink(const Launcher& launcher, const DelaySettings& delays) {
  std::promise<World> world;
  std::promise<void> ended;
  std::future<World> made = world.get_future();
  ended_ = ended.get_future();
  thread_ =
      std::thread(&MpiLink::communicate, launcher, delays, std::move(world), std::move(ended));
  try {
    world_ = made.get();
  } catch (const Error&) {
    thread_.join();
    throw;
  }
  callers_ = world_.callers;
}

MpiLink::~MpiLink() {
  callers_->ask_for_end();
  // Without a failure the others decide how long it takes, because they may still compute.
  while (!callers_->failure() &&
         ended_.wait_for(std::chrono::milliseconds(10)) != std::future_status::ready) {
  }
  if (ended_.wait_for(kEnding) == std::future_status::ready) {
    thread_.join();
  } else {
    thread_.detach();
  }
}

void MpiLink::communicate(const Launcher& launcher, const DelaySettings& delays,
                          std::promise<World> world, std::promise<void> ended) {
  // A worker may have the core for 3 ms while a tile waits to be sent.
  ask_for_short_turns();
  std::shared_ptr<Callers> callers;
  std::optional<Session> session;
  std::optional<Communicator> communicator;
  try {
    session.emplace(launcher);
    callers = std::make_shared<Callers>(session->num_processes());
    communicator.emplace(*callers, session->process(), session->num_processes(), delays);
  } catch (...) {
    world.set_exception(std::current_exception());
    return;
  }
  world.set_value({session->process(), session->hosts(), callers});
  try {
    if (communicator->run()) {
      session->end();
    }
  } catch (const std::exception& error) {
    // So that nobody waits for the end.
    callers->fail({session->process(), ErrorKind::resource, error.what()});
  }
  ended.set_value();
}

void MpiLink::receive(int32_t from, std::span<std::byte> into, Done done) {
  callers_->ask({Direction::in, from, into, std::move(done)});
}

void MpiLink::send(int32_t to, std::span<const std::byte> message, Done done) {
  // A request has writable memory; that of a sent message is not written.
  const std::span memory(const_cast<std::byte*>(message.data()), message.size());
  callers_->ask({Direction::out, to, memory, std::move(done)});
}

}  // namespace tessera::net
