#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "engine/planning/source.h"
#include "io/format.h"
#include "store/tile_io.h"

namespace tessera::engine {

/// Facts that a source states about its data, before they exist.
///
/// Returns the headers of a program's inputs, by input; a stage's text describes its inputs itself.
/// Errors: the findings about the headers.
std::map<std::string, frontend::DeclaredInput> declared_inputs(const Source& source);

/// Returns the types of the inputs whose header has a dtype (or leaves f32) and every extent, so
/// that a plan needs no data.
std::map<std::string, ArrayType> declared_types(const Source& source);

/// Returns names for operands that are given as files, for messages and plans: the files' own, made
/// distinct if two are equal.
std::vector<std::string> operand_names(const std::vector<std::string>& files);

/// The user's tensors: opened in files, so that their types are known and a run reads them by tile,
/// or known by their types alone, for a plan.
class InputFiles {
 public:
  explicit InputFiles(const io::FormatRegistry& formats) : formats_(formats) {}

  /// Opens `[dtype:]path` under a name; `declared` is the dtype in a program's header. Errors:
  /// those of the format.
  void open(const std::string& name, const std::string& file, std::optional<DType> declared);

  /// Takes a scalar from `number`, with the dtype of the header or else its own: b1, i64, f64,
  /// c128. Errors: `user`, if it is no number of that dtype.
  void hold(const std::string& name, const Literal& number, std::optional<DType> declared);

  /// Declares a tensor of this type without data.
  void declare(const std::string& name, ArrayType type) { types_[name] = std::move(type); }

  const std::map<std::string, ArrayType>& types() const { return types_; }

  /// Returns the facts about them for binding a program.
  frontend::Bindings bindings(std::map<std::string, Literal> parameters) const;

  /// Returns those with data; they live as long as this.
  std::map<std::string, const store::TileSource*> sources() const;

 private:
  const io::FormatRegistry& formats_;
  std::map<std::string, ArrayType> types_;
  std::map<std::string, std::unique_ptr<store::TileSource>> files_;
};

}  // namespace tessera::engine
