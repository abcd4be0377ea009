#include "ir/ia/text.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "ir/graph_lines.h"
#include "ir/ia/placement_of.h"
#include "ir/ia/verify.h"
#include "ir/tra/text_monoid.h"
#include "ir/tra/text_operator.h"
#include "ir/tra/text_relation.h"
#include "ir/tra/verify.h"

namespace tessera::ia {

namespace {

using expr::Scanner;
using ir::Description;
using ir::Field;

const std::string kLocal = "local_";
const std::string kMadeAt = "made_at";

/// Returns the word of an operator. An input does not operate on existing tuples.
std::string word_of(const std::string& relational) {
  return relational == "input" ? relational : kLocal + relational;
}

struct Describer {
  const tra::RelationType& type;
  const tra::Relations& relations;

  Description operator()(const LocalOp& local) const {
    Description line = tra::describe_operator(local.op, type, relations);
    line.op = word_of(line.op);
    return line;
  }
  Description operator()(const Bcast&) const { return ir::operation("bcast"); }
  Description operator()(const Shuf&) const { return ir::operation("shuf"); }
};

/// Reads s, s/4, s%3 or s/4%3.
SiteTerm read_site_dim(Scanner& scanner) {
  SiteTerm term{scanner.name()};
  if (scanner.accept("/")) {
    term.block = scanner.integer();
  }
  if (scanner.accept("%")) {
    term.cycle = scanner.integer();
  }
  return term;
}

/// Reads s/4%3, 2*s or 2*(s/4%3).
SiteTerm read_site_term(Scanner& scanner) {
  if (scanner.looking_at_name()) {
    return read_site_dim(scanner);
  }
  const int64_t stride = scanner.integer();
  scanner.expect("*");
  const bool is_enclosed = scanner.accept("(");
  SiteTerm term = read_site_dim(scanner);
  if (is_enclosed) {
    scanner.expect(")");
  }
  term.stride = stride;
  return term;
}

int32_t read_site(Scanner& scanner) {
  return static_cast<int32_t>(std::min(scanner.integer(), kMostSites));
}

/// Reads 2, {0,2}, or -1 for none.
std::vector<int32_t> read_sites(Scanner& scanner) {
  if (scanner.accept("-")) {
    const SourceSpan place{scanner.position(), scanner.position() + 1};
    if (scanner.integer() != 1) {
      scanner.fail(place, "a tuple is on a site or, as -1 says, on none");
    }
    return {};
  }
  if (!scanner.accept("{")) {
    return {read_site(scanner)};
  }
  std::vector<int32_t> sites = {read_site(scanner)};
  while (!scanner.accept("}")) {
    scanner.expect(",");
    sites.push_back(read_site(scanner));
  }
  return sites;
}

/// Reads [0,{1,2},-1] behind its first bracket.
Placement read_table(Scanner& scanner, int64_t num_sites) {
  SiteSets sets;
  while (!scanner.accept("]")) {
    if (sets.num_keys() > 0) {
      scanner.expect(",");
    }
    sets.add(read_sites(scanner));
  }
  return copied(std::move(sets), num_sites);
}

Placement read_placement(Scanner& scanner, int64_t num_sites) {
  if (scanner.accept_word("everywhere")) {
    return Everywhere{};
  }
  if (scanner.accept_word("undecided")) {
    return Undecided{};
  }
  if (scanner.accept("[")) {
    return read_table(scanner, num_sites);
  }
  ByMap map;
  scanner.expect("(");
  while (!scanner.accept(")")) {
    if (!map.terms.empty()) {
      scanner.expect("+");
    }
    map.terms.push_back(read_site_term(scanner));
  }
  return map;
}

/// Returns the line of a relational operator without the additions of the placed graph.
Description relational_line(const Description& line) {
  Description relational = line;
  if (line.op.rfind(kLocal, 0) == 0) {
    relational.op = line.op.substr(kLocal.size());
  }
  std::erase_if(relational.parameters,
                [](const Field& field) { return field.name == "at" || field.name == kMadeAt; });
  return relational;
}

class GraphReader {
 public:
  GraphReader(const SourceText& source, const expr::FunctionRegistry& functions,
              const expr::AggregateRegistry& aggregates)
      : source_(source), operators_(source, functions, aggregates) {}

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
  void read_setting(const Field& setting) {
    if (setting.name == "sites") {
      Scanner scanner(source_, setting.span);
      graph_.num_sites = scanner.integer();
      scanner.expect_end();
      if (graph_.num_sites < 1 || graph_.num_sites > kMostSites) {
        ir::fail_at(source_, setting.span, fmt::format("there are 1 to {} sites", kMostSites));
      }
    } else if (setting.name == "reproducible") {
      graph_.is_reproducible = ir::read_reproducible(source_, setting);
    } else if (setting.name == "aggregate") {
      operators_.define_aggregate(setting);
    } else {
      ir::fail_at(source_, setting.span, "an ia graph has no such setting",
                  "sites=4, reproducible=yes, aggregate={...}");
    }
  }

  int64_t num_nodes() const { return static_cast<int64_t>(graph_.nodes.size()); }

  NodeId input_of(const Description& line) const {
    return NodeId(ir::parse_operand(source_, line, num_nodes()));
  }

  void read_node(const Description& line) {
    const std::optional<tra::RelationType> given = tra::read_line_type(source_, line);
    const Op op = read_operator(line, given);
    const tra::RelationType type = type_of(line, op, given);
    operators_.check_type(line, given, type);
    const std::vector<std::string> problems = tra::verify_type(type);
    if (!problems.empty()) {
      ir::fail_at(source_, line.type.span, problems[0]);
    }
    graph_.nodes.push_back({op, type, placement_on(line, op, type), parse_origin(line.comment)});
  }

  Op read_operator(const Description& line, const std::optional<tra::RelationType>& type) const {
    if (line.op == "bcast") {
      ir::check_parameters(source_, line, {"at"});
      return Bcast{input_of(line)};
    }
    if (line.op == "shuf") {
      ir::check_parameters(source_, line, {"at"});
      return Shuf{input_of(line), placement_in(line, "at")};
    }
    if (line.op != "input" && line.op.rfind(kLocal, 0) != 0) {
      ir::fail_at(source_, line.span, "there is no operator " + line.op + " on placed relations",
                  "input, bcast, shuf, or local_ before an operator on relations: local_join");
    }
    LocalOp local{
        operators_.read(relational_line(line), type, tra::relations_of(graph_), num_nodes())};
    if (line.find(kMadeAt) != nullptr) {
      local.at = placement_in(line, kMadeAt);
    }
    return local;
  }

  Placement placement_in(const Description& line, const std::string& parameter) const {
    return tra::read_parameter(source_, line, parameter, [&](Scanner& scanner) {
      return read_placement(scanner, graph_.num_sites);
    });
  }

  tra::RelationType type_of(const Description& line, const Op& op,
                            const std::optional<tra::RelationType>& given) const {
    if (const auto* local = std::get_if<LocalOp>(&op)) {
      return operators_.type_of(line, local->op, given, tra::relations_of(graph_));
    }
    return graph_.at(inputs_of(op)[0]).type;
  }

  /// Returns the placement of a line, if it is the one that follows.
  Placement placement_on(const Description& line, const Op& op, const tra::RelationType& type) {
    std::optional<Placement> given;
    if (line.find("at") != nullptr) {
      given = placement_in(line, "at");
      refuse_at(line, "at", verify(*given, type.key, graph_.num_sites));
    }
    if (graph_.num_sites == 1) {
      given = Everywhere{};
    }
    const auto* local = std::get_if<LocalOp>(&op);
    if (local != nullptr) {
      refuse_at(line, kMadeAt, verify_made_at(*local, type.key, graph_.num_sites));
    }
    if (local != nullptr && std::holds_alternative<tra::Input>(local->op)) {
      if (!given) {
        ir::fail_at(source_, line.span, "an input needs its placement", "at=(i), at=everywhere");
      }
      return *given;
    }
    const OrRefusal<Placement> inferred = placement_of(graph_, op, type);
    if (!inferred) {
      ir::fail_at(source_, line.span, inferred.reason());
    }
    if (given && !lie_alike(*given, *inferred, type.key, graph_.num_sites)) {
      refuse_at(line, "at",
                {fmt::format("the placement is given as {} but follows as {}", to_string(*given),
                             to_string(*inferred))});
    }
    return given.value_or(*inferred);
  }

  void refuse_at(const Description& line, const std::string& parameter,
                 const std::vector<std::string>& problems) const {
    if (!problems.empty()) {
      ir::fail_at(source_, ir::parameter_of(source_, line, parameter).span, problems[0]);
    }
  }

  const SourceText& source_;
  tra::OperatorReader operators_;
  Graph graph_;
};

}  // namespace

ir::Document describe(const Graph& graph, const expr::AggregateRegistry& aggregates) {
  std::vector<const expr::Monoid*> monoids;
  for (const Node& node : graph.nodes) {
    const tra::Op* op = local_op(node);
    const std::vector<const expr::Monoid*> more =
        op == nullptr ? std::vector<const expr::Monoid*>{} : tra::monoids_of(*op);
    monoids.insert(monoids.end(), more.begin(), more.end());
  }
  ir::Document document{"ia", {{"sites", fmt::format("{}", graph.num_sites), {}}}, {}};
  ir::add_reproducible(document, graph.is_reproducible);
  for (Field& setting : tra::made_monoids(monoids, aggregates)) {
    document.settings.push_back(std::move(setting));
  }
  const tra::Relations relations = tra::relations_of(graph);
  for (const Node& node : graph.nodes) {
    Description line = std::visit(Describer{node.type, relations}, node.op);
    line.id = ir::node_name(static_cast<int64_t>(document.nodes.size()));
    for (const NodeId input : inputs_of(node.op)) {
      line.operands.push_back(ir::operand(input.value));
    }
    const auto* shuf = std::get_if<Shuf>(&node.op);
    const auto* local = std::get_if<LocalOp>(&node.op);
    if (local != nullptr && local->at) {
      line.parameters.push_back({kMadeAt, to_string(*local->at), {}});
    } else if (shuf != nullptr || graph.num_sites > 1) {
      const Placement& placement = shuf == nullptr ? node.placement : shuf->to;
      line.parameters.push_back({"at", to_string(placement), {}});
    }
    line.type.text = tra::written_type(local_op(node), node.type);
    line.comment = to_string(node.origin);
    document.nodes.push_back(std::move(line));
  }
  ir::append_outputs(document, tra::named_outputs(graph.outputs));
  return document;
}

Graph parse_graph(const SourceText& source, const expr::FunctionRegistry& functions,
                  const expr::AggregateRegistry& aggregates) {
  Graph graph = GraphReader(source, functions, aggregates).run();
  ir::refuse_problems(source, verify(graph, functions));
  ir::refuse_problems(source, verify_order(graph, aggregates));
  return graph;
}

}  // namespace tessera::ia
