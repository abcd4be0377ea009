#include "engine/processes/whole_report.h"

#include <algorithm>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "net/messages.h"

namespace tessera::engine {

namespace {

/// The parts of a report that are not by task or by tile.
struct Sums {
  double seconds = 0;
  runtime::WaitingSeconds waiting;
  int64_t peak_bytes = 0;
  int64_t spilled_bytes = 0;
  int64_t num_spills = 0;
  int64_t copied_bytes = 0;
};
struct Timed {
  plan::TaskId task;  // of the plan
  runtime::TaskTiming timing;
};
struct Spilled {
  plan::TileId tile;  // of the plan
  int32_t times = 0;
};

/// A writer of values of such types as bytes: a list is its length and its members.
class Writer {
 public:
  template <class Value>
  void add(const std::vector<Value>& values) {
    static_assert(std::is_trivially_copyable_v<Value>);
    append(static_cast<int64_t>(values.size()));
    const auto* const first = reinterpret_cast<const std::byte*>(values.data());
    bytes_.insert(bytes_.end(), first, first + values.size() * sizeof(Value));
  }

  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  void append(int64_t number) {
    const auto* const first = reinterpret_cast<const std::byte*>(&number);
    bytes_.insert(bytes_.end(), first, first + sizeof number);
  }

  std::vector<std::byte> bytes_;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class Value>
  std::vector<Value> list() {
    int64_t size = 0;
    take(&size, sizeof size);
    std::vector<Value> values(static_cast<size_t>(size));
    take(values.data(), values.size() * sizeof(Value));
    return values;
  }

 private:
  void take(void* into, size_t size) {
    TESSERA_CHECK(size <= bytes_.size(), "a report ends early");
    // Not memcpy, which takes no null pointer: an empty list has no address.
    std::copy_n(bytes_.data(), size, static_cast<std::byte*>(into));
    bytes_ = bytes_.subspan(size);
  }

  std::span<const std::byte> bytes_;
};

std::vector<std::byte> bytes_of(const plan::SiteTasks& site, const runtime::RunReport& report) {
  const Sums sums{report.seconds,       report.waiting,    report.peak_bytes,
                  report.spilled_bytes, report.num_spills, report.copied_bytes};
  std::vector<Timed> tasks;
  for (size_t number = 0; number < report.tasks.size(); ++number) {
    tasks.push_back({site.of_plan[number], report.tasks[number]});
  }
  std::vector<Spilled> spills;
  for (size_t tile = 0; tile < report.spills.size(); ++tile) {
    if (report.spills[tile] > 0) {
      spills.push_back({site.tile_of_plan[tile], report.spills[tile]});
    }
  }
  Writer writer;
  writer.add(std::vector{sums});
  writer.add(tasks);
  writer.add(spills);
  writer.add(std::vector<char>(report.note.begin(), report.note.end()));
  return writer.bytes();
}

/// A merger of one process's report into the others'.
class Merger {
 public:
  explicit Merger(const plan::TaskGraph& plan) : plan_(plan), half_(plan.tasks.size(), false) {
    whole_.tasks.resize(plan.tasks.size());
  }

  void add(std::span<const std::byte> bytes) {
    Reader reader(bytes);
    const Sums sums = reader.list<Sums>().at(0);
    whole_.seconds = std::max(whole_.seconds, sums.seconds);
    whole_.waiting += sums.waiting;
    whole_.peak_bytes += sums.peak_bytes;
    whole_.spilled_bytes += sums.spilled_bytes;
    whole_.num_spills += sums.num_spills;
    whole_.copied_bytes += sums.copied_bytes;
    for (const Timed& timed : reader.list<Timed>()) {
      add(timed);
    }
    for (const Spilled& spilled : reader.list<Spilled>()) {
      whole_.spills.resize(plan_.tiles.size());
      whole_.spills[spilled.tile.index()] += spilled.times;
    }
    const std::vector<char> note = reader.list<char>();
    whole_.note = note.empty() ? whole_.note : std::string(note.begin(), note.end());
    ++process_;
  }

  runtime::RunReport take() { return std::move(whole_); }

 private:
  void add(const Timed& timed) {
    const size_t number = timed.task.index();
    runtime::TaskTiming& known = whole_.tasks[number];
    runtime::TaskTiming next = timed.timing;
    if (half_[number]) {
      TESSERA_CHECK(known.moved_bytes == next.moved_bytes,
                    "move %{} sent and received different bytes: {} and {}", number,
                    known.moved_bytes, next.moved_bytes);
    }
    const bool is_receiver = plan_.tasks[number].site == plan::SiteId(process_);
    if (half_[number]) {
      // It began when both ends had.
      const double end = is_receiver ? next.start + next.seconds : known.start + known.seconds;
      next.start = std::max(known.start, next.start);
      next.seconds = std::max(0.0, end - next.start);
      next.worker = is_receiver ? next.worker : known.worker;
    }
    half_[number] = true;
    known = next;
  }

  const plan::TaskGraph& plan_;
  std::vector<bool> half_;  // by task: one end was reported
  int32_t process_ = 0;
  runtime::RunReport whole_;
};

}  // namespace

runtime::RunReport whole_report(net::Link& link, const plan::TaskGraph& plan,
                                const plan::SiteTasks& site, const runtime::RunReport& own) {
  const std::vector<std::vector<std::byte>> heard = net::gather(link, bytes_of(site, own));
  if (heard.empty()) {
    return own;
  }
  Merger merger(plan);
  for (const std::vector<std::byte>& bytes : heard) {
    merger.add(bytes);
  }
  return merger.take();
}

}  // namespace tessera::engine
