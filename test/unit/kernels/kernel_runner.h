#pragma once

#include <cstring>
#include <memory>
#include <new>
#include <random>
#include <vector>

#include "kernels/cpu/blocked/generated_kernel.h"
#include "kernels/registry.h"
#include "types/native.h"
#include "types/tile_view.h"
#include "unit/known.h"

/// What the kernel tests run programs with.
namespace tessera::kernels {

inline const Registry& all_kernels() {
  return known().kernels;
}

/// Every kernel, and code made wherever it can be; where all is built without LLVM, it is
/// interpreted.
inline const Registry& generating_kernels() {
  static const generated::Generator generator({generated::Generating::always});
  static const Registry kernels = with_generator(all_kernels(), generator);
  return kernels;
}

/// Why a kernel does not run a program; empty where it does.
inline std::string refusal(const Kernel& kernel, const expr::TileProgram& program,
                           const CallShape& shape) {
  return kernel.read(program, shape, known().context).reason();
}

/// A tile that owns its memory, aligned to 64 as the store's tiles are.
class TestTile {
 public:
  TestTile(DType dtype, const Box& box)
      : bytes_(static_cast<size_t>(num_elements(box.extent) * size_of(dtype))),
        memory_(allocate(bytes_)) {
    std::memset(memory_.get(), 0, bytes_);
    view_ = dense_view(memory_.get(), dtype, box);
  }

  const TileView& view() const { return view_; }
  int64_t count() const { return static_cast<int64_t>(bytes_) / size_of(view_.dtype); }

  /// Small integers, so that sums and products are exact; bools are 0 or 1.
  void fill(std::mt19937_64& random, int64_t lowest = -2, int64_t highest = 2) {
    uint64_t state = random() | 1;  // xorshift64: a distribution object is ten times slower
    const auto draw = [&] {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      return lowest +
             static_cast<int64_t>((state >> 32) % static_cast<uint64_t>(highest - lowest + 1));
    };
    visit_storage_type(view_.dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      for (int64_t element = 0; element < count(); ++element) {
        view_.as<T>()[element] = number_as<T>(draw());
      }
    });
  }

  template <class T>
  static T number_as(int64_t value) {
    if constexpr (std::is_same_v<T, bool>) {
      return value > 0;
    } else if constexpr (std::is_constructible_v<T, float> && !std::is_arithmetic_v<T>) {
      return T(static_cast<float>(value));
    } else {
      return static_cast<T>(value);
    }
  }

 private:
  struct Delete {
    void operator()(std::byte* memory) const { ::operator delete[](memory, std::align_val_t{64}); }
  };
  using Memory = std::unique_ptr<std::byte[], Delete>;
  static Memory allocate(size_t bytes) {
    return Memory(static_cast<std::byte*>(::operator new[](bytes + 1, std::align_val_t{64})));
  }

  size_t bytes_;
  Memory memory_;
  TileView view_;
};

/// The result of a run: its status, and the output tiles.
struct Outcome {
  Status status = Status::ok;
  std::vector<TestTile> outputs;
};

/// Runs a kernel on inputs; outputs start from numbers drawn with a fixed seed, the same for every
/// kernel.
inline Outcome run_kernel(const Kernel& kernel, const expr::TileProgram& program,
                          const CallShape& shape, const std::vector<TileView>& inputs,
                          const Context& context = known().context) {
  const OrRefusal<KernelPlan> plan = kernel.read(program, shape, context);
  Outcome outcome;
  std::vector<TileView> outputs;
  std::mt19937_64 random(7);
  for (const DType dtype : expr::output_dtypes(program)) {
    Box box;
    for (const expr::LabelNumber label : program.statements.back().out) {
      box.origin.push_back(shape.ranges[static_cast<size_t>(label)].begin);
      box.extent.push_back(shape.ranges[static_cast<size_t>(label)].length);
    }
    outcome.outputs.emplace_back(dtype, box);
    outcome.outputs.back().fill(random);
    outputs.push_back(outcome.outputs.back().view());
  }
  const TestTile workspace(DType::u8, whole({plan->workspace_bytes + 64}));
  outcome.status = plan->prepare()->run(
      {inputs, outputs, shape.ranges, shape.accumulate, workspace.view().data});
  return outcome;
}

/// Whether two numbers are equal; NaN equals NaN, and a zero any zero.
template <class T>
bool same_number(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>) {
    return same_number(static_cast<float>(a), static_cast<float>(b));
  } else {
    return a == b || (a != a && b != b);
  }
}

/// Whether two tiles have the same bytes, NaN beside any NaN.
inline bool have_same_bits(const TestTile& a, const TestTile& b) {
  return visit_storage_type(a.view().dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (int64_t e = 0; e < a.count(); ++e) {
      const T x = a.view().as<T>()[e];
      const T y = b.view().as<T>()[e];
      const bool are_zeros = same_number(x, T{}) && same_number(y, T{});
      const bool are_equal = same_number(x, y) && !are_zeros;
      if (!are_equal && std::memcmp(&x, &y, sizeof x) != 0) {
        return false;
      }
    }
    return true;
  });
}

/// The first element in which two tiles differ, or -1.
inline int64_t first_difference(const TestTile& a, const TestTile& b) {
  return visit_storage_type(a.view().dtype, [&](auto tag) -> int64_t {
    using T = typename decltype(tag)::type;
    for (int64_t element = 0; element < a.count(); ++element) {
      if (!same_number(a.view().as<T>()[element], b.view().as<T>()[element])) {
        return element;
      }
    }
    return -1;
  });
}

}  // namespace tessera::kernels
