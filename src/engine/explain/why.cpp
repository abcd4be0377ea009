#include "engine/explain/why.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/ranges.h>

#include "base/error.h"
#include "base/suggest.h"
#include "engine/explain/why_rule.h"

namespace tessera::engine {

namespace {

using optimizer::partition::GraphPartition;
using optimizer::partition::StatementPartition;
using Labels = std::vector<expr::LabelDecl>;

const StatementPartition& statement_of(const einsum::Graph& graph, const GraphPartition& partition,
                                       const std::string& name) {
  std::vector<std::string> names;
  for (const StatementPartition& statement : partition.statements) {
    names.push_back(graph.at(statement.vertex).name);
    if (names.back() == name) {
      return statement;
    }
  }
  const std::string hint = did_you_mean(name, names);
  throw_error(ErrorKind::user, "the plan computes no {}; it computes {}{}", name,
              fmt::join(names, ", "), hint.empty() ? "" : "; " + hint);
}

/// True if the plan computes a tensor of this name, which may also be a rule's.
bool computes(const Choices& choices, const std::string& name) {
  const std::vector<StatementPartition>& statements = choices.partition.statements;
  return std::any_of(statements.begin(), statements.end(),
                     [&](const StatementPartition& statement) {
                       return choices.optimized.at(statement.vertex).name == name;
                     });
}

/// Formats "s:2 x a:1 x h:4, 8 calls".
std::string vector_text(const Labels& labels, const std::vector<int64_t>& pieces) {
  std::vector<std::string> parts;
  int64_t calls = 1;
  for (size_t label = 0; label < pieces.size(); ++label) {
    parts.push_back(fmt::format("{}:{}", labels[label].name, pieces[label]));
    calls *= pieces[label];
  }
  return fmt::format("{}, {} {}",
                     parts.empty() ? "a scalar" : fmt::format("{}", fmt::join(parts, " x ")), calls,
                     calls == 1 ? "call" : "calls");
}

std::string lengths_text(const Labels& labels, const std::vector<int64_t>& lengths) {
  std::vector<std::string> parts;
  for (size_t label = 0; label < lengths.size(); ++label) {
    const int64_t extent = labels[label].extent;
    parts.push_back(
        fmt::format("{} of {} {}", std::min(lengths[label], extent), extent, labels[label].name));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string chooser_text(const GraphPartition& partition) {
  if (partition.planner.empty()) {
    return "as the tile lengths say";
  }
  std::string text = fmt::format("by planner {}, {} {} a large statement", partition.planner,
                                 partition.pieces, partition.pieces == 1 ? "call" : "calls");
  if (partition.lower_bound) {
    text += *partition.lower_bound >= partition.cost
                ? "; no plan of these alternatives costs less"
                : fmt::format("; any plan of these alternatives costs at least {:.6g}",
                              *partition.lower_bound);
  }
  return text;
}

std::string sliced_text(const Labels& labels, const StatementPartition& statement) {
  std::string text;
  for (const int32_t label : statement.sliced) {
    const auto number = static_cast<size_t>(label);
    text += fmt::format(
        "{} is sliced wherever it flows, here into {} pieces: the memory budget does not hold "
        "all of the intermediates that have it at once\n",
        labels[number].name, statement.pieces[number]);
  }
  return text;
}

std::string alternatives_text(const Labels& labels, const GraphPartition& partition,
                              const StatementPartition& statement) {
  if (statement.runners_up.empty()) {
    return "no other cut was considered\n";
  }
  std::string text = fmt::format("{} cuts were considered; the nearest would make the plan cost:\n",
                                 statement.num_alternatives);
  for (const StatementPartition::Alternative& other : statement.runners_up) {
    text += fmt::format("  {:>12.6g}  (+{:.6g})  {}\n", other.plan_cost,
                        other.plan_cost - partition.cost, vector_text(labels, other.pieces));
  }
  return text;
}

/// Formats the file costs of a statement: "reading 1.2 ms in 32 runs".
std::string files_text(const StatementPartition& statement) {
  std::vector<std::string> parts;
  const auto add = [&](const char* what, const FileEstimate& estimate) {
    if (estimate.runs > 0) {
      parts.push_back(fmt::format("{} {:.3g} s in {:.6g} runs of bytes", what, estimate.seconds,
                                  estimate.runs));
    }
  };
  add("reading its inputs", statement.reading);
  add("writing its result", statement.writing);
  return parts.empty() ? ""
                       : fmt::format("its files take, estimated: {};\n", fmt::join(parts, ", "));
}

std::string reasons_text(const Choices& choices, const std::string& name) {
  std::string text;
  for (const optimizer::Reason& reason : choices.optimization.reasons) {
    if (reason.vertex == name && !reason.text.empty()) {
      text += fmt::format("rule {} left it alone: {}\n", reason.rule, reason.text);
    }
  }
  return text;
}

}  // namespace

std::string why(const Stages& stages, const std::string& name, const Session& session) {
  const Choices* choices = stages.choices();
  if (is_rule(name, session) && (choices == nullptr || !computes(*choices, name))) {
    return why_rule(stages, name, session);
  }
  TESSERA_USER_CHECK(choices != nullptr,
                     "nothing was chosen about {}: the text says already how tensors are cut",
                     name);
  const GraphPartition& partition = choices->partition;
  const StatementPartition& statement = statement_of(choices->optimized, partition, name);
  const einsum::Vertex& vertex = choices->optimized.at(statement.vertex);
  const Labels& labels = einsum::labels_of(vertex.op);
  const auto& lengths = partition.partitioning.piece_lengths[statement.vertex.index()];
  std::string text = fmt::format("{} is cut {} ({})\n", to_string(vertex.origin),
                                 vector_text(labels, statement.pieces), chooser_text(partition));
  if (!labels.empty()) {
    text += fmt::format("one call takes {}\n", lengths_text(labels, lengths));
  }
  text += sliced_text(labels, statement);
  text += fmt::format(
      "it moves {:.6g} elements into its calls, {:.6g} between partial results, {:.6g} to "
      "repartition what it reads;\n",
      statement.join, statement.aggregation, statement.repartition);
  text += files_text(statement);
  if (statement.handed_on > 0) {
    text +=
        fmt::format("its rows are reduced in pieces, which is worth {:.6g}\n", statement.handed_on);
  }
  if (statement.reloaded > 0) {
    text += fmt::format(
        "its tiles do not stay in the cache, for longer runs of bytes, which is worth {:.6g}\n",
        statement.reloaded);
  }
  if (statement.between_sites > 0) {
    text +=
        fmt::format("what its sites move between them is worth {:.6g}\n", statement.between_sites);
  }
  text += fmt::format(
      "the whole plan costs {:.6g}: a communication volume of {:.6g} elements, and {:.3g} s of "
      "reading and writing files, which are worth 2e9 a second\n",
      partition.cost, partition.communication_volume, partition.file_seconds);
  text += alternatives_text(labels, partition, statement);
  text += reasons_text(*choices, name);
  text.pop_back();
  return text;
}

}  // namespace tessera::engine
