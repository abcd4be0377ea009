#pragma once

#include <functional>
#include <map>
#include <string>

namespace tessera::program {

/// Names of tensors by their place in a program: X1 is the first that it mentions. Programs that
/// differ only in the names of their tensors have the same text in these names.
class NamesByPlace {
 public:
  /// Tells whether a word is the name of a tensor.
  using IsTensor = std::function<bool(const std::string& word)>;

  /// The name of a tensor, a new one where it has none yet.
  std::string name_of(const std::string& tensor);
  /// A text with every tensor under this name.
  std::string renamed(const std::string& text, const IsTensor& is_tensor);

 private:
  std::map<std::string, std::string> names_;  // by tensor
};

}  // namespace tessera::program
