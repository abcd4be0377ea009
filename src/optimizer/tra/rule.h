#pragma once

#include "optimizer/rewrite/rule.h"
#include "optimizer/tra/nodes.h"

namespace tessera::optimizer {

/// Equivalences of the tensor relational algebra (TRA §5), one file each in optimizer/tra/rules/.
using RelationRuleContext = rewrite::RuleContext<tra::Graph>;
using RelationRewritten = rewrite::Rewritten<tra::Graph>;
using RelationOutcome = rewrite::Outcome<tra::Graph>;
using RelationRewrite = rewrite::NodeRewrite<tra::Graph>;
using RelationRule = rewrite::Rule<tra::Graph>;
using RelationRuleRegistry = Registry<RelationRule>;

/// Adds every rule of optimizer/tra/rules/ (the list is generated from the folder).
void register_all_relation_rules(RelationRuleRegistry& registry);

}  // namespace tessera::optimizer
