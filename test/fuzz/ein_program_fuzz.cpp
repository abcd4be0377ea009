#include <cstddef>
#include <cstdint>
#include <string>

#include "expr/aggregate.h"
#include "expr/function.h"
#include "frontend/einsum/einsum.h"

namespace {

using tessera::ArrayType;
using tessera::DType;

struct Registries {
  tessera::expr::FunctionRegistry functions;
  tessera::expr::AggregateRegistry aggregates;
  Registries() {
    tessera::expr::register_all_functions(functions);
    tessera::expr::register_all_aggregates(aggregates);
  }
};

/// Data for whatever inputs the program declares: extents from its header or from the label's
/// place, dtypes in turn.
tessera::frontend::Bindings data_for(const std::vector<tessera::frontend::DeclaredInput>& inputs) {
  tessera::frontend::Bindings bindings;
  const std::vector<DType>& dtypes = tessera::all_dtypes();
  for (const tessera::frontend::DeclaredInput& input : inputs) {
    ArrayType type;
    type.dtype = input.dtype.value_or(dtypes[input.name.size() % dtypes.size()]);
    for (const std::optional<int64_t>& extent : input.extents) {
      type.shape.push_back(extent.value_or(3));
    }
    bindings.inputs[input.name] = type;
  }
  return bindings;
}

void check_findings(const tessera::Diagnostics& findings) {
  TESSERA_CHECK(!findings.render().empty(), "a failure without a finding");
}

}  // namespace

/// Any text is a graph or findings; never a crash. The findings must also be printable.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  static const Registries registries;
  const tessera::SourceText source{"fuzz.ein",
                                   std::string(reinterpret_cast<const char*>(bytes), size)};
  const tessera::frontend::Vocabulary vocabulary{registries.functions, registries.aggregates};
  auto inputs = tessera::frontend::inputs_of_program(source);
  if (!inputs.ok()) {
    check_findings(inputs.diagnostics());
    return 0;
  }
  const auto graph = tessera::frontend::bind_program(source, data_for(inputs.value()), vocabulary);
  if (!graph.ok()) {
    check_findings(graph.diagnostics());
  }
  return 0;
}
