#include "engine/explain/functions.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/table.h"
#include "frontend/einsum/reference/callables.h"

namespace tessera::engine {

namespace {

using frontend::Callable;

std::vector<Callable> callables_of(const std::string& name) {
  expr::FunctionRegistry functions;
  expr::AggregateRegistry aggregates;
  expr::register_all_functions(functions);
  expr::register_all_aggregates(aggregates);
  const frontend::Vocabulary vocabulary{functions, aggregates};
  return name.empty() ? frontend::all_callables(vocabulary)
                      : frontend::callables_named(name, vocabulary);
}

std::vector<std::string> names_of(const std::vector<DType>& dtypes) {
  std::vector<std::string> names;
  for (const DType dtype : dtypes) {
    names.emplace_back(name_of(dtype));
  }
  return names;
}

/// Formats the lines of all, each group below its heading, in columns of its own.
std::string list_text(const std::vector<Callable>& all) {
  std::string text;
  for (auto begin = all.begin(); begin != all.end();) {
    const auto end = std::find_if(
        begin, all.end(), [&](const Callable& callable) { return callable.group != begin->group; });
    std::vector<Row> rows;
    for (auto callable = begin; callable != end; ++callable) {
      rows.push_back(
          {"  " + callable->call, callable->operation, callable->numpy, callable->summary});
    }
    text += (text.empty() ? "" : "\n") + begin->group + "\n" + table_text(rows, Columns::words);
    begin = end;
  }
  return text;
}

/// Formats "f64 of i32 i64; the same of f32 f64".
std::string results_text(const Callable& callable) {
  std::vector<std::string> results;
  std::vector<DType> kept;
  for (const frontend::ResultOf& result : callable.results) {
    if (result.arguments == std::vector{result.result}) {
      kept.push_back(result.result);
    } else {
      results.push_back(fmt::format("{} of {}", name_of(result.result),
                                    fmt::join(names_of(result.arguments), " ")));
    }
  }
  if (!kept.empty()) {
    results.push_back(fmt::format("the same of {}", fmt::join(names_of(kept), " ")));
  }
  return fmt::to_string(fmt::join(results, "; "));
}

/// Formats all facts about one.
std::string detail_text(const Callable& callable) {
  std::vector<Row> rows;
  const auto add = [&](const char* what, const std::string& text) {
    if (!text.empty()) {
      rows.push_back({std::string("  ") + what, text});
    }
  };
  add("group", callable.group);
  add("operator", callable.operation);
  add("numpy", callable.numpy);
  add("gives", results_text(callable));
  add("refuses", fmt::to_string(fmt::join(names_of(callable.refused), " ")));
  add("error", callable.fault);
  add("of none", callable.of_nothing);
  add("is", callable.definition);
  add("example", callable.example);
  return fmt::format("{}: {}\n{}", callable.call, callable.summary,
                     table_text(rows, Columns::words));
}

using Json = nlohmann::ordered_json;

Json json_of(const Callable& callable) {
  Json results = Json::array();
  for (const frontend::ResultOf& result : callable.results) {
    results.push_back(
        {{"dtype", name_of(result.result)}, {"arguments", names_of(result.arguments)}});
  }
  return {{"name", callable.name},
          {"kind", frontend::name_of(callable.kind)},
          {"group", callable.group},
          {"call", callable.call},
          {"operator", callable.operation},
          {"summary", callable.summary},
          {"numpy", callable.numpy},
          {"results", std::move(results)},
          {"refused", names_of(callable.refused)},
          {"error", callable.fault},
          {"of_none", callable.of_nothing},
          {"definition", callable.definition},
          {"example", callable.example}};
}

}  // namespace

std::string functions_text(const std::string& name) {
  const std::vector<Callable> callables = callables_of(name);
  if (name.empty()) {
    return list_text(callables);
  }
  std::string text;
  for (const Callable& callable : callables) {
    text += (text.empty() ? "" : "\n") + detail_text(callable);
  }
  return text;
}

std::string functions_json(const std::string& name) {
  Json functions = Json::array();
  for (const Callable& callable : callables_of(name)) {
    functions.push_back(json_of(callable));
  }
  return Json{{"functions", std::move(functions)}}.dump(2) + "\n";
}

}  // namespace tessera::engine
