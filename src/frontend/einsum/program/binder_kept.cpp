#include <algorithm>

#include "frontend/einsum/program/binder.h"
#include "frontend/einsum/program/counted_syntax.h"
#include "frontend/einsum/program/environment.h"
#include "frontend/einsum/program/resolver.h"

/// Labels that keep selects positions of (counted_syntax.h).
namespace tessera::frontend {

std::optional<int64_t> ProgramBinder::extent_of_kept(const Assignment& assignment) {
  const KeptLabel& kept = *assignment.kept;
  if (!kept.first) {
    const Tensor& like = scope_.tensors.at(kept.like.text);
    return like.has_failed ? std::nullopt : std::optional(like.type.shape.front());
  }
  const Assignment together{assignment.name, kept.first->left, kept.first->both, {}};
  Environment environment(syntax_);
  Resolver resolver(scope_, vocabulary_, findings_);
  resolver.set_defined(assignment.name.text.substr(0, assignment.name.text.find('.')));
  if (!add_left_labels(together, environment, resolver)) {
    return std::nullopt;
  }
  const std::optional<ResolvedExpression> resolved = resolver.resolve(together.value, environment);
  if (!resolved) {
    return std::nullopt;
  }
  const auto label = std::find_if(
      resolved->labels.begin(), resolved->labels.end(),
      [&](const StatementLabel& each) { return each.name == kept.label; });  // left ones are first
  return label->extent;
}

void ProgramBinder::share_kept(const Assignment& assignment, int64_t extent) {
  if (!assignment.kept->first) {
    return;
  }
  const std::string& kept = assignment.name.text;
  const std::string statement = kept.substr(0, kept.find('.'));
  for (const std::string& earlier : assignment.kept->first->earlier) {
    const auto known = scope_.tensors.find(earlier + kept_names::kKept);
    const bool is_same = known != scope_.tensors.end() && !known->second.has_failed &&
                         known->second.type.shape == Shape{extent} &&
                         !shared_.contains(known->first);
    if (!is_same) {
      continue;
    }
    for (const char* what :
         {kept_names::kKept, kept_names::kCount, kept_names::kBefore, kept_names::kRows}) {
      shared_[statement + what] = earlier + what;
    }
    return;
  }
}

/// Makes a shared name known, as the number or the tensor that replaces it. True if the name is
/// shared.
bool ProgramBinder::is_shared(const std::string& name) {
  const auto shared = shared_.find(name);
  if (shared == shared_.end()) {
    return false;
  }
  if (const auto number = scope_.parameters.find(shared->second);
      number != scope_.parameters.end()) {
    scope_.parameters[name] = number->second;
  } else {
    scope_.tensors[name] = scope_.tensors.at(shared->second);
  }
  return true;
}

}  // namespace tessera::frontend
