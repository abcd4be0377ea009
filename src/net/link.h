#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "base/error.h"

namespace tessera::net {

/// The reason that nothing more will come from a process.
struct Failure {
  int32_t process = 0;
  ErrorKind kind = ErrorKind::resource;
  std::string reason;
};

/// A listener to a link. Threads: called by the link's own thread, one call at a time; a call must
/// not wait for that thread.
class Listener {
 public:
  virtual ~Listener() = default;

  /// Called when another process has offered memory for one more message from here.
  virtual void offered(int32_t by) = 0;

  /// Called when a process has failed.
  virtual void failed(const Failure& failure) = 0;
};

/// The link of this process to the others that run a program with it.
///
/// It is two-sided, with credits: a message is sent only if its receiver has offered the memory for
/// it, so that none ever waits in an uncounted buffer. The messages from one process to another
/// arrive in the order they were sent, each in the memory that was offered first; both sides know
/// the length of each from a plan, or from an earlier message.
///
/// Threads: any number may call; they never wait. One thread of the link's own does the slow work,
/// and calls `done` and the listener.
class Link {
 public:
  using Done = std::function<void()>;

  virtual ~Link() = default;

  virtual int32_t process() const = 0;  // from 0
  virtual int32_t num_processes() const = 0;
  /// Returns the name of the machine that a process runs on; empty if all are in one process.
  virtual std::string host(int32_t /*process*/) const { return ""; }

  /// Offers memory for the next message from a process, which has its length; `done` is called when
  /// it has arrived.
  virtual void receive(int32_t from, std::span<std::byte> into, Done done) = 0;

  /// Sends the next message to a process; `done` is called when its memory may be changed.
  /// REQUIRES that fewer messages were sent to it than it has offered memory for.
  virtual void send(int32_t to, std::span<const std::byte> message, Done done) = 0;

  /// Returns the number of messages from here for which a process has offered memory so far, sent
  /// ones included; and the number sent to it.
  virtual int64_t num_offered(int32_t by) const = 0;
  virtual int64_t num_sent(int32_t to) const = 0;

  /// Sets the listener; null for none. A known failure is reported at once, by the caller's thread.
  /// When it returns, no call of the earlier listener, and of no `done`, is in progress. REQUIRES
  /// not to be called from these.
  virtual void listen(Listener* listener) = 0;

  /// Tells every other process that this one cannot go on; the first known reason stays. Once a
  /// failure is known here and nobody listens any more, the link touches no memory that it was
  /// given and calls nothing.
  virtual void fail(ErrorKind kind, const std::string& reason) = 0;
};

}  // namespace tessera::net
