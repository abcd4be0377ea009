#pragma once

#include <vector>

#include "engine/session.h"
#include "options.h"
#include "row.h"
#include "store/memory_tensor.h"

namespace tessera::bench {

/// Seconds of some runs of one plan, one after the other.
struct Ours {
  std::vector<double> seconds;  // from the first task to the last, but for the copying of files
  double predicted = 0;         // what the plan says of it, workers side by side
};

/// A program planned for its inputs in memory. Inputs are read where they lie; a result is dropped
/// in the pages that it was computed in, or copied where one is asked for.
class Program {
 public:
  /// REQUIRES that the inputs outlive it.
  Program(const Row& row, const std::vector<Array>& inputs, const Options& options,
          bool reproducible);

  /// The type of the result.
  ArrayType result_type() const;

  /// Runs it so many times, after a run that brings pages in.
  Ours run(int times, const Array* result) const;

 private:
  engine::Session session_;
  engine::Program text_;
  frontend::Bindings bindings_;
  std::vector<store::MemoryTensor> sources_;
  std::vector<std::string> names_;
};

}  // namespace tessera::bench
