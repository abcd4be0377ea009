#include "sql/explain.h"

#include <chrono>
#include <map>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/explain/explain.h"
#include "sql/copied_rows.h"
#include "sql/explain_frames.h"
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

std::string key_part(const QueryCompiler& compiler) {
  std::string text = "key part (SQLite)\n";
  const std::vector<std::string>& queries = compiler.key_queries();
  for (const std::string& query : queries) {
    text += indented(query);
  }
  if (const int64_t more = compiler.num_key_queries() - static_cast<int64_t>(queries.size());
      more > 0) {
    text += fmt::format("  … {} more\n", more);
  }
  return text;
}

/// Numbers that tensors make, which the key part asked for.
std::string computed_for_keys(const std::vector<std::string>& runs) {
  if (runs.empty()) {
    return "";
  }
  std::string text = "computed for the key part (.ein)\n" + indented(runs.front());
  if (runs.size() > 1) {
    text += fmt::format("  … {} more\n", runs.size() - 1);
  }
  return text;
}

/// What the tensors of a result are to be written to, in its order.
struct WantedTensors {
  std::vector<std::string> copied;  // the columns that no program makes
  std::vector<std::string> names;
  std::map<std::string, std::unique_ptr<store::EdgeTensor>> edges;
  std::map<std::string, store::TileSink*> sinks;

  WantedTensors(const Relation& result, QueryCompiler& compiler) {
    for (const RelationColumn& column : result.columns) {
      if (column.tensor && are_copied(result, column, std::nullopt, compiler, kMostCopiedBytes)) {
        copied.push_back(column.name);
      } else if (column.tensor) {
        const TensorRows rows = in_order(result, column, std::nullopt, compiler);
        names.push_back(rows.name);
        edges[rows.name] = std::make_unique<store::EdgeTensor>(flat_type_of(rows), 1);
        sinks[rows.name] = edges[rows.name].get();
        compiler.program().call(rows.name, column.name);
      }
    }
  }
};

}  // namespace

std::string explain(const Relation& result, QueryCompiler& compiler, const Versions::Held& held,
                    bool analyze) {
  TensorProgram& program = compiler.program();
  std::string text = key_part(compiler) + computed_for_keys(program.runs());
  if (held.count > 0) {
    text +=
        fmt::format("versions: keeps {} at most: {}{}\n", held.count, fmt::join(held.names, ", "),
                    held.count > static_cast<int64_t>(held.names.size()) ? ", …" : "");
  }
  const WantedTensors wanted(result, compiler);
  if (!wanted.copied.empty()) {
    text += fmt::format("copied as they are stored: {}\n", first_names(wanted.copied));
  }
  if (wanted.names.empty()) {
    return text;
  }
  const TensorProgram::Schedule schedule = program.schedule_for(wanted.names);
  text += explain_frames(program, schedule);
  const TensorProgram::Frame& first = schedule.frames.front();
  const std::string which = schedule.frames.size() > 1 ? " of the first frame" : "";
  text += fmt::format("tensor part{} (.ein)\n", which) + indented(program.text_of(first));
  const std::string plan =
      engine::explain(program.planned(first), "tra", "text", program.session());
  text += fmt::format("plan{}\n", which) + indented(plan);
  if (analyze) {
    const auto start = std::chrono::steady_clock::now();
    program.run(wanted.sinks, compiler.control());
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    text += fmt::format("tensor part ran in {:.1f} ms\n", 1e3 * seconds.count());
  }
  return text;
}

}  // namespace tessera::sql
