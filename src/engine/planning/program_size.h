#pragma once

#include "engine/planning/stages.h"
#include "ir/einsum/graph.h"
#include "plan/memory.h"

namespace tessera::engine {

/// Returns the memory of a program itself, beside its plan, while that is searched for, made and
/// run: the statements, in every stage that is kept. The first 24 MiB are free: a process has them
/// beside its budget, like those of the first tasks (plan/plan_size.h).
plan::Held held_by(const einsum::Graph& program);

/// Returns the memory of a plan's program, by the stage that it starts from.
plan::Held held_by(const Plan& plan);
/// Returns the memory of the program of a plan or its frames. REQUIRES that there are tasks.
plan::Held held_by(const Stages& stages);

/// Refuses a program that leaves nothing of a budget, before any plan of it is looked for. Errors:
/// `resource`.
void check_leaves_room(const plan::Held& held, int64_t budget);

}  // namespace tessera::engine
