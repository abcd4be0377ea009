#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "expr/text/parts.h"
#include "ir/document_nodes.h"
#include "ir/tra/text_monoid.h"
#include "plan/text.h"
#include "plan/text_words.h"

namespace tessera::plan {

namespace {

using expr::written_name;
using ir::Description;
using ir::Field;

/// True if everything is in the one usual place, so that places are not written.
bool is_in_one_place(const TaskGraph& graph) {
  return graph.sites.size() == 1 && graph.spaces.size() == 1 && graph.spaces[0].process == 0 &&
         graph.spaces[0].kind == MemoryKind::host;
}

std::vector<Field> proof_fields(const MemoryProof& proof) {
  std::vector<Field> fields = {{"peak", fmt::format("{}", proof.peak.expected), {}}};
  if (proof.peak.at_most != proof.peak.expected) {
    fields.push_back({"peak_at_most", fmt::format("{}", proof.peak.at_most), {}});
  }
  fields.push_back({"smallest_budget", fmt::format("{}", proof.smallest_budget), {}});
  return fields;
}

std::vector<std::string> intervals(const std::vector<int64_t>& begin, const Shape& length) {
  std::vector<std::string> texts;
  for (size_t mode = 0; mode < std::min(begin.size(), length.size()); ++mode) {
    texts.push_back(fmt::format("{}:{}", begin[mode], begin[mode] + length[mode]));
  }
  return texts;
}

std::string argument_text(const Argument& argument) {
  std::string text = fmt::format("t{}", argument.tile.value);
  if (argument.part == nullptr) {
    return text;
  }
  const auto& [box, origin] = *argument.part;
  text += fmt::format("[{}]", fmt::join(intervals(box.origin, box.extent), ";"));
  return origin == box.origin ? text : text + fmt::format("@[{}]", fmt::join(origin, ";"));
}

void add_number(Description& line, const std::string& name, double number) {
  if (number != 0) {
    line.parameters.push_back({name, fmt::format("{}", number), {}});
  }
}

/// Adds the fields that only compute tasks have.
void add_call(Description& line, const TaskInfo& task) {
  if (task.program.valid()) {
    line.parameters.push_back({"program", fmt::format("p{}", task.program.value), {}});
  }
  if (!task.kernel->empty()) {
    line.parameters.push_back({"kernel", written_name(task.kernel), {}});
  }
  std::vector<std::string> ranges;
  for (const kernels::LabelRange& range : task.shape.ranges) {
    ranges.push_back(fmt::format("{}:{}", range.begin, range.begin + range.length));
  }
  if (!ranges.empty()) {
    line.parameters.push_back({"ranges", fmt::format("({})", fmt::join(ranges, ",")), {}});
  }
  if (task.shape.accumulate) {
    line.parameters.push_back({"accumulate", "yes", {}});
  }
  if (task.workspace_bytes != 0) {
    line.parameters.push_back({"workspace", fmt::format("{}", task.workspace_bytes), {}});
  }
}

Description describe_task(const TaskInfo& task) {
  Description line = ir::operation(kKindWords[static_cast<size_t>(task.kind)]);
  line.operands.reserve(task.inputs.size());
  line.parameters.reserve(8);  // the usual number for a call
  for (const Argument& input : task.inputs) {
    line.operands.push_back({"", argument_text(input), {}});
  }
  if (!task.name->empty()) {
    line.parameters.push_back({"", written_name(task.name), {}});
  }
  if (task.site != kFirstSite) {
    line.parameters.push_back({"site", fmt::format("s{}", task.site.value), {}});
  }
  if (task.peer.valid()) {
    line.parameters.push_back({"peer", fmt::format("s{}", task.peer.value), {}});
  }
  std::vector<std::string> outputs;
  for (const Argument& output : task.outputs) {
    outputs.push_back(argument_text(output));
  }
  if (!outputs.empty()) {
    line.parameters.push_back({"out", fmt::format("({})", fmt::join(outputs, ",")), {}});
  }
  add_call(line, task);
  add_number(line, "flops", task.flops);
  add_number(line, "bytes", task.bytes);
  if (task.runs != 0) {
    line.parameters.push_back({"runs", fmt::format("{}", task.runs), {}});
  }
  add_number(line, "seconds", task.seconds);
  line.comment = to_string(task.origin);
  return line;
}

Description describe_tensor(const char* what, const std::string& name, const ArrayType& type) {
  Description line = ir::operation(what, {{"", written_name(name), {}}});
  line.type.text = to_string(type);
  return line;
}

Description describe_tile(const TileInfo& tile) {
  Description line = ir::operation("tile", {{"", written_name(tile.relation), {}}});
  line.parameters.push_back({"key", fmt::format("({})", fmt::join(tile.key, ",")), {}});
  if (tile.column != 0) {
    line.parameters.push_back({"column", fmt::format("{}", tile.column), {}});
  }
  if (tile.space != kFirstSpace) {
    line.parameters.push_back({"space", fmt::format("m{}", tile.space.value), {}});
  }
  if (tile.last_use.valid()) {
    line.parameters.push_back({"last", fmt::format("%{}", tile.last_use.value), {}});
  }
  line.type.text = to_string(tile.type);
  return line;
}

Description describe_space(const SpaceInfo& space) {
  Description line = ir::operation("space", proof_fields(space.proof));
  if (space.kind != MemoryKind::host) {
    line.parameters.insert(line.parameters.begin(), {"kind", std::string(name_of(space.kind)), {}});
  }
  if (space.process != 0) {
    line.parameters.insert(line.parameters.begin(),
                           {"process", fmt::format("{}", space.process), {}});
  }
  return line;
}

/// Describes spaces and sites.
void describe_places(ir::Document& document, const TaskGraph& graph) {
  for (size_t number = 0; number < graph.spaces.size(); ++number) {
    document.nodes.push_back(describe_space(graph.spaces[number]));
    document.nodes.back().id = fmt::format("m{}", number);
  }
  for (size_t number = 0; number < graph.sites.size(); ++number) {
    document.nodes.push_back(ir::operation(
        "site", {{"space", fmt::format("m{}", graph.sites[number].space.value), {}}}));
    document.nodes.back().id = fmt::format("s{}", number);
  }
}

/// Describes one line of the plan's text: the places, the programs, the sources, the sinks, the
/// tiles, then the tasks.
Description describe_line(const TaskGraph& graph, const std::vector<Description>& places,
                          size_t number) {
  if (number < places.size()) {
    return places[number];
  }
  number -= places.size();
  if (number < graph.programs.size()) {
    Description line =
        ir::operation("program", {{"", expr::to_text(graph.programs[number].program), {}}});
    line.id = fmt::format("p{}", number);
    return line;
  }
  number -= graph.programs.size();
  if (number < graph.sources.size()) {
    return describe_tensor("source", graph.sources[number].name, graph.sources[number].type);
  }
  number -= graph.sources.size();
  if (number < graph.sinks.size()) {
    return describe_tensor("sink", graph.sinks[number].name, graph.sinks[number].type);
  }
  number -= graph.sinks.size();
  if (number < graph.tiles.size()) {
    Description line = describe_tile(graph.tiles[number]);
    line.id = fmt::format("t{}", number);
    return line;
  }
  number -= graph.tiles.size();
  Description line = describe_task(graph.tasks[number]);
  line.id = fmt::format("%{}", number);
  return line;
}

std::vector<const expr::Monoid*> monoids_of_plan(const TaskGraph& graph) {
  std::vector<const expr::Monoid*> monoids;
  for (const ProgramInfo& program : graph.programs) {
    const std::vector<const expr::Monoid*> more = tra::monoids_of(program.program);
    monoids.insert(monoids.end(), more.begin(), more.end());
  }
  return monoids;
}

}  // namespace

ir::DocumentLines lines_of(const TaskGraph& graph, const expr::AggregateRegistry& aggregates) {
  ir::Document head{"tasks", {}, {}};
  if (is_in_one_place(graph)) {
    head.settings = proof_fields(graph.proof());
  } else {
    describe_places(head, graph);
  }
  ir::add_reproducible(head, graph.is_reproducible);
  for (Field& setting : tra::made_monoids(monoids_of_plan(graph), aggregates)) {
    head.settings.push_back(std::move(setting));
  }
  const size_t num_nodes = head.nodes.size() + graph.programs.size() + graph.sources.size() +
                           graph.sinks.size() + graph.tiles.size() + graph.tasks.size();
  return {std::move(head.stage), std::move(head.settings), num_nodes,
          [&graph, places = std::move(head.nodes)](size_t number) {
            return describe_line(graph, places, number);
          }};
}

ir::Document describe(const TaskGraph& graph, const expr::AggregateRegistry& aggregates) {
  return ir::collected(lines_of(graph, aggregates));
}

}  // namespace tessera::plan
