#pragma once

#include "plan/site_tasks.h"
#include "runtime/executor.h"

namespace tessera::engine {

/// A listener to one site's tasks that reports them as tasks of the whole plan.
class SiteListener : public runtime::RunListener {
 public:
  /// Borrows both, which outlive it.
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
