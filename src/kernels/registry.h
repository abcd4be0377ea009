#pragma once

#include <string>
#include <vector>

#include "kernels/kernel.h"

namespace tessera::kernels {

/// A kernel that was considered for a program, and why it was not taken.
struct Candidate {
  const Kernel* kernel = nullptr;
  std::string reason;  // empty if it can run the program
  Cost cost;
};

/// The kernels a session knows. Threads: filled once, then read by any number.
class Registry {
 public:
  void add(Kernel kernel);
  const std::vector<Kernel>& all() const { return kernels_; }
  const Kernel* find(const std::string& name) const;  // null if there is none

  /// Chooses this kernel only where no other can run a program. What is chosen then does not depend
  /// on how large a call is as long as others do not refuse by size.
  void use_last(const std::string& name) { last_ = name; }

  /// Every kernel with its reason or cost, in the order of registration.
  std::vector<Candidate> candidates(const expr::TileProgram& program, const CallShape& shape) const;

  /// The cheapest kernel that can run the program; the reference interpreter can run all. Errors:
  /// `user`, with every kernel's reason, where the registry has none that can.
  const Kernel& choose(const expr::TileProgram& program, const CallShape& shape) const;

 private:
  std::vector<Kernel> kernels_;
  std::string last_;  // the kernel of use_last(), or none
};

/// Adds every kernel of kernels/ (the list is generated from the folders).
void register_all_kernels(Registry& registry);

}  // namespace tessera::kernels
