#include "ir/ia/text.h"

#include <fmt/format.h>

#include "base/error.h"
#include "expr/text/parts.h"
#include "ir/graph_lines.h"
#include "ir/ia/verify.h"
#include "ir/tra/text_relation.h"
#include "ir/tra/verify.h"

namespace tessera::ia {

namespace {

using expr::Scanner;
using expr::written_name;
using ir::Description;
using ir::Field;

std::string placement_text(const Placement& placement) {
  const auto* by = std::get_if<ByDims>(&placement);
  return by == nullptr ? "everywhere" : tra::labels_text(by->dims);
}

Placement read_placement(Scanner& scanner) {
  if (scanner.accept_word("everywhere")) {
    return Everywhere{};
  }
  return ByDims{tra::read_labels(scanner)};
}

/// What an operator is called and its parameters, in order.
struct Describer {
  const Graph& graph;
  const Node& node;

  Field kernel(const expr::TileProgram& program) const {
    return {"kernel", expr::to_text(program, tra::kernel_inputs(graph, inputs_of(node.op))), {}};
  }

  /// The key of an operator, where it is not that of the type.
  Description with_key(Description description, const std::vector<tra::KeyDim>& key) const {
    if (key != node.type.key) {
      description.parameters.push_back({"key", tra::key_text(key), {}});
    }
    return description;
  }

  Description operator()(const Source& source) const {
    return ir::operation("source", {{"", written_name(source.name), {}}});
  }
  Description operator()(const Bcast&) const { return ir::operation("bcast"); }
  Description operator()(const Shuf& shuf) const {
    return ir::operation("shuf", {{"dims", tra::labels_text(shuf.dims), {}}});
  }
  Description operator()(const LocalJoin& join) const {
    Description description =
        with_key(ir::operation("local_join", {{"on", tra::match_text(join.match), {}}}), join.key);
    description.parameters.push_back(kernel(join.kernel));
    return description;
  }
  Description operator()(const LocalAggregate& aggregate) const {
    if (const auto* paste = std::get_if<Paste>(&aggregate.how)) {
      return with_key(ir::operation("local_aggregate", {{"", "paste", {}}}), paste->key);
    }
    const Merge& merge = std::get<Merge>(aggregate.how);
    Description description = ir::operation(
        "local_aggregate",
        {{"keep", tra::labels_text(merge.keep), {}}, {"by", expr::reference_to(merge.monoid), {}}});
    tra::add_merge_order(description, merge.order);
    return description;
  }
  Description operator()(const LocalFilter& filter) const {
    const tra::RelationType& from = graph.at(filter.input).type;
    return ir::operation("local_filter",
                         {{"where", tra::predicate_text(filter.predicate, from), {}}});
  }
  Description operator()(const LocalMap& map) const {
    if (const auto* cut = std::get_if<Cut>(&map.how)) {
      return with_key(ir::operation("local_map", {{"", "cut", {}}}), cut->key);
    }
    if (const auto* keys = std::get_if<MapKeys>(&map.how)) {
      return ir::operation("local_map", {{"keys", tra::key_map_text(keys->key), {}}});
    }
    return ir::operation("local_map", {kernel(std::get<MapArrays>(map.how).kernel)});
  }
};

std::vector<const expr::Monoid*> monoids_of_graph(const Graph& graph) {
  std::vector<const expr::Monoid*> monoids;
  const auto add_kernel = [&](const expr::TileProgram& kernel) {
    const std::vector<const expr::Monoid*> more = tra::monoids_of(kernel);
    monoids.insert(monoids.end(), more.begin(), more.end());
  };
  for (const Node& node : graph.nodes) {
    if (const auto* join = std::get_if<LocalJoin>(&node.op)) {
      add_kernel(join->kernel);
    } else if (const auto* map = std::get_if<LocalMap>(&node.op)) {
      if (const auto* arrays = std::get_if<MapArrays>(&map->how)) {
        add_kernel(arrays->kernel);
      }
    } else if (const auto* aggregate = std::get_if<LocalAggregate>(&node.op)) {
      if (const auto* merge = std::get_if<Merge>(&aggregate->how)) {
        monoids.push_back(&merge->monoid);
      }
    }
  }
  return monoids;
}

class GraphReader {
 public:
  GraphReader(const SourceText& source, const expr::FunctionRegistry& functions,
              const expr::AggregateRegistry& aggregates)
      : source_(source), functions_(functions), monoids_{aggregates, {}} {}

  Graph run() && {
    const ir::Document document = ir::parse_stage(source_, "ia");
    for (const Field& setting : document.settings) {
      read_setting(setting);
    }
    const auto add_node = [&](const Description& line) { read_node(line); };
    for (const ir::NamedOutput& output : ir::read_lines(source_, document.nodes, add_node)) {
      graph_.outputs.push_back({output.name, NodeId(output.node)});
    }
    return std::move(graph_);
  }

 private:
  int64_t num_nodes() const { return static_cast<int64_t>(graph_.nodes.size()); }

  void read_setting(const Field& setting) {
    if (setting.name == "sites") {
      Scanner scanner(source_, setting.span);
      graph_.num_sites = scanner.integer();
      scanner.expect_end();
    } else if (setting.name == "aggregate") {
      monoids_.defined.push_back(tra::parse_made_monoid(source_, setting, functions_));
    } else {
      ir::fail_at(source_, setting.span, "an ia graph has no such setting",
                  "sites=4, aggregate={...}");
    }
  }

  void read_node(const Description& line) {
    const std::optional<tra::RelationType> type = tra::read_line_type(source_, line);
    if (!type) {
      tra::fail_without_type(source_, line);
    }
    Op op = read_operator(line, *type);
    graph_.nodes.push_back({std::move(op), *type,
                            tra::read_parameter(source_, line, "at", read_placement),
                            parse_origin(line.comment)});
    refuse_broken(line);
  }

  /// What the next lines look up must be sound.
  void refuse_broken(const Description& line) const {
    const std::vector<std::string> problems = tra::verify_type(graph_.nodes.back().type);
    if (!problems.empty()) {
      ir::fail_at(source_, line.type.span, problems[0]);
    }
  }

  Op read_operator(const Description& line, const tra::RelationType& type) const {
    using Read = Op (GraphReader::*)(const Description&, const tra::RelationType&) const;
    const std::vector<ir::OperatorReader<Read>> operators = {
        {"source", {"", "at"}, &GraphReader::read_source},
        {"bcast", {"at"}, &GraphReader::read_bcast},
        {"shuf", {"dims", "at"}, &GraphReader::read_shuf},
        {"local_join", {"on", "key", "kernel", "at"}, &GraphReader::read_join},
        {"local_aggregate", {"", "keep", "by", "order", "key", "at"}, &GraphReader::read_aggregate},
        {"local_filter", {"where", "at"}, &GraphReader::read_filter},
        {"local_map", {"", "keys", "kernel", "key", "at"}, &GraphReader::read_map},
    };
    const Read reader = ir::reader_of(source_, line, operators, "placed relations");
    return (this->*reader)(line, type);
  }

  template <class Read>
  auto read(const Description& line, const std::string& name, Read read_value) const {
    return tra::read_parameter(source_, line, name, read_value);
  }

  NodeId input_of(const Description& line) const {
    return NodeId(ir::parse_operand(source_, line, num_nodes()));
  }

  /// Whether the parameter without a name is this word; refuses any other.
  bool has_word(const Description& line, const std::string& word) const {
    const Field* field = line.find("");
    if (field != nullptr && field->text != word) {
      ir::fail_at(source_, field->span, fmt::format("expected '{}'", word));
    }
    return field != nullptr;
  }

  Op read_source(const Description& line, const tra::RelationType&) const {
    return Source{tra::read_name_parameter(source_, line, "")};
  }

  Op read_bcast(const Description& line, const tra::RelationType&) const {
    return Bcast{input_of(line)};
  }

  Op read_shuf(const Description& line, const tra::RelationType&) const {
    return Shuf{input_of(line), read(line, "dims", tra::read_labels)};
  }

  Op read_join(const Description& line, const tra::RelationType& type) const {
    LocalJoin join;
    for (const int32_t number : ir::parse_operands(source_, line, num_nodes())) {
      join.inputs.emplace_back(number);
    }
    join.match =
        read(line, "on", [&](Scanner& s) { return tra::read_match(s, join.inputs.size()); });
    join.key = tra::read_key_or_type(source_, line, type);
    join.kernel = read_kernel(line, join.inputs);
    return join;
  }

  Op read_aggregate(const Description& line, const tra::RelationType& type) const {
    const NodeId input = input_of(line);
    if (has_word(line, "paste")) {
      return LocalAggregate{input, Paste{tra::read_key_or_type(source_, line, type)}};
    }
    return LocalAggregate{
        input,
        Merge{read(line, "keep", tra::read_labels),
              read(line, "by", [&](Scanner& s) { return tra::read_monoid_reference(s, monoids_); }),
              tra::read_merge_order(source_, line)}};
  }

  Op read_filter(const Description& line, const tra::RelationType&) const {
    const NodeId input = input_of(line);
    return LocalFilter{input, read(line, "where", [&](Scanner& s) {
                         return tra::read_predicate(s, graph_.at(input).type, functions_);
                       })};
  }

  Op read_map(const Description& line, const tra::RelationType& type) const {
    const NodeId input = input_of(line);
    if (has_word(line, "cut")) {
      return LocalMap{input, Cut{tra::read_key_or_type(source_, line, type)}};
    }
    if (line.find("keys") != nullptr) {
      return LocalMap{input, MapKeys{read(line, "keys", [&](Scanner& s) {
                        return tra::read_key_map(s, graph_.at(input).type);
                      })}};
    }
    return LocalMap{input, MapArrays{read_kernel(line, {input})}};
  }

  expr::TileProgram read_kernel(const Description& line, const std::vector<NodeId>& inputs) const {
    return read(line, "kernel", [&](Scanner& scanner) {
      return expr::read_program(scanner, tra::kernel_inputs(graph_, inputs), monoids_, functions_);
    });
  }

  const SourceText& source_;
  const expr::FunctionRegistry& functions_;
  expr::MonoidScope monoids_;
  Graph graph_;
};

}  // namespace

ir::Document describe(const Graph& graph, const expr::AggregateRegistry& aggregates) {
  ir::Document document{"ia", {{"sites", fmt::format("{}", graph.num_sites), {}}}, {}};
  for (Field& setting : tra::made_monoids(monoids_of_graph(graph), aggregates)) {
    document.settings.push_back(std::move(setting));
  }
  for (const Node& node : graph.nodes) {
    Description line = std::visit(Describer{graph, node}, node.op);
    line.id = ir::node_name(static_cast<int64_t>(document.nodes.size()));
    for (const NodeId input : inputs_of(node.op)) {
      line.operands.push_back(ir::operand(input.value));
    }
    line.parameters.push_back({"at", placement_text(node.placement), {}});
    line.type.text = tra::type_text(node.type);
    line.comment = to_string(node.origin);
    document.nodes.push_back(std::move(line));
  }
  ir::append_outputs(document, named_outputs(graph));
  return document;
}

Graph parse_graph(const SourceText& source, const expr::FunctionRegistry& functions,
                  const expr::AggregateRegistry& aggregates) {
  Graph graph = GraphReader(source, functions, aggregates).run();
  ir::refuse_problems(source, verify(graph, functions));
  return graph;
}

}  // namespace tessera::ia
