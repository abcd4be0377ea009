#include "optimizer/einsum/sweep.h"

#include <algorithm>
#include <unordered_set>

#include "base/error.h"

namespace tessera::optimizer {

namespace {

using einsum::Graph;
using einsum::Vertex;
using einsum::VertexId;

std::vector<VertexId> distinct_operands(const Vertex& vertex) {
  std::vector<VertexId> operands = vertex.operands;
  std::sort(operands.begin(), operands.end());
  operands.erase(std::unique(operands.begin(), operands.end()), operands.end());
  return operands;
}

std::vector<bool> needed_vertices(const Graph& graph) {
  std::vector<bool> needed(graph.vertices.size(), false);
  for (const einsum::Output& output : graph.outputs) {
    needed[output.vertex.index()] = true;
  }
  for (size_t vertex = graph.vertices.size(); vertex-- > 0;) {
    if (needed[vertex]) {
      for (const VertexId operand : graph.vertices[vertex].operands) {
        needed[operand.index()] = true;
      }
    }
  }
  return needed;
}

std::vector<int64_t> readers_of(const Graph& graph, const std::vector<bool>& needed) {
  std::vector<int64_t> readers(graph.vertices.size(), 0);
  for (size_t vertex = 0; vertex < graph.vertices.size(); ++vertex) {
    if (needed[vertex]) {
      for (const VertexId operand : distinct_operands(graph.vertices[vertex])) {
        ++readers[operand.index()];
      }
    }
  }
  for (const einsum::Output& output : graph.outputs) {
    ++readers[output.vertex.index()];
  }
  return readers;
}

/// Builds the new graph vertex by vertex and keeps the books that rules ask for. Vertices move from
/// the old graph to the new one: of most sweeps nothing comes, and copies of them all would be
/// what the optimizer does most of the time.
class Sweeper final : public Surroundings {
 public:
  Sweeper(Graph old, const kernels::Context& context,
          std::optional<int64_t> largest_intermediate_bytes)
      : old_(std::move(old)),
        context_(context),
        largest_intermediate_bytes_(largest_intermediate_bytes),
        needed_(needed_vertices(old_)),
        old_readers_(readers_of(old_, needed_)) {
    result_.graph.vertices.reserve(old_.vertices.size());
  }

  Sweep run(const Rule& rule) {
    const VertexRewrite rewrite = rule.begin_sweep();
    for (at_ = 0; at_ < old_.vertices.size(); ++at_) {
      Vertex vertex = with_new_operands(std::move(old_.vertices[at_]));
      at_name_ = vertex.name;
      at_origin_ = vertex.origin;
      try {
        Outcome outcome = rewrite(vertex, *this);
        take(rule, std::move(vertex), std::move(outcome));
      } catch (Error& error) {
        error.add_context(fmt::format("in rule {} at vertex {}", rule.name, at_name_),
                          place_of(at_origin_));
        throw;
      }
    }
    for (const einsum::Output& output : old_.outputs) {
      result_.graph.outputs.push_back({output.name, now_[output.vertex.index()]});
    }
    return std::move(result_);
  }

  const Graph& graph() const override { return result_.graph; }
  int64_t num_readers(VertexId vertex) const override { return readers_[vertex.index()]; }
  bool is_needed() const override { return needed_[at_]; }

  const kernels::Context& context() const override { return context_; }
  std::optional<int64_t> largest_intermediate_bytes() const override {
    return largest_intermediate_bytes_;
  }

  std::string fresh_name(const std::string& base) const override {
    if (names_.empty()) {
      note_names();
    }
    int64_t number = 1;
    while (!names_.insert(fmt::format("{}.{}", base, number)).second) {
      ++number;
    }
    return fmt::format("{}.{}", base, number);
  }

 private:
  Vertex with_new_operands(Vertex vertex) const {
    for (VertexId& operand : vertex.operands) {
      operand = now_[operand.index()];
    }
    return vertex;
  }

  /// The names of the old graph and the new one, wherever their vertices are.
  void note_names() const {
    for (const auto* vertices : {&old_.vertices, &result_.graph.vertices}) {
      for (const Vertex& vertex : *vertices) {
        names_.insert(vertex.name);
      }
    }
    names_.insert(result_.applied_at.begin(), result_.applied_at.end());
    names_.insert(at_name_);
  }

  void take(const Rule& rule, Vertex vertex, Outcome outcome) {
    if (auto* refused = std::get_if<NotApplied>(&outcome)) {
      keep_reason(rule, vertex, std::move(refused->reason));
      append(std::move(vertex), old_readers_[at_]);
      return;
    }
    result_.applied_at.push_back(vertex.name);
    if (const auto* replaced = std::get_if<Replaced>(&outcome)) {
      readers_[replaced->by.index()] += old_readers_[at_];
      now_.push_back(replaced->by);
    } else if (std::holds_alternative<Removed>(outcome)) {
      TESSERA_CHECK(!is_needed(), "rule {} removes {}, which is needed", rule.name, vertex.name);
      now_.push_back(VertexId());
    } else {
      auto& rewritten = std::get<Rewritten>(outcome);
      keep_reason(rule, vertex, std::move(rewritten.note));
      take_vertices(vertex, std::move(rewritten.vertices));
    }
  }

  void keep_reason(const Rule& rule, const Vertex& vertex, std::string text) {
    if (!text.empty()) {
      result_.reasons.push_back({rule.name, vertex.name, std::move(text)});
    }
  }

  void take_vertices(const Vertex& replaced, std::vector<Vertex> vertices) {
    for (const VertexId operand : distinct_operands(replaced)) {
      --readers_[operand.index()];
    }
    for (size_t part = 0; part < vertices.size(); ++part) {
      append(std::move(vertices[part]), part + 1 == vertices.size() ? old_readers_[at_] : 0);
      for (const VertexId operand : distinct_operands(result_.graph.vertices.back())) {
        ++readers_[operand.index()];
      }
      if (part + 1 < vertices.size()) {
        now_.pop_back();
      }
    }
  }

  void append(Vertex vertex, int64_t readers) {
    now_.push_back(result_.graph.add(std::move(vertex)));
    readers_.push_back(readers);
  }

  Graph old_;  // its vertices before `at_` have moved out
  const kernels::Context& context_;
  std::optional<int64_t> largest_intermediate_bytes_;
  std::vector<bool> needed_;                       // by old vertex
  std::vector<int64_t> old_readers_;               // by old vertex
  std::vector<VertexId> now_;                      // by old vertex: what stands for it
  std::vector<int64_t> readers_;                   // by new vertex
  mutable std::unordered_set<std::string> names_;  // once one is asked for
  size_t at_ = 0;
  std::string at_name_;  // of the vertex at hand, which moves on
  Origin at_origin_;
  Sweep result_;
};

}  // namespace

Sweep sweep(einsum::Graph graph, const Rule& rule, const kernels::Context& context,
            std::optional<int64_t> largest_intermediate_bytes) {
  return Sweeper(std::move(graph), context, largest_intermediate_bytes).run(rule);
}

}  // namespace tessera::optimizer
