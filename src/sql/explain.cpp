#include "sql/explain.h"

#include <chrono>
#include <map>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "engine/explain/explain.h"
#include "sql/in_order.h"
#include "store/edge_tensor.h"

namespace tessera::sql {

namespace {

std::string indented(const std::string& text) {
  std::string lines = "  ";
  for (size_t place = 0; place < text.size(); ++place) {
    lines += text[place];
    if (text[place] == '\n' && place + 1 < text.size()) {
      lines += "  ";
    }
  }
  return lines + (lines.back() == '\n' ? "" : "\n");
}

}  // namespace

std::string explain(const Relation& result, QueryCompiler& compiler, int64_t most_versions_held,
                    bool analyze) {
  std::string text = "key part (SQLite)\n";
  const int64_t num_queries = compiler.num_key_queries();
  const std::vector<std::string>& queries = compiler.key_queries();
  for (const std::string& query : queries) {
    text += indented(query);
  }
  if (const int64_t more = num_queries - static_cast<int64_t>(queries.size()); more > 0) {
    text += fmt::format("  … {} more\n", more);
  }
  if (most_versions_held > 0) {
    text += fmt::format("versions: at most {} are held at once\n", most_versions_held);
  }
  std::vector<std::string> names;
  std::map<std::string, std::unique_ptr<store::EdgeTensor>> edges;
  std::map<std::string, store::TileSink*> sinks;
  for (const RelationColumn& column : result.columns) {
    if (column.tensor) {
      const TensorRows rows = in_order(result, column, std::nullopt, compiler);
      names.push_back(rows.name);
      edges[rows.name] = std::make_unique<store::EdgeTensor>(flat_type_of(rows), 1);
      sinks[rows.name] = edges[rows.name].get();
    }
  }
  if (names.empty()) {
    return text;
  }
  const TensorProgram::Text program = compiler.program().text_for(names);
  text += "tensor part (.ein)\n" + indented(program.text);
  const engine::Session& session = compiler.program().session();
  const engine::Stages stages =
      session.plan(engine::Program{{"<tensor part>", program.text}}, {program.types, {}});
  text += "plan\n" + indented(engine::explain(stages, "tra", "text", session));
  if (analyze) {
    const auto start = std::chrono::steady_clock::now();
    compiler.program().run(sinks, compiler.control());
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    text += fmt::format("tensor part ran in {:.1f} ms\n", 1e3 * seconds.count());
  }
  return text;
}

}  // namespace tessera::sql
