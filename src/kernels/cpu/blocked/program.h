#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "expr/scalar.h"
#include "kernels/block_function.h"
#include "kernels/generated/code.h"
#include "kernels/generated/formula.h"
#include "kernels/isa/merged_function_table.h"

namespace tessera::kernels {

/// The most values in one statement; more are refused by name.
constexpr int kMaxValues = 256;

/// The most parameters; programs with more are refused by name.
constexpr int kMaxParameters = 64;

/// Scalar expressions compiled to run over blocks: every value is a buffer of kBlock elements of
/// its compute type, every step is one block function. Values that several expressions share are
/// computed once.
///
/// Threads: immutable once made.
class BlockProgram {
 public:
  /// The source of a value.
  struct FromConstant {
    Literal value;  // a machine writes it to a block, so a program stays small
  };
  struct FromStream {
    int32_t stream;
  };
  struct FromParameter {
    int32_t position;
  };
  struct FromFunction {
    BlockFunction function;
    std::array<int32_t, 12> arguments;
    int32_t num_arguments;
    bool reads_firsts = false;  // reads the first element alone of uniform values
  };
  struct Value {
    std::variant<FromConstant, FromStream, FromParameter, FromFunction> from;
    DType type = DType::f32;  // a compute type
    int32_t last_use = -1;    // the last value that reads this one; num_values() for a result
  };

  /// Returns the code of a formula, or null if its functions are to be called one after the other.
  using CodeOf = std::function<std::shared_ptr<const generated::Code>(const generated::Formula&)>;

  /// Options for code that replaces runs of functions (generated_parts.h).
  struct Generation {
    const CodeOf& code_of;
    /// By stream, true if it is expected to have one value in every block.
    std::vector<bool> uniform_streams;
    /// Merges the elements of the first result, in the form of generated/interface.h, if a run
    /// makes it, and leaves out the others. Uniform values are then in the code.
    std::optional<generated::Operation> merge = std::nullopt;
  };

  /// Compiles expressions for an instruction set, with generated code if given.
  static OrRefusal<BlockProgram> compile(const std::vector<expr::Scalar>& expressions, Isa isa,
                                         const Generation* generation = nullptr);

  /// Returns the program with the elements of the first result merged by a function of two
  /// arguments (generated/interface.h), and no other result, if its last function has a merging
  /// form (isa/merged_function_table.h). It is right only if the streams are as `uniform_streams`
  /// says.
  std::optional<BlockProgram> merged_by(const std::string& merge,
                                        const std::vector<bool>& uniform_streams, Isa isa) const;

  /// Returns the merging form of the first result's function, also by columns, for many blocks of
  /// its only argument in memory; null if there is none.
  const MergedFunction* columns_merged_by(const std::string& merge, Isa isa) const;

  /// True if the elements of the first result are merged, which is then the only one.
  bool merges() const { return merges_; }
  /// True if its code is right only if streams have one value in a block as expected: if the result
  /// is computed by a merging function.
  bool reads_firsts() const { return reads_firsts_; }

  /// True if one of its functions takes long (block_function.h), by itself or in generated code.
  bool takes_long() const { return takes_long_; }

  /// Counts functions that compute a value for every element.
  int num_functions(const std::vector<bool>& uniform_streams) const;

  const std::vector<Value>& values() const { return values_; }
  const std::vector<int32_t>& results() const { return results_; }  // one value per expression
  int32_t num_values() const { return static_cast<int32_t>(values_.size()); }

  /// The streams' walks, in order: accesses and index(label).
  const std::vector<std::variant<expr::Access, expr::IndexOf>>& streams() const { return streams_; }

  /// Returns the bytes of the buffers of all values at once.
  int64_t buffer_bytes() const { return buffer_bytes_; }

 private:
  class Compiler;
  BlockProgram() = default;

  int32_t add_stream(std::variant<expr::Access, expr::IndexOf> stream, DType type);
  int32_t add_function(BlockFunction function, const std::vector<int32_t>& arguments, DType type);
  int32_t append(Value value);
  void take_generated(const Generation& generation, const std::vector<std::string>& names);
  const MergedFunction* find_merged(const std::string& merge, uint32_t uniform_arguments,
                                    Isa isa) const;
  std::vector<bool> uniform_values(const std::vector<bool>& uniform_streams) const;
  void finish(Isa isa);
  void note_uses();
  int64_t bytes_of_all_values() const;

  std::vector<Value> values_;
  std::vector<int32_t> results_;
  std::vector<std::variant<expr::Access, expr::IndexOf>> streams_;
  int64_t buffer_bytes_ = 0;
  bool merges_ = false;
  bool reads_firsts_ = false;
  bool takes_long_ = false;
  std::vector<std::shared_ptr<const generated::Code>> code_;  // of generated functions
};

/// Writes a literal, converted to a compute type, to `count` elements.
void fill_literal(const Literal& value, DType type, void* buffer, int64_t count);

}  // namespace tessera::kernels
