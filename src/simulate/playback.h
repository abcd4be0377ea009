#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace tessera::simulate {

struct Cluster;

/// The resource of a cluster that a step of an activity takes.
enum class Resource : uint8_t { core, link, disk_read, disk_write, delay };

struct Step {
  Resource resource = Resource::core;
  int32_t site = 0;   // of its core or disk; for a link the sender
  double amount = 0;  // seconds of a core or a delay; bytes of a link or a disk
};

/// The most steps of one activity: it pages out and in, takes a core, and uses a file.
constexpr int32_t kMostSteps = 4;

/// The core times at the two ends of a move.
constexpr int32_t kMostBeside = 2;

/// An activity that starts: its steps, one after the other, and the activities that run beside the
/// last of them. It ends when all have.
struct Start {
  int64_t activity = 0;
  int32_t site = 0;  // that runs it; for a move, that sends
  int32_t to = 0;    // of a move
  int32_t num_steps = 0;
  int32_t num_beside = 0;
  std::array<Step, kMostSteps> steps;
  std::array<Step, kMostBeside> beside;
};

/// The interface between the program, which decides when each activity starts, and the library that
/// plays them, which tells when each has ended. They share nothing else, so it consists of virtual
/// functions and plain values only.
class Playback {
 public:
  virtual ~Playback() = default;

  virtual bool is_over() const = 0;
  /// Returns the total time if all activities ran one after the other: the longest that a clock may
  /// have to run.
  virtual double total_seconds() const = 0;
  /// Takes the activities that a site starts at this moment; none is given twice.
  virtual void take_starts(int32_t site, std::vector<Start>& starts) = 0;
  /// Takes the sites that have something to start, each once.
  virtual void take_called(std::vector<int32_t>& sites) = 0;
  /// Notes the end of an activity at second `now`.
  virtual void ended(int64_t activity, double now) = 0;
  /// Notes that the workload cannot be played, with the reason.
  virtual void failed(const char* reason) = 0;
};

/// Plays it to its end, or until nothing can go on. The program finds the function in the library
/// by this name.
using PlayFunction = void (*)(const Cluster& cluster, Playback& playback);
inline constexpr const char* kPlayFunctionName = "tessera_play";

}  // namespace tessera::simulate
