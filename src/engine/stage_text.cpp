#include "engine/stage_text.h"

#include "base/error.h"
#include "ir/description.h"
#include "ir/einsum/text.h"
#include "ir/ia/text.h"
#include "ir/tra/text.h"
#include "plan/text.h"

namespace tessera::engine {

Stages parse_stage(const SourceText& source, const Session& session) {
  const expr::FunctionRegistry& functions = session.functions();
  const expr::AggregateRegistry& aggregates = session.aggregates();
  const std::string stage = ir::parse_document(source).stage;
  Stages stages;
  if (stage == "einsum") {
    stages.bound = einsum::parse_graph(source, functions, aggregates);
  } else if (stage == "tra") {
    stages.relations = tra::parse_graph(source, functions, aggregates);
  } else if (stage == "ia") {
    stages.placed = ia::parse_graph(source, functions, aggregates);
  } else if (stage == "tasks") {
    stages.tasks = plan::parse_graph(source, functions, aggregates);
  } else {
    throw_error(ErrorKind::user, "{}: there is no stage {}; there are einsum, tra, ia and tasks",
                source.name, stage);
  }
  return stages;
}

}  // namespace tessera::engine
