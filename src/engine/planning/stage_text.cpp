#include "engine/planning/stage_text.h"

#include "base/error.h"
#include "ir/description.h"
#include "ir/einsum/text.h"
#include "ir/ia/text.h"
#include "ir/tra/text.h"
#include "plan/text.h"

namespace tessera::engine {

Start parse_stage(const SourceText& source, const Setup& setup) {
  const expr::FunctionRegistry& functions = setup.functions();
  const expr::AggregateRegistry& aggregates = setup.aggregates();
  const std::string stage = ir::parse_document(source).stage;
  if (stage == "einsum") {
    return einsum::parse_graph(source, functions, aggregates);
  }
  if (stage == "tra") {
    return tra::parse_graph(source, functions, aggregates);
  }
  if (stage == "ia") {
    return ia::parse_graph(source, functions, aggregates);
  }
  if (stage == "tasks") {
    return plan::parse_graph(source, functions, aggregates);
  }
  throw_error(ErrorKind::user, "{}: there is no stage {}; there are einsum, tra, ia and tasks",
              source.name, stage);
}

}  // namespace tessera::engine
