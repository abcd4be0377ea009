#include "cli/run_plan.h"

#include <algorithm>
#include <optional>

#include "base/byte_size.h"
#include "base/error.h"
#include "cli/interrupt.h"
#include "cli/profile_table.h"
#include "cli/progress_bar.h"
#include "cli/standard_streams.h"
#include "engine/report.h"
#include "engine/trace.h"
#include "io/atomic_file.h"
#include "plan/memory.h"
#include "plan/paging.h"

namespace tessera::cli {

namespace {

runtime::RunReport run_once(const engine::Session& session, const engine::Plan& plan,
                            const Operands& operands, const Results& results,
                            const Interrupt& interrupt, bool quiet) {
  std::optional<ProgressBar> progress;
  if (!quiet && progress_is_visible()) {
    progress.emplace(plan.tasks);
  }
  return session.run(plan, operands.sources(), results.sinks(),
                     {&interrupt.requested(), progress ? &*progress : nullptr});
}

/// Says what the run will hold before anything runs. Several workers may hold more than the peak,
/// which is of one task at a time. Errors: `resource` if it would be too much.
void say_memory(const plan::TaskGraph& tasks, const Budget& budget) {
  plan::check_budget(tasks, budget.bytes);
  const int64_t left = engine::left_by(tasks, budget).bytes;
  const plan::Paging paging = plan::forecast_paging(tasks, left);
  const int64_t most = budget.workers == 1 ? std::min(left, tasks.peak_bytes) : left;
  write_message(fmt::format(
      "at most {} at once; {} {}{}", byte_size_text(most),
      tasks.peak_bytes <= left ? "one task at a time takes"
                               : "without a bound one task at a time would take",
      byte_size_text(tasks.peak_bytes),
      paging.spilled_bytes == 0
          ? ""
          : fmt::format("; about {} will be spilled", byte_size_text(paging.spilled_bytes))));
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
              const Operands& operands, Results& results, const ExecutionOptions& options,
              bool quiet) {
  const engine::Plan& plan = stages.plan();
  if (!quiet && session.settings().memory_bytes) {
    say_memory(plan.tasks, session.budget());
  }
  std::optional<io::AtomicFile> trace;  // made before the run, so that it is not in vain
  if (!options.trace.empty()) {
    trace.emplace(options.trace, 0);
  }
  std::vector<runtime::RunReport> reports;
  const Interrupt interrupt;
  for (int64_t run = 0; run < options.repeat; ++run) {
    reports.push_back(run_once(session, plan, operands, results, interrupt, quiet));
  }
  if (!quiet && !reports.back().note.empty()) {
    write_message("tessera: note: " + reports.back().note);
  }
  if (options.json) {
    results.finish(true, false);
    write_output(engine::json_report(stages, reports, session) + "\n");
  } else {
    results.finish(quiet, true);
  }
  if (options.analyze && !options.json) {
    print_profile(stages, &reports.back());
  }
  if (trace) {
    write_trace(*trace, plan.tasks, reports.back());
  }
}

}  // namespace tessera::cli
