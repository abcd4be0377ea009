#pragma once

#include "kernels/isa/block_entries.h"

/// The register contents of the tiles, folds and sums of this folder: vectors of elements, or
/// single ones if the instruction set has none. Compiled once per instruction set, like the block
/// loops.
namespace tessera::kernels::TESSERA_ISA {

/// An element, as a vector of one.
template <class T>
struct OneByOne {
  using Type = T;
  static constexpr int64_t kCount = 1;
  static Type load(const T* from) { return *from; }
  static void store(T* to, Type value) { *to = value; }
};

#ifdef TESSERA_ISA_BATCHES
template <class Batch>
struct InBatches {
  using Type = Batch;
  using Element = typename Batch::value_type;
  static constexpr int64_t kCount = static_cast<int64_t>(Batch::size);
  static Type load(const Element* from) { return Type::load_unaligned(from); }
  static void store(Element* to, Type value) { value.store_unaligned(to); }
};

/// The widest vectors of T.
template <class T>
using Vectors = InBatches<xsimd::batch<T>>;

/// Vectors of kElements elements, if the instruction set has registers of that size; else single
/// ones.
template <class T, int64_t kElements>
using VectorsOf = std::conditional_t<
    std::is_void_v<xsimd::make_sized_batch_t<T, kElements>>, OneByOne<T>,
    InBatches<std::conditional_t<std::is_void_v<xsimd::make_sized_batch_t<T, kElements>>,
                                 xsimd::batch<T>, xsimd::make_sized_batch_t<T, kElements>>>>;
#else
template <class T>
using Vectors = OneByOne<T>;
template <class T, int64_t kElements>
using VectorsOf = OneByOne<T>;
#endif

/// Halves kLanes values, a power of two: value e merges value e + kLanes / 2 by F, until kLeft are
/// left. Returns the first of these. Uses the widest vectors of at most that many, and overwrites
/// the values.
template <class F, class T, int64_t kLanes, int64_t kLeft = 1>
T halved(T* values) {
  constexpr int64_t kHalf = kLanes / 2;
  if constexpr (kHalf < kLeft) {
    return values[0];
  } else {
    using Part = std::conditional_t<(kHalf > Vectors<T>::kCount), Vectors<T>, VectorsOf<T, kHalf>>;
    for (int64_t e = 0; e < kHalf; e += Part::kCount) {
      Part::store(values + e, F::apply(Part::load(values + e), Part::load(values + kHalf + e)));
    }
    return halved<F, T, kHalf, kLeft>(values);
  }
}

}  // namespace tessera::kernels::TESSERA_ISA
