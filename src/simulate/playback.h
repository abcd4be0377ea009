#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace tessera::simulate {

struct Cluster;

/// What of a cluster a step of an activity takes.
enum class Resource : uint8_t { core, link, disk_read, disk_write, delay };

struct Step {
  Resource resource = Resource::core;
  int32_t site = 0;   // whose core or disk it is; of a link the sender
  double amount = 0;  // seconds of a core or a delay; bytes of a link or a disk
};

/// The most that one activity has: it pages out and in, takes a core, and uses a file.
constexpr int32_t kMostSteps = 4;

/// What cores do at either end of a move.
constexpr int32_t kMostBeside = 2;

/// An activity that starts now: its steps, one after the other, and what begins with the last of
/// them. It ends when all have.
struct Start {
  int64_t activity = 0;
  int32_t site = 0;  // that runs it; of a move, that sends
  int32_t to = 0;    // of a move
  int32_t num_steps = 0;
  int32_t num_beside = 0;
  std::array<Step, kMostSteps> steps;
  std::array<Step, kMostBeside> beside;
};

/// What decides which activity starts when; what plays it says when each has ended. It is all that
/// the library that plays and this program know of each other, so nothing here is more than virtual
/// functions and plain values.
class Playback {
 public:
  virtual ~Playback() = default;

  virtual bool is_over() const = 0;
  /// What all activities would take one after the other: how long a clock may have to run.
  virtual double total_seconds() const = 0;
  /// The activities that a site starts now; none is given twice.
  virtual void take_starts(int32_t site, std::vector<Start>& starts) = 0;
  /// The sites that have something to start, each once.
  virtual void take_called(std::vector<int32_t>& sites) = 0;
  /// An activity ends, at so many seconds.
  virtual void ended(int64_t activity, double now) = 0;
  /// It cannot be played, for this reason.
  virtual void failed(const char* reason) = 0;
};

/// Plays it to its end, or as far as anything can go on. The name by which the program finds it in
/// the library.
using PlayFunction = void (*)(const Cluster& cluster, Playback& playback);
inline constexpr const char* kPlayFunctionName = "tessera_play";

}  // namespace tessera::simulate
