#include "cli/run_plan.h"

#include <cstdio>
#include <fstream>
#include <optional>

#include "base/error.h"
#include "cli/interrupt.h"
#include "cli/profile_table.h"
#include "cli/progress_bar.h"
#include "engine/report.h"
#include "engine/trace.h"

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
  std::vector<runtime::RunReport> reports;
  const Interrupt interrupt;
  for (int64_t run = 0; run < options.repeat; ++run) {
    reports.push_back(run_once(session, stages, operands, results, interrupt, quiet));
  }
  if (!quiet && !reports.back().note.empty()) {
    std::fprintf(stderr, "tessera: note: %s\n", reports.back().note.c_str());
  }
  if (options.json) {
    results.finish(true, false);
    std::printf("%s\n", engine::json_report(stages, reports, session).c_str());
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
