#include <cstddef>
#include <cstdint>
#include <string>

#include "frontend/einsum/einsum.h"
#include "later_stages.h"

namespace {

using tessera::ArrayType;
using tessera::DType;

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

/// Any text is a graph that the later stages can plan with, or findings; never a crash. The
/// findings must also be printable.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const tessera::SourceText source{"fuzz.ein",
                                   std::string(reinterpret_cast<const char*>(bytes), size)};
  const tessera::fuzz::Registries& known = tessera::fuzz::registries();
  auto inputs = tessera::frontend::inputs_of_program(source);
  if (!inputs.ok()) {
    check_findings(inputs.diagnostics());
    return 0;
  }
  auto program = tessera::frontend::bind_program(source, data_for(inputs.value()),
                                                 {known.functions, known.aggregates});
  if (program.ok()) {
    tessera::fuzz::plan_and_run(program.value().graph);
  } else {
    check_findings(program.diagnostics());
  }
  return 0;
}
