#pragma once

#include <variant>

#include "base/diagnostic.h"
#include "engine/setup/setup.h"
#include "ir/einsum/graph.h"
#include "ir/ia/graph.h"
#include "ir/tra/graph.h"
#include "plan/task_graph.h"

namespace tessera::engine {

/// The stage that a plan starts from.
using Start = std::variant<einsum::Graph, tra::Graph, ia::Graph, plan::TaskGraph>;

/// Reads the text of any one stage back, verified.
/// Errors: `user`, with line, column and caret for the text, in words for an inconsistent stage.
Start parse_stage(const SourceText& source, const Setup& setup);

}  // namespace tessera::engine
