#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "kernels/kernel.h"
#include "machine/machine.h"
#include "types/dtype.h"

namespace tessera::kernels {

/// The arrays of one call of a routine. All are dense and row-major, in the function's computed
/// dtypes; nothing overlaps.
struct RoutineCall {
  std::span<const std::byte* const> arguments;  // over their core labels
  std::byte* result;                            // over its core labels
  std::span<const int64_t> extents;             // of the core labels
  int64_t columns = 1;   // arrays one after the other, of all arguments but the first
  std::byte* workspace;  // Routine::workspace_bytes, aligned to 64

  template <class T>
  const T* argument(size_t number) const {
    return reinterpret_cast<const T*>(arguments[number]);
  }
  template <class T>
  T* result_as() const {
    return reinterpret_cast<T*>(result);
  }
};

/// The size of a call, for its cost.
struct RoutineSize {
  std::span<const int64_t> extents;
  int64_t columns = 1;
  DType dtype = DType::f64;  // of the last argument

  double extent() const { return static_cast<double>(extents.front()); }
  double num_columns() const { return static_cast<double>(columns); }
};

/// The code of a function of whole arrays (expr/array_functions/). One file each in routines/,
/// registered there.
struct Routine {
  std::string name;  // the function's
  /// True if it takes many arrays beside one first argument: the work on that is done once for all.
  bool takes_columns = false;
  double (*seconds)(const RoutineSize& size, const KernelRates& rates) = nullptr;
  int64_t (*workspace_bytes)(const RoutineSize& size) = nullptr;
  /// Runs a call. Threads: any number at once. `dtype` is that of the last argument.
  Status (*run)(DType dtype, const RoutineCall& call) noexcept = nullptr;
};

class RoutineRegistry {
 public:
  void add(Routine routine);
  const Routine* find(const std::string& name) const;  // null if there is none

 private:
  std::map<std::string, Routine> routines_;
};

/// Adds every routine of routines/ (the list is generated from the folder).
void register_all_routines(RoutineRegistry& registry);

}  // namespace tessera::kernels
