#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/session.h"
#include "plans/runner/case_file.h"
#include "plans/runner/data_rule.h"

namespace tessera::plans {

using Results = std::map<std::string, Tensor>;

/// What a plan is run with, besides its inputs.
struct RunOptions {
  const kernels::Context& kernels;
  int64_t budget = 0;
  int32_t workers = 1;
};

/// The stages of a case under other settings. Errors: those of planning.
engine::Stages plan_case(const Case& each, const engine::Session& session);

/// Everything that is wrong with the stages a plan has, in words that name the stage.
std::vector<std::string> problems_of(const engine::Stages& stages, const engine::Session& session);

/// An input of a case: by its rule, or small numbers where it names none.
Tensor input_of(const Case& each, const std::string& name, const ArrayType& type);

/// Runs tasks on a case's inputs and what else is given by name. Errors: those of the run.
Results run_tasks(const plan::TaskGraph& tasks, const Case& each, const RunOptions& options,
                  const Results& given = {});

/// Runs a plan with the kernels, workers and budget of a session, frame by frame where it has
/// frames.
Results run_case(const engine::Stages& stages, const Case& each, const engine::Session& session);

/// Where results differ from those that are wanted; nothing where they do not.
std::optional<std::string> difference(const Results& wanted, const Results& seen, double tolerance);

/// About how many elements the statements of a plan evaluate; how many numbers its inputs and
/// results have.
double work_of(const engine::Stages& stages);

}  // namespace tessera::plans
