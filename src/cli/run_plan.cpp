#include "cli/run_plan.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <optional>

#include "base/byte_size.h"
#include "base/error.h"
#include "cli/interrupt.h"
#include "cli/profile_table.h"
#include "cli/progress_bar.h"
#include "cli/standard_streams.h"
#include "engine/report.h"
#include "engine/trace.h"
#include "plan/memory.h"
#include "plan/paging.h"

namespace tessera::cli {

namespace {

runtime::RunReport run_once(const engine::Session& session, const engine::Stages& stages,
                            const Operands& operands, const Results& results,
                            const Interrupt& interrupt, bool quiet) {
  std::optional<ProgressBar> progress;
  if (!quiet && progress_is_visible()) {
    progress.emplace(*stages.tasks);
  }
  return session.run(stages, operands.sources(), results.sinks(),
                     {&interrupt.requested(), progress ? &*progress : nullptr});
}

/// Says what the run will hold before anything runs. Errors: `resource` if it would be too much.
void say_memory(const plan::TaskGraph& tasks, int64_t budget) {
  plan::check_budget(tasks, budget);
  const plan::Paging paging = plan::forecast_paging(tasks, budget);
  fmt::print(stderr, "at most {} at once; without a bound {}{}\n",
             byte_size_text(std::min(budget, tasks.peak_bytes)), byte_size_text(tasks.peak_bytes),
             paging.spilled_bytes == 0
                 ? ""
                 : fmt::format("; about {} will be spilled", byte_size_text(paging.spilled_bytes)));
}

void write_trace(const std::string& path, const plan::TaskGraph& graph,
                 const runtime::RunReport& report) {
  std::ofstream file(path, std::ios::binary);
  file << engine::trace_of(graph, report);
  file.close();
  if (!file) {
    throw_error(ErrorKind::resource, "cannot write the trace {}", path);
  }
}

}  // namespace

void run_plan(const engine::Session& session, const engine::Stages& stages,
              const Operands& operands, Results& results, const ExecutionOptions& options,
              bool quiet) {
  if (!quiet && session.settings().memory_bytes) {
    say_memory(*stages.tasks, session.memory_budget());
  }
  std::vector<runtime::RunReport> reports;
  const Interrupt interrupt;
  for (int64_t run = 0; run < options.repeat; ++run) {
    reports.push_back(run_once(session, stages, operands, results, interrupt, quiet));
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
  if (!options.trace.empty()) {
    write_trace(options.trace, *stages.tasks, reports.back());
  }
}

}  // namespace tessera::cli
