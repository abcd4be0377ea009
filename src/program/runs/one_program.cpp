#include "program/runs/one_program.h"

#include "program/runs/known_plans.h"

namespace tessera::program {

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
  if (num_plans_ == 1 && stages.tasks() != nullptr && KnownPlans::may_keep(stages.plan())) {
    plan_to_keep_ = std::make_shared<engine::Plan>(stages.plan());
  }
}

void OneProgram::run_by(const engine::Plan& plan, const engine::Session& session) {
  const engine::Outlets to = outlets(plan);
  session.run(plan, round_->sources, to.sinks, to.control);
  end();
}

}  // namespace tessera::program
