#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/diagnostic.h"
#include "frontend/einsum/einsum.h"
#include "frontend/einsum/program/scope.h"

namespace tessera::frontend {

/// A check of the headers of one `input` statement against the data.
///
/// A label has one extent within the statement. Findings: no data, another number of modes, an
/// extent or dtype that differs from the header, an unknown dtype.
class InputHeaders {
 public:
  InputHeaders(const Bindings& bindings, const ProgramScope& scope, Diagnostics& findings)
      : bindings_(bindings), scope_(scope), findings_(findings) {}

  /// Returns the type of an input's data; nothing after findings. `sizes` has the evaluated size of
  /// every label, if the header gives one.
  std::optional<ArrayType> check(const InputSyntax& input,
                                 const std::vector<std::optional<int64_t>>& sizes);

  /// Returns the extents that the statement gives to its labels.
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
  std::map<std::string, std::string> origins_;  // by label: the input that had it first
};

/// Returns `X[i,j]`, the text for an input or an access in messages.
std::string text_of(const InputSyntax& input);

/// Returns by mode whether reads of an input leave it out, because the header names it 1.
std::vector<bool> left_out_of(const InputSyntax& input);

/// Returns the labels of an input's modes; a mode that the header names 1 gets a new name.
std::vector<std::string> labels_of(const InputSyntax& input);

}  // namespace tessera::frontend
