#include "plans/runner/process_run.h"

#include <exception>
#include <thread>

#include "base/error.h"
#include "base/temporary_file.h"
#include "net/loopback.h"
#include "plan/site_tasks.h"
#include "runtime/executor.h"

namespace tessera::plans {

namespace {

constexpr std::chrono::microseconds kLongestDelay(100);

/// One part of the run: the tasks of a site, and what came of them.
struct Process {
  plan::SiteTasks tasks;
  std::unique_ptr<net::Link> link;
  std::exception_ptr error;
};

void check_moved(const plan::TaskGraph& tasks, const runtime::RunReport& report) {
  for (size_t number = 0; number < tasks.tasks.size(); ++number) {
    const plan::TaskInfo& task = tasks.tasks[number];
    const double moved = plan::is_half_of_move(task) ? task.bytes : 0;
    TESSERA_CHECK(static_cast<double>(report.tasks[number].moved_bytes) == moved,
                  "task %{} of a site moves {} bytes, its plan says {}", number,
                  report.tasks[number].moved_bytes, moved);
  }
}

void run(Process& process, const runtime::RunContext& all, const RunOptions& options) {
  try {
    const plan::TaskGraph& tasks = process.tasks.graph;
    store::TileStore store(tasks.proof().smallest_budget);
    runtime::RunContext context{{&store}, all.kernels, all.sources, all.sinks};
    context.link = process.link.get();
    const auto executor = runtime::make_threads_executor({options.workers, temporary_directory()});
    check_moved(tasks, executor->run(tasks, context));
  } catch (...) {
    process.error = std::current_exception();
  }
}

}  // namespace

Results run_in_processes(const plan::TaskGraph& tasks, const Case& each, const RunOptions& options,
                         uint64_t seed) {
  std::map<std::string, Tensor> inputs;
  runtime::RunContext all{{}, options.kernels, {}, {}};
  for (const auto& [name, type] : tasks.sources) {
    inputs[name] = input_of(each, name, type);
    all.sources[name] = inputs[name].get();
  }
  Results results;
  for (const plan::SinkInfo& sink : tasks.sinks) {
    results[sink.name] = std::make_shared<store::MemoryTensor>(sink.type);
    all.sinks[sink.name] = results[sink.name].get();
  }
  std::vector<std::unique_ptr<net::Link>> links =
      net::make_loopback(static_cast<int32_t>(tasks.sites.size()), {kLongestDelay, seed});
  std::vector<Process> processes(links.size());
  {
    std::vector<std::jthread> threads;
    for (size_t number = 0; number < links.size(); ++number) {
      Process& process = processes[number];
      process.tasks = plan::tasks_of_site(tasks, plan::SiteId(static_cast<int64_t>(number)));
      process.link = std::move(links[number]);
      threads.emplace_back([&] { run(process, all, options); });
    }
  }
  for (const Process& process : processes) {
    if (process.error) {
      std::rethrow_exception(process.error);
    }
  }
  return results;
}

}  // namespace tessera::plans
