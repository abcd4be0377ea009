#pragma once

#include <functional>
#include <string>
#include <vector>

#include "array.h"
#include "kernels/precision.h"

namespace tessera::bench {

struct Input {
  std::string name;
  ArrayType type;
  int64_t low = -2;  // whole numbers from here
  int64_t high = 2;  // to here
};

/// Another way to compute a row: a loop written by hand, or a library's call. It writes to an array
/// that is there, on so many threads.
struct Limit {
  std::string name;
  std::function<void(const std::vector<Array>& inputs, const Array& result, int threads)> run;
  bool is_the_same = true;  // its result is the row's; else it only moves as many bytes
};

/// What is counted of a row: operations, or bytes that have to be read and written at least.
struct Work {
  double amount = 0;
  bool is_bytes = false;  // else floating-point operations
};

/// One line of the table.
struct Row {
  std::string name;
  std::string program;  // in `.ein`; its one result is R
  std::vector<Input> inputs = {};
  Work work;
  double bar = 1;                  // ours takes at most so many times the limit's seconds
  std::vector<Limit> limits = {};  // of which the quickest counts; none: what arithmetic and memory
                                   // take at least
  double tolerance = 0;            // of results, relative above 1
  std::string numpy = {};  // the same in Python, of the inputs' names; empty where there is none
  std::string torch = {};
  bool reproducible = false;  // ours, beside ours that is not, which is the limit
  kernels::Precision precision = kernels::Precision::f32;  // ours
};

/// The rows of one file of rows/.
std::vector<Row> contraction_rows();
std::vector<Row> distance_rows();
std::vector<Row> elementwise_rows();
std::vector<Row> expression_rows();
std::vector<Row> gather_rows();
std::vector<Row> matmul_rows();
std::vector<Row> movement_rows();
std::vector<Row> reduction_rows();
std::vector<Row> reproducible_rows();

}  // namespace tessera::bench
