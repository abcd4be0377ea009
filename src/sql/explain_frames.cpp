#include "sql/explain_frames.h"

#include <algorithm>

#include <fmt/ranges.h>

#include "base/byte_size.h"
#include "base/table.h"

namespace tessera::sql {

namespace {

constexpr size_t kMostShown = 10;

}  // namespace

std::string explain_frames(const TensorProgram& program, const TensorProgram::Schedule& schedule) {
  if (schedule.frames.size() <= 1) {
    return "";
  }
  const Framing& framing = program.framing();
  std::string text = fmt::format("frames ({}, {} to {} statements)\n", name_of(framing.cutter),
                                 framing.size.min, framing.size.max);
  std::vector<tessera::Row> rows = {{"  frame", "statements", "bytes left", "leaves"}};
  for (const TensorProgram::Frame& frame : schedule.frames) {
    int64_t bytes = 0;
    std::vector<std::string> titles;
    for (const std::string& name : frame.leaves) {
      bytes += size_in_bytes(program.type_of_tensor(name));
      titles.push_back(program.title_of(name));
    }
    rows.push_back({fmt::format("  {}", rows.size()), std::to_string(frame.statements.size()),
                    byte_size_text(bytes), first_names(titles)});
  }
  text += table_text(rows, Columns::amounts);
  double belief = 0;
  std::vector<std::string> edges;
  for (const TensorProgram::CutEdge& edge : schedule.cut) {
    belief += edge.belief;
    edges.push_back(fmt::format("{} -> {} ({:.2f})", program.title_of(edge.producer),
                                program.title_of(edge.reader), edge.belief));
  }
  return text + fmt::format(
                    "  edges cut: {}\n  expected of them to be pipelined, were all planned "
                    "at once: {:.2f} of {}\n",
                    first_names(edges), belief, edges.size());
}

std::string first_names(const std::vector<std::string>& names) {
  const size_t shown = std::min(names.size(), kMostShown);
  const std::vector<std::string> first(names.begin(),
                                       names.begin() + static_cast<std::ptrdiff_t>(shown));
  const std::string more =
      names.size() > shown ? fmt::format(" and {} more", names.size() - shown) : "";
  return fmt::format("{}{}", fmt::join(first, ", "), more);
}

}  // namespace tessera::sql
