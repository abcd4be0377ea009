#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "frontend/einsum/einsum.h"
#include "later_stages.h"

namespace {

using tessera::ArrayType;

/// One array per comma and one more: byte n of the shapes gives the number of modes and the extents
/// of array n.
std::vector<ArrayType> arrays_of(const std::string& equation, const std::string& shapes) {
  std::vector<ArrayType> arrays(1);
  for (const char character : equation) {
    if (character == ',') {
      arrays.emplace_back();
    }
  }
  for (size_t at = 0; at < shapes.size(); ++at) {
    const auto byte = static_cast<unsigned char>(shapes[at]);
    ArrayType& array = arrays[at % arrays.size()];
    array.dtype = tessera::all_dtypes()[byte / 4 % tessera::all_dtypes().size()];
    array.shape.push_back(byte % 4);
  }
  return arrays;
}

}  // namespace

/// Any text is bound to a graph that the later stages can plan with, or refused with findings,
/// whatever the arrays: the part before a line break is the equation, the rest draws shapes.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const size_t end = text.find('\n');
  const std::string equation = text.substr(0, end);
  const std::vector<ArrayType> arrays =
      arrays_of(equation, end == std::string::npos ? "" : text.substr(end + 1));
  std::vector<std::string> names;
  for (size_t array = 0; array < arrays.size(); ++array) {
    names.push_back("X" + std::to_string(array));
  }
  const tessera::fuzz::Registries& known = tessera::fuzz::registries();
  auto graph = tessera::frontend::bind_equation(equation, arrays, names, {},
                                                {known.functions, known.aggregates});
  if (graph.ok()) {
    tessera::fuzz::plan_and_run(graph.value());
  } else if (graph.diagnostics().render().empty()) {
    __builtin_trap();
  }
  return 0;
}
