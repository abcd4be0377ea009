#pragma once

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "optimizer/partition/problem/problem.h"
#include "unit/optimizer/rewriting.h"

/// Ways to cut programs that are drawn from a seed, and the cheapest, found by trying all.
namespace tessera::optimizer::assignment {

inline Problem problem_with(const einsum::Graph& graph, int64_t pieces) {
  return partition::problem_of(graph, {1, pieces, std::nullopt, {}}).choice;
}

/// The cheapest of all assignments, one after the other.
inline double brute_force(const Problem& problem) {
  Assignment assignment(problem.num_variables(), 0);
  double least = cost_of(problem, assignment);
  while (true) {
    size_t place = 0;
    while (place < assignment.size() &&
           static_cast<size_t>(++assignment[place]) == problem.domain(place).size()) {
      assignment[place++] = 0;
    }
    if (place == assignment.size()) {
      return least;
    }
    least = std::min(least, cost_of(problem, assignment));
  }
}

/// A program of products, sums of rows and element-wise statements over matrices of a few extents.
inline einsum::Graph random_program(uint32_t seed, int num_statements) {
  std::mt19937 random(seed);
  const auto draw = [&](int64_t below) {
    return static_cast<int64_t>(random() % static_cast<uint32_t>(below));
  };
  const std::vector<int64_t> extents = {3, 4, 8, 12};
  std::vector<std::pair<int64_t, int64_t>> shapes;
  std::string text;
  const auto name = [](int64_t number) { return "T" + std::to_string(number); };
  const auto add = [&](const std::string& op, int64_t rows, int64_t columns) {
    text += "%" + std::to_string(shapes.size()) + " = " + op + " : f32[i=" + std::to_string(rows) +
            ",j=" + std::to_string(columns) + "]\n";
    shapes.emplace_back(rows, columns);
  };
  for (int input = 0; input < 2; ++input) {
    const auto rows = static_cast<size_t>(draw(4));  // one after the other with every compiler
    const auto columns = static_cast<size_t>(draw(4));
    add("input " + name(input), extents[rows], extents[columns]);
  }
  for (int statement = 0; statement < num_statements; ++statement) {
    const int64_t a = draw(static_cast<int64_t>(shapes.size()));
    const int64_t b = draw(static_cast<int64_t>(shapes.size()));
    const auto [rows, columns] = shapes[static_cast<size_t>(a)];
    const std::string out = name(static_cast<int64_t>(shapes.size()));
    const std::string operands = "einsum(%" + std::to_string(a) + ", %" + std::to_string(b) + ")";
    if (a != b && shapes[static_cast<size_t>(b)].first == columns) {
      add(operands + " {" + out + "[i,j] = sum[k] " + name(a) + "[i,k] * " + name(b) + "[k,j]}",
          rows, shapes[static_cast<size_t>(b)].second);
    } else if (a != b && shapes[static_cast<size_t>(b)] == shapes[static_cast<size_t>(a)]) {
      add(operands + " {" + out + "[i,j] = " + name(a) + "[i,j] + " + name(b) + "[i,j]}", rows,
          columns);
    } else if (draw(2) == 0) {
      add("einsum(%" + std::to_string(a) + ") {" + out + "[i,j] = exp(" + name(a) + "[j,i])}",
          columns, rows);
    } else {
      add("einsum(%" + std::to_string(a) + ", %" + std::to_string(a) + ") {" + out +
              "[i,j] = sum[k] x0[i,k] * x1[j,k]}",
          rows, rows);
    }
  }
  text += "output(%" + std::to_string(shapes.size() - 1) + ") Y\n";
  return graph_of(text);
}

}  // namespace tessera::optimizer::assignment
