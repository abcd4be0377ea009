#pragma once

#include "plan/site_tasks.h"
#include "runtime/executor.h"

namespace tessera::engine {

/// Hears of the tasks of one site as of those of the plan that they are of.
class SiteListener : public runtime::RunListener {
 public:
  /// Both outlive it.
  SiteListener(const plan::SiteTasks& site, runtime::RunListener& of_plan)
      : site_(site), of_plan_(of_plan) {}

  void task_finished(plan::TaskId task, const runtime::TaskTiming& timing) override {
    of_plan_.task_finished(site_.of_plan[task.index()], timing);
  }

 private:
  const plan::SiteTasks& site_;
  runtime::RunListener& of_plan_;
};

}  // namespace tessera::engine
