#include "cli/execute.h"

#include <chrono>
#include <optional>
#include <utility>

#include "base/byte_size.h"
#include "base/error.h"
#include "cli/interrupt.h"
#include "cli/profile_table.h"
#include "cli/progress_bar.h"
#include "cli/standard_streams.h"
#include "engine/explain/report.h"
#include "engine/explain/trace.h"
#include "engine/forecast/memory_forecast.h"
#include "io/atomic_file.h"

namespace tessera::cli {

namespace {

/// Says what the run will hold before anything runs. Several workers may hold more than the peak,
/// which is of one task at a time. Errors: `resource` if it would be too much.
void say_memory(const engine::Plan& plan, const Budget& budget) {
  const engine::MemoryForecast forecast = engine::forecast_memory(plan, budget);
  write_message(fmt::format(
      "at most {} at once{}; {} {}{}", byte_size_text(forecast.most_bytes),
      forecast.num_spaces == 1 ? "" : fmt::format(" in each of {} spaces", forecast.num_spaces),
      forecast.is_unbounded ? "one task at a time takes"
                            : "without a bound one task at a time would take",
      byte_size_text(forecast.serial_bytes),
      forecast.spilled_bytes == 0
          ? ""
          : fmt::format("; about {} will be spilled", byte_size_text(forecast.spilled_bytes))));
}

void write_trace(io::AtomicFile& file, const plan::TaskGraph& graph,
                 const runtime::RunReport& report) {
  const std::string text = engine::trace_of(graph, report);
  file.write_at(0, reinterpret_cast<const std::byte*>(text.data()),
                static_cast<int64_t>(text.size()));
  file.commit(store::Durability::process);
}

/// What the command line executes: one frame.
class OneFrame : public engine::Frames {
 public:
  OneFrame(const engine::Session& session, engine::Frame frame, const FilesOf& files,
           const ExecutionOptions& options, bool quiet)
      : session_(session),
        frame_(std::move(frame)),
        files_(files),
        options_(options),
        quiet_(quiet) {}

  std::optional<engine::Frame> next(const engine::Sources&) override {
    return std::exchange(frame_, std::nullopt);
  }

  void planned(const engine::Stages& stages) override {
    const engine::Plan& plan = stages.plan();
    results_.emplace(session_.formats(), plan.tasks.sinks, files_(plan.tasks.sinks.size()));
    if (!quiet_ && session_.settings().memory_bytes) {
      say_memory(plan, session_.budget());
    }
    if (!options_.trace.empty()) {  // made before the run, so that it is not in vain
      trace_.emplace(options_.trace, 0);
    }
    interrupt_.emplace();
  }

  engine::Outlets outlets(const engine::Stages& stages) override {
    progress_.reset();
    if (!quiet_ && progress_is_visible()) {
      progress_.emplace(stages.plan().tasks);
    }
    return {results_->sinks(), {&interrupt_->requested(), progress_ ? &*progress_ : nullptr}};
  }

  void ran(const engine::Stages& stages, std::vector<runtime::RunReport> reports) override {
    progress_.reset();
    if (!quiet_ && !reports.back().note.empty()) {
      write_message("tessera: note: " + reports.back().note);
    }
    commit(reports.back());
    say_results(stages, reports);
    if (trace_) {
      write_trace(*trace_, stages.plan().tasks, reports.back());
    }
  }

 private:
  void commit(runtime::RunReport& report) {
    const auto start = std::chrono::steady_clock::now();
    results_->commit(options_.sync ? store::Durability::system : store::Durability::process);
    report.commit_seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  void say_results(const engine::Stages& stages, const std::vector<runtime::RunReport>& reports) {
    if (options_.json) {
      write_output(engine::json_report(stages, reports, session_) + "\n");
      return;
    }
    if (!quiet_) {
      results_->report();
    }
    results_->print();
    if (options_.analyze) {
      print_profile(stages, &reports.back());
    }
  }

  const engine::Session& session_;
  std::optional<engine::Frame> frame_;  // nothing once it was given
  const FilesOf& files_;
  const ExecutionOptions& options_;
  bool quiet_;
  std::optional<Results> results_;
  std::optional<io::AtomicFile> trace_;
  std::optional<Interrupt> interrupt_;
  std::optional<ProgressBar> progress_;
};

}  // namespace

void execute(const engine::Session& session, engine::Frame frame, const FilesOf& files,
             const ExecutionOptions& options, bool quiet) {
  frame.num_runs = options.repeat;
  OneFrame frames(session, std::move(frame), files, options, quiet);
  session.execute(frames);
}

}  // namespace tessera::cli
