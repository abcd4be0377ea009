// Reads any text as each stage: a value that prints and reads back equal and that the later stages
// can plan with, or an Error; never a crash.

#include <cstdint>
#include <optional>
#include <string>

#include "base/error.h"
#include "ir/einsum/text.h"
#include "ir/ia/text.h"
#include "ir/tra/text.h"
#include "later_stages.h"
#include "plan/text.h"

namespace tessera::fuzz {

namespace {

/// The graph of a text; nothing where the text is refused as the user's fault.
template <class Parse>
auto graph_of(const SourceText& source, Parse parse)
    -> std::optional<decltype(parse(source, registries().functions, registries().aggregates))> {
  try {
    return parse(source, registries().functions, registries().aggregates);
  } catch (const Error& error) {
    TESSERA_CHECK(error.kind() != ErrorKind::internal, "{}", error.message());
    return std::nullopt;
  }
}

/// Reads a text, prints it and reads that; then goes on with the graph.
template <class Parse>
void check_text(const SourceText& source, Parse parse) {
  const auto graph = graph_of(source, parse);
  if (!graph) {
    return;
  }
  const SourceText printed{"printed", to_text(describe(*graph, registries().aggregates))};
  TESSERA_CHECK(graph_of(printed, parse) == graph, "reads back otherwise:\n{}", printed.text);
  plan_and_run(*graph);
}

}  // namespace

}  // namespace tessera::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tessera;  // a program of its own, not a header
  const SourceText source{"text", std::string(reinterpret_cast<const char*>(data), size)};
  fuzz::check_text(source, einsum::parse_graph);
  fuzz::check_text(source, tra::parse_graph);
  fuzz::check_text(source, ia::parse_graph);
  fuzz::check_text(source, plan::parse_graph);
  return 0;
}
