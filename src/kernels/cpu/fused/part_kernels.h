#pragma once

#include <map>
#include <vector>

#include "kernels/choice.h"
#include "kernels/cpu/fused/statements.h"

namespace tessera::kernels {

/// The kernels that run the statements of a fused program: the kernels of the session that would
/// run each alone, so that fusing changes no order of a sum. Every kernel reads equal statements
/// once for a size of call. Threads: one.
class PartKernels {
 public:
  /// Chooses a kernel for each statement on the whole of a call; a refusal, with the reasons of all
  /// kernels, if none runs one of them. Borrows everything.
  static OrRefusal<PartKernels> choose(const std::vector<StatementPart>& parts,
                                       const CallShape& shape, const Context& context);

  /// Returns the plan of a statement on a part of the call: by its kernel, or, if that refuses such
  /// small calls, by the cheapest that takes them.
  const OrRefusal<KernelPlan>& plan(int statement, const std::vector<LabelRange>& ranges);

 private:
  PartKernels(const std::vector<StatementPart>& parts, const CallShape& shape,
              const Context& context);

  CallShape shape_of(size_t statement, const std::vector<LabelRange>& ranges) const;
  std::vector<int64_t> identity_of(size_t statement, const CallShape& shape) const;

  const std::vector<StatementPart>* parts_;
  const CallShape* shape_;
  const Context* context_;
  std::vector<size_t> first_equal_;                              // by statement
  std::vector<const Kernel*> kernels_;                           // by statement
  std::map<std::vector<int64_t>, OrRefusal<KernelPlan>> plans_;  // by first equal and call
};

}  // namespace tessera::kernels
