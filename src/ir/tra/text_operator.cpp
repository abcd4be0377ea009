#include "ir/tra/text_operator.h"

#include <fmt/format.h>

#include "base/error.h"
#include "ir/graph_lines.h"
#include "ir/tra/text_monoid.h"
#include "ir/tra/text_relation.h"
#include "ir/tra/verify.h"

namespace tessera::tra {

namespace {

using expr::Scanner;
using expr::written_name;
using ir::Description;
using ir::Field;

/// The word of an operator and its parameters, in order.
struct Describer {
  const RelationType& type;
  const Relations& relations;

  static Field kernel(const expr::TileProgram& program, const std::vector<ArrayType>& inputs) {
    return {"kernel", expr::to_text(program, inputs), {}};
  }

  /// Adds the key of an operator if it is not that of the type.
  void add_key(Description& description, const std::vector<KeyDim>& key) const {
    if (key != type.key) {
      description.parameters.push_back({"key", key_text(key), {}});
    }
  }

  Description operator()(const Input& input) const {
    Description description = ir::operation("input", {{"", written_name(input.name), {}}});
    ir::add_storage_order(description, input.order);
    return description;
  }
  Description operator()(const Join& join) const {
    Description description = ir::operation("join", {{"on", match_text(join.match), {}}});
    add_key(description, join.key);
    if (join.source) {
      description.parameters.push_back({"source", source_text(*join.source), {}});
    }
    description.parameters.push_back(kernel(join.kernel, kernel_inputs(join, relations)));
    return description;
  }
  Description operator()(const Aggregate& aggregate) const {
    Description description = ir::operation(
        "aggregate",
        {{"keep", keep_text(aggregate), {}}, {"by", expr::reference_to(aggregate.monoid), {}}});
    add_merge_order(description, aggregate.order);
    return description;
  }
  Description operator()(const Rekey& rekey) const {
    return ir::operation("rekey", {{"key", key_map_text(rekey.key), {}}});
  }
  Description operator()(const Filter& filter) const {
    return ir::operation(
        "filter", {{"where", predicate_text(filter.predicate, *relations(filter.input)), {}}});
  }
  Description operator()(const Transform& transform) const {
    return ir::operation("transform",
                         {kernel(transform.kernel, kernel_inputs({transform.input}, relations))});
  }
  Description operator()(const Tile& tile) const {
    return ir::operation("tile", {{"dim", dim_text(tile.dim), {}}});
  }
  Description operator()(const Concat& concat) const {
    return ir::operation("concat", {{"label", written_name(concat.label), {}}});
  }
  Description operator()(const Repartition& repartition) const {
    Description description = ir::operation("repartition");
    add_key(description, repartition.key);
    return description;
  }
  Description operator()(const Scan& scan) const {
    Description description = ir::operation("scan", {{"along", written_name(scan.along), {}},
                                                     {"by", expr::reference_to(scan.monoid), {}}});
    if (scan.direction == expr::Scan::Direction::backward) {
      description.parameters.push_back({"direction", "backward", {}});
    }
    if (scan.walks()) {
      description.parameters.push_back({"on", match_text(scan.match), {}});
      description.parameters.push_back(kernel(scan.kernel, step_inputs(scan, relations)));
    }
    return description;
  }
};

/// One line, as an operator.
struct LineReader {
  const SourceText& source;
  const expr::FunctionRegistry& functions;
  const expr::MonoidScope& monoids;
  const Description& line;
  const std::optional<RelationType>& type;
  const Relations& relations;
  int64_t num_nodes;

  template <class Read>
  auto read(const std::string& name, Read read_value) const {
    return read_parameter(source, line, name, read_value);
  }

  NodeId input() const { return NodeId(ir::parse_operand(source, line, num_nodes)); }

  Op read_input() const {
    return Input{read_name_parameter(source, line, ""), ir::read_storage_order(source, line)};
  }

  Op read_join() const {
    Join join;
    for (const int32_t number : ir::parse_operands(source, line, num_nodes)) {
      join.inputs.emplace_back(number);
    }
    join.match = read("on", [&](Scanner& s) { return read_match(s, join.inputs.size()); });
    join.key = read_key_or_type(source, line, type);
    if (line.find("source") != nullptr) {
      join.source = read("source", read_source);
    }
    join.kernel = read_kernel(kernel_inputs(join, relations));
    return join;
  }

  Op read_aggregate() const {
    Aggregate aggregate;
    aggregate.input = input();
    read("keep", [&](Scanner& s) {
      read_keep(s, aggregate);
      return 0;
    });
    aggregate.monoid = read("by", [&](Scanner& s) { return read_monoid_reference(s, monoids); });
    aggregate.order = read_merge_order(source, line);
    return aggregate;
  }

  Op read_rekey() const {
    const NodeId from = input();
    return Rekey{from, read("key", [&](Scanner& s) { return read_key_map(s, *relations(from)); })};
  }

  Op read_filter() const {
    const NodeId from = input();
    return Filter{from, read("where", [&](Scanner& s) {
                    return read_predicate(s, *relations(from), functions);
                  })};
  }

  Op read_transform() const {
    const NodeId from = input();
    return Transform{from, read_kernel(kernel_inputs({from}, relations))};
  }

  Op read_tile() const {
    const KeyDim dim = read("dim", read_dim);
    const ModeGrid* grid = grid_of(dim);
    if (grid == nullptr) {
      ir::fail_at(source, ir::parameter_of(source, line, "dim").span,
                  "a mode is cut at places, as d:2x4");
    }
    return Tile{input(), {label_of(dim), *grid}};
  }

  Op read_concat() const { return Concat{input(), read_name_parameter(source, line, "label")}; }

  Op read_scan() const {
    Scan scan;
    if (line.find("kernel") == nullptr) {
      scan.input = input();
    } else {
      read_steps(scan);
    }
    scan.along = read_name_parameter(source, line, "along");
    scan.monoid = read("by", [&](Scanner& s) { return read_monoid_reference(s, monoids); });
    if (const Field* direction = line.find("direction")) {
      if (direction->text != "backward") {
        ir::fail_at(source, direction->span, "a scan that is not forward is backward");
      }
      scan.direction = expr::Scan::Direction::backward;
    }
    return scan;
  }

  void read_steps(Scan& scan) const {
    const std::vector<int32_t> inputs = ir::parse_operands(source, line, num_nodes);
    if (inputs.empty()) {
      ir::fail_at(source, line.span, "a scan reads what its tiles merge to");
    }
    scan.input = NodeId(inputs.front());
    for (size_t tile = 1; tile < inputs.size(); ++tile) {
      scan.tiles.emplace_back(inputs[tile]);
    }
    scan.match = read("on", [&](Scanner& s) { return read_match(s, scan.tiles.size()); });
    scan.kernel = read_kernel(step_inputs(scan, relations));
  }

  Op read_repartition() const { return Repartition{input(), read_key_or_type(source, line, type)}; }

  expr::TileProgram read_kernel(const std::vector<ArrayType>& inputs) const {
    return read("kernel", [&](Scanner& scanner) {
      return expr::read_program(scanner, inputs, monoids, functions);
    });
  }
};

}  // namespace

Description describe_operator(const Op& op, const RelationType& type, const Relations& relations) {
  return std::visit(Describer{type, relations}, op);
}

std::string written_type(const Op* op, const RelationType& type) {
  if (op != nullptr && std::holds_alternative<Input>(*op)) {
    return type_text(type);
  }
  RelationType written = type;
  written.present = AllKeys{};
  return type_text(written);
}

std::vector<const expr::Monoid*> monoids_of(const Op& op) {
  struct Collector {
    std::vector<const expr::Monoid*> operator()(const Join& join) const {
      return monoids_of(join.kernel);
    }
    std::vector<const expr::Monoid*> operator()(const Transform& transform) const {
      return monoids_of(transform.kernel);
    }
    std::vector<const expr::Monoid*> operator()(const Aggregate& aggregate) const {
      return {&aggregate.monoid};
    }
    std::vector<const expr::Monoid*> operator()(const Input&) const { return {}; }
    std::vector<const expr::Monoid*> operator()(const Rekey&) const { return {}; }
    std::vector<const expr::Monoid*> operator()(const Filter&) const { return {}; }
    std::vector<const expr::Monoid*> operator()(const Tile&) const { return {}; }
    std::vector<const expr::Monoid*> operator()(const Concat&) const { return {}; }
    std::vector<const expr::Monoid*> operator()(const Repartition&) const { return {}; }
    std::vector<const expr::Monoid*> operator()(const Scan& scan) const {
      std::vector<const expr::Monoid*> monoids = monoids_of(scan.kernel);
      monoids.insert(monoids.begin(), &scan.monoid);
      return monoids;
    }
  };
  return std::visit(Collector{}, op);
}

void OperatorReader::define_aggregate(const Field& setting) {
  monoids_.defined.push_back(parse_made_monoid(source_, setting, functions_));
}

Op OperatorReader::read(const Description& line, const std::optional<RelationType>& type,
                        const Relations& relations, int64_t num_nodes) const {
  using Read = Op (LineReader::*)() const;
  static const std::vector<ir::OperatorReader<Read>> operators = {
      {"input", {"", "stored"}, &LineReader::read_input},
      {"join", {"on", "key", "source", "kernel"}, &LineReader::read_join},
      {"aggregate", {"keep", "by", "order"}, &LineReader::read_aggregate},
      {"rekey", {"key"}, &LineReader::read_rekey},
      {"filter", {"where"}, &LineReader::read_filter},
      {"transform", {"kernel"}, &LineReader::read_transform},
      {"tile", {"dim"}, &LineReader::read_tile},
      {"concat", {"label"}, &LineReader::read_concat},
      {"repartition", {"key"}, &LineReader::read_repartition},
      {"scan", {"along", "by", "direction", "on", "kernel"}, &LineReader::read_scan},
  };
  const Read reader = ir::reader_of(source_, line, operators, "relations");
  const LineReader reading{source_, functions_, monoids_, line, type, relations, num_nodes};
  return (reading.*reader)();
}

RelationType OperatorReader::type_of(const Description& line, const Op& op,
                                     const std::optional<RelationType>& type,
                                     const Relations& relations) const {
  if (std::holds_alternative<Input>(op)) {
    if (!type) {
      fail_without_type(source_, line);
    }
    return *type;
  }
  const std::vector<std::string> problems = verify_operator(op, relations, functions_);
  if (!problems.empty()) {
    ir::fail_at(source_, line.span, problems[0]);
  }
  try {
    return infer_type(op, relations);
  } catch (const Error& error) {
    ir::fail_at(source_, line.span, error.message(), "",
                error.kind() == ErrorKind::unsupported ? ErrorKind::unsupported : ErrorKind::user);
  }
}

void OperatorReader::check_type(const Description& line, const std::optional<RelationType>& given,
                                const RelationType& inferred) const {
  std::optional<RelationType> stated = given;
  if (stated && has_all(stated->present)) {
    stated->present = inferred.present;  // a line need not list the present tuples
  }
  if (stated && *stated != inferred) {
    ir::fail_at(source_, line.type.span,
                fmt::format("the type is given as {} but follows as {}", type_text(*given),
                            type_text(inferred)));
  }
}

}  // namespace tessera::tra
