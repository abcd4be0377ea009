#include "cli/run_plan.h"

#include <chrono>
#include <optional>

#include "base/byte_size.h"
#include "base/error.h"
#include "cli/interrupt.h"
#include "cli/profile_table.h"
#include "cli/progress_bar.h"
#include "cli/standard_streams.h"
#include "engine/memory_forecast.h"
#include "engine/report.h"
#include "engine/trace.h"
#include "io/atomic_file.h"

namespace tessera::cli {

namespace {

runtime::RunReport run_once(const engine::Session& session, const engine::Plan& plan,
                            const engine::InputFiles& inputs, const Results& results,
                            const Interrupt& interrupt, bool quiet) {
  std::optional<ProgressBar> progress;
  if (!quiet && progress_is_visible()) {
    progress.emplace(plan.tasks);
  }
  return session.run(plan, inputs.sources(), results.sinks(),
                     {&interrupt.requested(), progress ? &*progress : nullptr});
}

/// Says what the run will hold before anything runs. Several workers may hold more than the peak,
/// which is of one task at a time. Errors: `resource` if it would be too much.
void say_memory(const engine::Plan& plan, const Budget& budget) {
  const engine::MemoryForecast forecast = engine::forecast_memory(plan, budget);
  write_message(fmt::format(
      "at most {} at once; {} {}{}", byte_size_text(forecast.most_bytes),
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
  file.commit();
}

}  // namespace

void run_plan(const engine::Session& session, const engine::Stages& stages,
              const engine::InputFiles& inputs, Results& results, const ExecutionOptions& options,
              bool quiet) {
  const engine::Plan& plan = stages.plan();
  if (!quiet && session.settings().memory_bytes) {
    say_memory(plan, session.budget());
  }
  std::optional<io::AtomicFile> trace;  // made before the run, so that it is not in vain
  if (!options.trace.empty()) {
    trace.emplace(options.trace, 0);
  }
  std::vector<runtime::RunReport> reports;
  const Interrupt interrupt;
  for (int64_t run = 0; run < options.repeat; ++run) {
    reports.push_back(run_once(session, plan, inputs, results, interrupt, quiet));
  }
  if (!quiet && !reports.back().note.empty()) {
    write_message("tessera: note: " + reports.back().note);
  }
  const auto start = std::chrono::steady_clock::now();
  results.commit();
  reports.back().commit_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (options.json) {
    write_output(engine::json_report(stages, reports, session) + "\n");
  } else {
    if (!quiet) {
      results.report();
    }
    results.print();
  }
  if (options.analyze && !options.json) {
    print_profile(stages, &reports.back());
  }
  if (trace) {
    write_trace(*trace, plan.tasks, reports.back());
  }
}

}  // namespace tessera::cli
