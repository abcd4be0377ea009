#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/session.h"

namespace tessera::cli {

/// The user's tensors, opened: their types are known, their data are read by the run.
class Operands {
 public:
  explicit Operands(const io::FormatRegistry& formats) : formats_(formats) {}

  /// Opens `[dtype:]path` under a name; `declared` is the dtype that a program's header says.
  void open(const std::string& name, const std::string& spec, std::optional<DType> declared);
  /// Makes a tensor of this type known without data (explain).
  void declare(const std::string& name, ArrayType type) { types_[name] = std::move(type); }

  const std::map<std::string, ArrayType>& types() const { return types_; }
  std::map<std::string, const store::TileSource*> sources() const;

 private:
  const io::FormatRegistry& formats_;
  std::map<std::string, ArrayType> types_;
  std::map<std::string, std::unique_ptr<store::TileSource>> files_;
};

/// Where the results go: files, committed when all are written, or stdout.
class Results {
 public:
  /// `files` maps a result's name to its path; of results without one only what is
  /// printed is kept. Errors: `user`, also where two paths name one place; `resource`.
  Results(const io::FormatRegistry& formats, const std::vector<plan::SinkInfo>& sinks,
          const std::map<std::string, std::string>& files);

  std::map<std::string, store::TileSink*> sinks() const;
  /// Gives every file its final name, then prints the results that have none, if `print`. Says on
  /// stderr what was written, unless `quiet`.
  void finish(bool quiet, bool print);

 private:
  struct Result {
    std::string name;
    ArrayType type;
    std::unique_ptr<store::TileSink> sink;
    std::string path;  // empty for a result that is printed
  };
  std::vector<Result> results_;
};

}  // namespace tessera::cli
