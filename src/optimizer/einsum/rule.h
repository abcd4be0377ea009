#pragma once

#include "optimizer/einsum/nodes.h"
#include "optimizer/rewrite/rule.h"

namespace tessera::optimizer {

/// Rewrites of programs over whole tensors, one file each in optimizer/rules/.
using RuleContext = rewrite::RuleContext<einsum::Graph>;
using Rewritten = rewrite::Rewritten<einsum::Graph>;
using Replaced = rewrite::Replaced<einsum::Graph>;
using Outcome = rewrite::Outcome<einsum::Graph>;
using VertexRewrite = rewrite::NodeRewrite<einsum::Graph>;
using Rule = rewrite::Rule<einsum::Graph>;
using RuleRegistry = Registry<Rule>;

/// Adds every rule of optimizer/rules/ (the list is generated from the folder).
void register_all_rules(RuleRegistry& registry);

}  // namespace tessera::optimizer
