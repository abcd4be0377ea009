#include "program/runs/one_program.h"

namespace tessera::program {

namespace {

/// Plans of more tasks take longer to run than to make, and more memory than they are worth.
constexpr size_t kMostKeptTasks = 512;

}  // namespace

engine::Outlets OneProgram::outlets(const engine::Plan& plan) {
  end();
  ++num_plans_;
  for (const plan::TaskInfo& task : plan.tasks.tasks) {
    estimated_seconds_ += task.seconds;
  }
  engine::Outlets outlets = outlets_;
  if (follower_ != nullptr) {
    outlets.control.listener = follower_->begin(plan);
  }
  return outlets;
}

void OneProgram::done(const engine::Stages& stages) {
  if (num_plans_ == 1 && stages.tasks() != nullptr &&
      stages.tasks()->tasks.size() <= kMostKeptTasks) {
    plan_to_keep_ = std::make_shared<engine::Plan>(stages.plan());
  }
}

void OneProgram::run_by(const engine::Plan& plan, const engine::Session& session) {
  const engine::Outlets to = outlets(plan);
  session.run(plan, round_->sources, to.sinks, to.control);
  end();
}

}  // namespace tessera::program
