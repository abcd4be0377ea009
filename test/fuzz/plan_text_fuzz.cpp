// Reads any text as each stage: a value that prints and reads back equal, or an Error; never a
// crash.

#include <cstdint>
#include <cstdlib>

#include "base/error.h"
#include "ir/einsum/text.h"
#include "ir/ia/text.h"
#include "ir/tra/text.h"
#include "plan/text.h"

namespace {

using namespace tessera;  // a program of its own, not a header

struct Vocabulary {
  expr::FunctionRegistry functions;
  expr::AggregateRegistry aggregates;

  Vocabulary() {
    register_all_functions(functions);
    register_all_aggregates(aggregates);
  }
};

/// Reads a text, prints it and reads that; an Error for what the first reading refuses is fine.
template <class Parse>
void check_round_trip(const SourceText& source, Parse parse) {
  const Vocabulary vocabulary;
  try {
    const auto graph = parse(source, vocabulary.functions, vocabulary.aggregates);
    const SourceText printed{"printed", to_text(describe(graph, vocabulary.aggregates))};
    if (parse(printed, vocabulary.functions, vocabulary.aggregates) != graph) {
      std::abort();
    }
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::internal || error.message().rfind("printed", 0) == 0) {
      std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const SourceText source{"text", std::string(reinterpret_cast<const char*>(data), size)};
  check_round_trip(source, einsum::parse_graph);
  check_round_trip(source, tra::parse_graph);
  check_round_trip(source, ia::parse_graph);
  check_round_trip(source, plan::parse_graph);
  return 0;
}
