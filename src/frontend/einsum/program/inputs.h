#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/diagnostic.h"
#include "frontend/einsum/einsum.h"
#include "frontend/einsum/program/scope.h"

namespace tessera::frontend {

/// Checks the headers of one `input` statement against the data.
///
/// A label has one extent within the statement. Findings: no data, another number of modes, another
/// extent or dtype than the header says, an unknown dtype.
class InputHeaders {
 public:
  InputHeaders(const Bindings& bindings, const ProgramScope& scope, Diagnostics& findings)
      : bindings_(bindings), scope_(scope), findings_(findings) {}

  /// The type of an input's data; nothing if there were findings. `sizes` has the evaluated size of
  /// every label, where the header gives one.
  std::optional<ArrayType> check(const InputSyntax& input,
                                 const std::vector<std::optional<int64_t>>& sizes);

  /// The extents that the statement gives to its labels.
  const std::map<std::string, LabelSize>& sizes() const { return sizes_; }

 private:
  bool check_dtype(const InputSyntax& input, const ArrayType& type);
  bool check_label(const InputSyntax& input, size_t mode, int64_t extent,
                   std::optional<int64_t> size);
  void report(SourceSpan span, std::string message, std::string help = "",
              std::vector<SourceSpan> others = {});

  const Bindings& bindings_;
  const ProgramScope& scope_;
  Diagnostics& findings_;
  std::map<std::string, LabelSize> sizes_;
  std::map<std::string, std::string> origins_;  // by label: the input it was met in first
};

/// `X[i,j]`, as an input or an access is named in messages.
std::string text_of(const InputSyntax& input);

/// Which modes of an input reads leave out, because the header names them 1.
std::vector<bool> left_out_of(const InputSyntax& input);

/// The labels of an input's modes; one that the header names 1 gets a name that none has.
std::vector<std::string> labels_of(const InputSyntax& input);

}  // namespace tessera::frontend
