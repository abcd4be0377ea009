#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/execution/rounds.h"
#include "engine/session.h"
#include "program/runs/run_follower.h"

namespace tessera::program {

/// One program, executed once.
class OneProgram : public engine::Rounds {
 public:
  using Look = std::function<void(const engine::Stages& stages)>;
  /// The follower, which may be null, outlives it. `look` is shown what was planned before it runs.
  OneProgram(
      engine::Round round, engine::Outlets outlets, RunFollower* follower,
      Look look = [](const engine::Stages&) {})
      : round_(std::move(round)),
        outlets_(std::move(outlets)),
        follower_(follower),
        look_(std::move(look)) {}
  ~OneProgram() override { end(); }
  OneProgram(const OneProgram&) = delete;
  OneProgram& operator=(const OneProgram&) = delete;

  std::optional<engine::Round> next(const engine::Sources&) override {
    return std::exchange(round_, std::nullopt);
  }
  void planned(const engine::Stages& stages) override { look_(stages); }
  bool reads_stages() const override { return false; }
  engine::Outlets outlets(const engine::Plan& plan) override;
  void ran(const engine::Plan&, std::vector<runtime::RunReport>) override { end(); }
  void done(const engine::Stages& stages) override;

  /// Runs it by its plan, which was made before.
  void run_by(const engine::Plan& plan, const engine::Session& session);
  /// The plan that it was run by; null where it has several, or is too large to be kept.
  std::shared_ptr<const engine::Plan> plan_to_keep() const { return plan_to_keep_; }
  /// Returns the estimated time of its plans so far, summed over workers.
  double estimated_seconds() const { return estimated_seconds_; }

 private:
  void end() {
    if (follower_ != nullptr) {
      follower_->end();
    }
  }

  std::optional<engine::Round> round_;
  engine::Outlets outlets_;
  RunFollower* follower_;
  Look look_;
  double estimated_seconds_ = 0;
  int64_t num_plans_ = 0;
  std::shared_ptr<const engine::Plan> plan_to_keep_;
};

}  // namespace tessera::program
