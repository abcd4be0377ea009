#include "optimizer/einsum/sweep.h"

#include <set>
#include <unordered_set>

#include "base/error.h"

namespace tessera::optimizer {

namespace {

using einsum::Graph;
using einsum::Vertex;
using einsum::VertexId;

std::set<VertexId> distinct_operands(const Vertex& vertex) {
  return {vertex.operands.begin(), vertex.operands.end()};
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

/// Builds the new graph vertex by vertex and keeps the books that rules ask for.
class Sweeper final : public Surroundings {
 public:
  Sweeper(const Graph& old, std::optional<int64_t> largest_intermediate_bytes)
      : old_(old),
        largest_intermediate_bytes_(largest_intermediate_bytes),
        needed_(needed_vertices(old)),
        old_readers_(readers_of(old, needed_)) {
    for (const Vertex& vertex : old.vertices) {
      names_.insert(vertex.name);
    }
  }

  Sweep run(const Rule& rule) {
    const VertexRewrite rewrite = rule.begin_sweep();
    for (at_ = 0; at_ < old_.vertices.size(); ++at_) {
      const Vertex vertex = with_new_operands(old_.vertices[at_]);
      try {
        take(rule, vertex, rewrite(vertex, *this));
      } catch (Error& error) {
        error.add_context(fmt::format("in rule {} at vertex {}", rule.name, vertex.name));
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

  std::optional<int64_t> largest_intermediate_bytes() const override {
    return largest_intermediate_bytes_;
  }

  std::string fresh_name(const std::string& base) const override {
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

  void take(const Rule& rule, const Vertex& vertex, Outcome outcome) {
    if (auto* refused = std::get_if<NotApplied>(&outcome)) {
      keep_reason(rule, vertex, std::move(refused->reason));
      append(vertex, old_readers_[at_]);
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

  const Graph& old_;
  std::optional<int64_t> largest_intermediate_bytes_;
  std::vector<bool> needed_;          // by old vertex
  std::vector<int64_t> old_readers_;  // by old vertex
  std::vector<VertexId> now_;         // by old vertex: what stands for it
  std::vector<int64_t> readers_;      // by new vertex
  mutable std::unordered_set<std::string> names_;
  size_t at_ = 0;
  Sweep result_;
};

}  // namespace

Sweep sweep(const einsum::Graph& graph, const Rule& rule,
            std::optional<int64_t> largest_intermediate_bytes) {
  return Sweeper(graph, largest_intermediate_bytes).run(rule);
}

}  // namespace tessera::optimizer
