#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "base/error.h"

namespace tessera::net {

/// Why nothing that waits for a process will come.
struct Failure {
  int32_t process = 0;
  ErrorKind kind = ErrorKind::resource;
  std::string reason;
};

/// Hears what happens on a link. Threads: called by the link's own thread, one call at a time; a
/// call must not wait for what that thread does.
class Listener {
 public:
  virtual ~Listener() = default;

  /// Another process offered memory for one more message from here.
  virtual void offered(int32_t by) = 0;

  /// A process failed.
  virtual void failed(const Failure& failure) = 0;
};

/// This process among those that run a program together, and how bytes get from one to the other.
///
/// Two-sided and with credits: a message is sent only where its receiver has offered the memory
/// that it goes to, so that none ever waits in a buffer that nobody counts. The messages from one
/// process to another arrive in the order in which they were sent, each in the memory that was
/// offered first; both sides know from a plan, or from an earlier message, how long each one is.
///
/// Threads: any number may call; they never wait. One thread of the link's own does what takes
/// time, and calls `done` and the listener.
class Link {
 public:
  using Done = std::function<void()>;

  virtual ~Link() = default;

  virtual int32_t process() const = 0;  // from 0
  virtual int32_t num_processes() const = 0;
  /// The name of the machine that a process runs on; empty where all are in one process.
  virtual std::string host(int32_t /*process*/) const { return ""; }

  /// Offers memory for the next message from a process, which is as long; `done` is called when it
  /// is there.
  virtual void receive(int32_t from, std::span<std::byte> into, Done done) = 0;

  /// Sends the next message to a process; `done` is called when its memory may be changed.
  /// REQUIRES that fewer messages were sent to it than it has offered memory for.
  virtual void send(int32_t to, std::span<const std::byte> message, Done done) = 0;

  /// For how many messages from here a process has offered memory so far, sent ones among them, and
  /// how many were sent to it.
  virtual int64_t num_offered(int32_t by) const = 0;
  virtual int64_t num_sent(int32_t to) const = 0;

  /// Who hears from now on; null for nobody. A failure that is known already is told at once, by
  /// the caller's thread. When it returns, no call of the listener before, and of no `done`, is
  /// under way. REQUIRES not to be called from these.
  virtual void listen(Listener* listener) = 0;

  /// Tells every other process that this one cannot go on; the first reason that is known of any
  /// process stays. Once a failure is known here and nobody listens any more, no memory that was
  /// given to the link is touched and nothing is called.
  virtual void fail(ErrorKind kind, const std::string& reason) = 0;
};

}  // namespace tessera::net
