#pragma once

#include <functional>
#include <string>
#include <vector>

#include "program/frames/operators.h"

namespace tessera::program {

/// What a statement of the tensor part says of itself.
struct StatementText {
  std::vector<std::string> reads;  // tensors, each once
  frames::OperatorKind kind = frames::OperatorKind::map;
};

/// Reads `[i] = sum[k](S1[i,k] * S2[k])`: the statement without its name. `is_tensor` says which
/// words are names of tensors.
StatementText read_statement(const std::string& text,
                             const std::function<bool(const std::string&)>& is_tensor);

}  // namespace tessera::program
