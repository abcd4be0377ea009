#include "plans/runner/case_run.h"

#include <list>
#include <utility>

#include "base/error.h"
#include "base/temporary_file.h"
#include "engine/planning/frame_plans.h"
#include "ir/einsum/verify.h"
#include "ir/ia/verify.h"
#include "ir/tra/verify.h"
#include "plan/verify.h"
#include "runtime/executor.h"

namespace tessera::plans {

namespace {

template <class Graph>
void append_problems(std::vector<std::string>& problems, const char* stage, const Graph* graph,
                     const expr::FunctionRegistry& functions) {
  if (graph != nullptr) {
    for (const std::string& problem : verify(*graph, functions)) {
      problems.push_back(fmt::format("stage {}: {}", stage, problem));
    }
  }
}

template <class Graph>
void append_problems_of_order(std::vector<std::string>& problems, const char* stage,
                              const Graph* graph, const expr::AggregateRegistry& aggregates) {
  if (graph != nullptr) {
    for (const std::string& problem : verify_order(*graph, aggregates)) {
      problems.push_back(fmt::format("stage {}: {}", stage, problem));
    }
  }
}

double volume(const Shape& shape) {
  double elements = 1;
  for (const int64_t extent : shape) {
    elements *= static_cast<double>(extent);
  }
  return elements;
}

}  // namespace

engine::Stages plan_case(const Case& each, const engine::Session& session) {
  frontend::Bindings bindings;
  for (const auto& [name, input] : each.inputs) {
    bindings.inputs[name] = input.type;
  }
  return session.plan(each.source, bindings);
}

std::vector<std::string> problems_of(const engine::Stages& stages, const engine::Session& session) {
  const expr::FunctionRegistry& functions = session.functions();
  std::vector<std::string> problems;
  if (const engine::Choices* choices = stages.choices()) {
    append_problems(problems, "einsum", &choices->bound, functions);
    append_problems(problems, "optimized", &choices->optimized, functions);
  }
  append_problems(problems, "tra", stages.relations(), functions);
  append_problems(problems, "ia", stages.placed(), functions);
  append_problems(problems, "tasks", stages.tasks(), functions);
  if (stages.frames() != nullptr) {
    engine::for_each_frame(stages, session.setup(), [&](const engine::FramePlan& part) {
      append_problems(problems, "ia of a frame", &part.frame->placed, functions);
      append_problems(problems, "tasks of a frame", &part.plan.tasks, functions);
    });
  }
  append_problems_of_order(problems, "tra", stages.relations(), session.aggregates());
  append_problems_of_order(problems, "ia", stages.placed(), session.aggregates());
  return problems;
}

Tensor input_of(const Case& each, const std::string& name, const ArrayType& type) {
  const auto found = each.inputs.find(name);
  if (found == each.inputs.end()) {
    return tensor_by_rule(type, "small", name);
  }
  TESSERA_USER_CHECK(found->second.type == type, "data {} is {}, but the plan reads {}", name,
                     to_string(found->second.type), to_string(type));
  return tensor_by_rule(type, found->second.rule, name);
}

Results run_tasks(const plan::TaskGraph& tasks, const Case& each, const RunOptions& options,
                  const Results& given) {
  std::map<std::string, Tensor> inputs;
  std::map<std::string, const store::TileSource*> sources;
  for (const auto& [name, type] : tasks.sources) {
    const auto known = given.find(name);
    inputs[name] = known != given.end() ? known->second : input_of(each, name, type);
    sources[name] = inputs[name].get();
  }
  Results results;
  std::map<std::string, store::TileSink*> sinks;
  for (const plan::SinkInfo& sink : tasks.sinks) {
    results[sink.name] = std::make_shared<store::MemoryTensor>(sink.type);
    sinks[sink.name] = results[sink.name].get();
  }
  std::list<store::TileStore> stores;
  runtime::RunContext context{{}, options.kernels, sources, sinks};
  for (size_t space = 0; space < tasks.spaces.size(); ++space) {
    context.stores.push_back(&stores.emplace_back(options.budget));
  }
  runtime::make_threads_executor({options.workers, temporary_directory()})->run(tasks, context);
  return results;
}

Results run_case(const engine::Stages& stages, const Case& each, const engine::Session& session) {
  const RunOptions options{session.context(), *session.settings().memory_bytes,
                           *session.settings().workers};
  Results results;
  Results left;
  engine::for_each_frame(stages, session.setup(), [&](const engine::FramePlan& part) {
    Results made = run_tasks(part.plan.tasks, each, options, left);
    if (part.frame != nullptr) {
      for (const std::string& name : part.frame->leaves) {
        left.insert(made.extract(name));
      }
    }
    results.merge(made);
  });
  return results;
}

std::optional<std::string> difference(const Results& wanted, const Results& seen,
                                      double tolerance) {
  for (const auto& [name, tensor] : wanted) {
    const auto found = seen.find(name);
    if (found == seen.end()) {
      return fmt::format("there is no result {}", name);
    }
    if (const auto text = difference(*tensor, *found->second, tolerance)) {
      return fmt::format("{}: {}", name, *text);
    }
  }
  return wanted.size() == seen.size() ? std::nullopt
                                      : std::optional<std::string>("there are other results");
}

double work_of(const engine::Stages& stages) {
  double work = 0;
  if (const engine::Choices* choices = stages.choices()) {
    for (const einsum::Vertex& vertex : choices->bound.vertices) {
      work += volume(vertex.type.shape);
    }
  }
  if (const plan::TaskGraph* tasks = stages.tasks()) {
    for (const plan::TaskInfo& task : tasks->tasks) {
      Shape lengths;
      for (const kernels::LabelRange& range : task.shape.ranges) {
        lengths.push_back(range.length);
      }
      work += volume(lengths);
    }
    for (const auto& [name, type] : tasks->sources) {
      work += volume(type.shape);
    }
  }
  return work;
}

}  // namespace tessera::plans
