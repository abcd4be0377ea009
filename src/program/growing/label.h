#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "types/shape.h"

namespace tessera::program {

/// A label of one statement.
struct Label {
  int64_t extent = 1;
  int64_t number = 0;  // among the labels of its statement with this extent

  friend bool operator==(const Label&, const Label&) = default;
  friend auto operator<=>(const Label&, const Label&) = default;
};

/// One for each mode.
using Labels = std::vector<Label>;

/// The label as people read it: `i_500`, `j_500`. Labels of one name have one extent in all
/// statements.
std::string name_of(const Label& label);

/// Gives out labels of one statement, no two alike. Threads: one at a time.
class FreshLabels {
 public:
  Label of(int64_t extent) { return {extent, num_given_[extent]++}; }
  Labels of(const Shape& shape);

 private:
  std::map<int64_t, int64_t> num_given_;  // by extent
};

}  // namespace tessera::program
