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

/// More values than this in one statement are refused by name.
constexpr int kMaxValues = 256;

/// Programs with more parameters are refused by name.
constexpr int kMaxParameters = 64;

/// Scalar expressions made ready to run over blocks: every value is a buffer of kBlock elements of
/// its compute type, every step is one block function. Values that several expressions share are
/// computed once.
///
/// Threads: immutable once made.
class BlockProgram {
 public:
  /// Where a value comes from.
  struct FromConstant {
    Literal value;  // a machine writes it to a block of its own, so that a program is small
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
    bool reads_firsts = false;  // of what has one value in a whole block, the first element alone
  };
  struct Value {
    std::variant<FromConstant, FromStream, FromParameter, FromFunction> from;
    DType type = DType::f32;  // a compute type
    int32_t last_use = -1;  // the last value that reads this one; num_values() where it is a result
  };

  /// The code of a formula, or null where its functions are to be called one after the other.
  using CodeOf = std::function<std::shared_ptr<const generated::Code>(const generated::Formula&)>;

  /// What may stand for runs of functions (generated_parts.h).
  struct Generation {
    const CodeOf& code_of;
    /// By stream, whether it is expected to have one value in every block.
    std::vector<bool> uniform_streams;
    /// Merges the elements of the first result, as generated/interface.h says, where it is made by
    /// a run, and leaves out the others. What has one value in a block is then in the code.
    std::optional<generated::Operation> merge = std::nullopt;
  };

  /// Compiles expressions for an instruction set, with generated code where one is given.
  static OrRefusal<BlockProgram> compile(const std::vector<expr::Scalar>& expressions, Isa isa,
                                         const Generation* generation = nullptr);

  /// The same with the elements of the first result merged by a function of two arguments, as
  /// generated/interface.h says, and no other result: where what makes it has such a form
  /// (isa/merged_function_table.h). `uniform_streams` as in Generation; right only where streams
  /// are so.
  std::optional<BlockProgram> merged_by(const std::string& merge,
                                        const std::vector<bool>& uniform_streams, Isa isa) const;

  /// What merges the first result by that function, by columns too, where many blocks of its only
  /// argument lie in memory; null where there is none.
  const MergedFunction* columns_merged_by(const std::string& merge, Isa isa) const;

  /// Whether the elements of the first result are merged, which is then the only one.
  bool merges() const { return merges_; }
  /// Whether its code is right only where streams have one value in a block as expected: where what
  /// makes the result can be one that merges.
  bool reads_firsts() const { return reads_firsts_; }

  /// Whether one of its functions takes long (block_function.h), by itself or in generated code.
  bool takes_long() const { return takes_long_; }

  /// Functions that compute a value for every element.
  int num_functions(const std::vector<bool>& uniform_streams) const;

  const std::vector<Value>& values() const { return values_; }
  const std::vector<int32_t>& results() const { return results_; }  // one value per expression
  int32_t num_values() const { return static_cast<int32_t>(values_.size()); }

  /// What the streams walk, in order: accesses and index(label).
  const std::vector<std::variant<expr::Access, expr::IndexOf>>& streams() const { return streams_; }

  /// Bytes for the buffers of all values at once.
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
  std::vector<std::shared_ptr<const generated::Code>> code_;  // that functions are in
};

/// Writes a literal, converted to a compute type, to `count` elements.
void fill_literal(const Literal& value, DType type, void* buffer, int64_t count);

}  // namespace tessera::kernels
