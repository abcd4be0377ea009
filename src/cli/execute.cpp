#include "cli/execute.h"

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "base/byte_size.h"
#include "base/error.h"
#include "cli/interrupt.h"
#include "cli/profile_table.h"
#include "cli/progress_bar.h"
#include "cli/standard_streams.h"
#include "cli/warnings.h"
#include "engine/explain/report.h"
#include "engine/explain/trace.h"
#include "engine/forecast/memory_forecast.h"
#include "engine/processes/agreement.h"
#include "io/atomic_file.h"

namespace tessera::cli {

namespace {

/// Describes the memory of a run with another bound: without the bound if that is more, with one
/// task at a time if that is less. Empty if the size is the same.
std::string otherwise_text(const engine::MemoryForecast& forecast) {
  const std::string serial = byte_size_text(forecast.serial_bytes);
  if (serial == byte_size_text(forecast.most_bytes)) {
    return "";
  }
  if (forecast.serial_bytes > forecast.most_bytes) {
    return fmt::format("; without this bound it would be {}", serial);
  }
  return forecast.is_unbounded ? fmt::format("; with one task at a time {}", serial) : "";
}

/// Reports the memory of the run before it begins. Errors: `resource` if it would be too much.
void say_memory(const engine::Stages& stages, const engine::Session& session) {
  const engine::MemoryForecast forecast = engine::forecast_memory(stages, session.setup());
  write_message(fmt::format(
      "at most {} at once{}{}{}", byte_size_text(forecast.most_bytes),
      forecast.num_spaces == 1 ? "" : fmt::format(" in each of {} spaces", forecast.num_spaces),
      otherwise_text(forecast),
      forecast.spilled_bytes == 0
          ? ""
          : fmt::format("; about {} will be spilled", byte_size_text(forecast.spilled_bytes))));
}

void write_trace(io::AtomicFile& file, const engine::Trace& trace) {
  const std::string text = trace.text();
  file.write_at(0, reinterpret_cast<const std::byte*>(text.data()),
                static_cast<int64_t>(text.size()));
  file.commit(store::Durability::process);
}

constexpr const char* kSameCommand = "start all processes with the same command";

/// Refuses a round that processes were given differently, before they wait for each other.
void check_asked(net::Link* link, const engine::Round& round) {
  if (link != nullptr) {
    engine::check_same(*link, {{"program", engine::text_of(round.source).text, kSameCommand}});
  }
}

using Files = std::vector<std::pair<std::string, std::string>>;

/// Refuses files of results that processes were given differently.
void check_asked(net::Link* link, const Files& files, const std::vector<plan::SinkInfo>& sinks) {
  std::string names;
  for (const engine::ResultFile& file : engine::bind_results(files, sinks)) {
    names += file.name + "\n";
  }
  if (link != nullptr) {
    engine::check_same(*link, {{"list of results that go to files", names, kSameCommand}});
  }
}

/// The one round that the command line executes.
class OneRound : public engine::Rounds {
 public:
  OneRound(const engine::Session& session, engine::Round round, const FilesOf& files,
           const ExecutionOptions& options, bool quiet)
      : session_(session),
        round_(std::move(round)),
        files_(files),
        options_(options),
        quiet_(quiet) {}

  std::optional<engine::Round> next(const engine::Sources&) override {
    return std::exchange(round_, std::nullopt);
  }

  void planned(const engine::Stages& stages) override {
    const std::vector<plan::SinkInfo> sinks = stages.results();
    const Files files = files_(sinks.size());
    check_asked(session_.setup().link(), files, sinks);
    results_.emplace(session_.formats(), sinks, files, session_.setup().link());
    if (!quiet_) {
      say_warnings(stages);
      say_precision(session_);
    }
    if (!quiet_ && session_.settings().memory_bytes) {
      say_memory(stages, session_);
    }
    if (!quiet_ && stages.frames() != nullptr) {
      write_message(fmt::format("tessera: note: the plan runs in {} frames, one after the other",
                                stages.frames()->size()));
    }
    // before the run, so that a fault of it costs no run
    if (!options_.trace.empty() && is_first()) {
      trace_file_.emplace(options_.trace, 0);
    }
  }

  void noted(const std::string& text) override {
    progress_.reset();
    if (!quiet_) {
      write_message("tessera: note: " + text);
    }
  }

  engine::Outlets outlets(const engine::Plan& plan) override {
    progress_.reset();
    if (!quiet_ && progress_is_visible()) {
      progress_.emplace(plan.tasks, 0);  // only the first process reports
    }
    if (!interrupt_) {
      interrupt_.emplace();
    }
    return {results_ ? results_->sinks() : engine::Sinks(),  // none for a round that only counts
            {&interrupt_->requested(), progress_ ? &*progress_ : nullptr}};
  }

  void ran(const engine::Plan& plan, std::vector<runtime::RunReport> reports) override {
    progress_.reset();
    const std::string& note = reports.back().note;
    if (!quiet_ && !note.empty()) {
      write_message("tessera: note: " + note);
    }
    if ((options_.json || options_.analyze) && is_first()) {
      profile_.add(plan.tasks, reports);
    }
    if (trace_file_) {
      trace_.add(plan.tasks, reports.back());
    }
  }

  void done(const engine::Stages& stages) override {
    commit();
    say_results(stages);
    if (trace_file_) {
      write_trace(*trace_file_, trace_);
    }
  }

 private:
  /// True if this process reports for all.
  bool is_first() const {
    const net::Link* const link = session_.setup().link();
    return link == nullptr || link->process() == 0;
  }

  void commit() {
    const auto start = std::chrono::steady_clock::now();
    results_->commit(options_.sync ? store::Durability::system : store::Durability::process);
    profile_.add_commit(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }

  void say_results(const engine::Stages& stages) {
    if (!is_first()) {
      return;
    }
    if (options_.json) {
      write_output(engine::json_report(stages, profile_, session_) + "\n");
      return;
    }
    if (!quiet_) {
      results_->report();
    }
    results_->print();
    if (options_.analyze) {
      print_profile(profile_, stages.planning_seconds, session_.machine());
    }
  }

  const engine::Session& session_;
  std::optional<engine::Round> round_;  // nothing after it was returned
  const FilesOf& files_;
  const ExecutionOptions& options_;
  bool quiet_;
  std::optional<Results> results_;
  std::optional<io::AtomicFile> trace_file_;
  engine::Trace trace_;
  engine::PlanProfile profile_;  // if it is requested
  std::optional<Interrupt> interrupt_;
  std::optional<ProgressBar> progress_;
};

}  // namespace

void execute(const engine::Session& session, engine::Round round, const FilesOf& files,
             const ExecutionOptions& options, bool quiet) {
  round.num_runs = options.repeat;
  check_asked(session.setup().link(), round);
  OneRound rounds(session, std::move(round), files, options, quiet);
  session.execute(rounds);
}

}  // namespace tessera::cli
