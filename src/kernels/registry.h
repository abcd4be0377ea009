#pragma once

#include <string>
#include <vector>

#include "kernels/kernel.h"

namespace tessera::kernels {

/// The kernels that a session knows. Threads: filled once, then read by any number.
class Registry {
 public:
  void add(Kernel kernel);
  const std::vector<Kernel>& all() const { return kernels_; }  // in the order of registration
  const Kernel* find(const std::string& name) const;           // null if there is none

 private:
  std::vector<Kernel> kernels_;
};

/// Adds every kernel of kernels/ (the list is generated from the folders).
void register_all_kernels(Registry& registry);

}  // namespace tessera::kernels
