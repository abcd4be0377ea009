#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "program/runs/written_numbers.h"
#include "store/memory_tensor.h"
#include "store/tile_io.h"
#include "types/array_type.h"

namespace tessera::program {

/// A file that is written, then read.
struct KeptFile {
  std::shared_ptr<store::TileSink> sink;
  std::shared_ptr<const store::TileSource> source;
};

/// The inputs of a program that grows, by name: S for stored tensors, R for row numbers, V for
/// other numbers. Equal ones are one input.
///
/// Threads: one at a time.
class ProgramInputs {
 public:
  using Source = std::shared_ptr<const store::TileSource>;

  /// A name that nothing of the program has yet: the prefix and a number.
  std::string new_name(const std::string& prefix) { return prefix + std::to_string(++num_names_); }

  /// The input of a key, which says what `source` holds.
  std::string add_stored(const std::string& key, Source source);
  /// Numbers in memory.
  std::string add_numbers(const std::string& prefix, std::shared_ptr<store::MemoryTensor> numbers);
  /// Numbers in a file that `file` makes and `write` fills, row by row. The same key has the same
  /// numbers.
  std::string add_written(const std::string& key, DType dtype, const Shape& grid,
                          const std::function<KeptFile(const ArrayType&)>& file,
                          const std::function<void(WrittenNumbers&)>& write);
  /// The rows of an input as a grid of another shape. `type` is that of all rows in it.
  std::string add_laid_out(const std::string& name, const ArrayType& type, const Shape& grid);
  /// Makes a tensor of the program an input.
  void add_computed(const std::string& name, Source source) { sources_[name] = std::move(source); }

  bool has(const std::string& name) const { return sources_.contains(name); }
  const Source& at(const std::string& name) const { return sources_.at(name); }
  const std::map<std::string, Source>& all() const { return sources_; }
  /// Names of inputs by their keys.
  const std::map<std::string, std::string>& stored() const { return stored_; }

  /// Forgets all inputs but these and the stored ones.
  void forget_all_but(std::set<std::string> kept);

 private:
  std::string add(const std::string& prefix, Source source);

  std::map<std::string, Source> sources_;                 // by name
  std::map<std::string, std::string> stored_;             // name by key
  std::unordered_multimap<size_t, std::string> numbers_;  // name by hash of the elements
  std::map<std::string, std::string> written_;            // name by key
  int64_t num_names_ = 0;
};

}  // namespace tessera::program
