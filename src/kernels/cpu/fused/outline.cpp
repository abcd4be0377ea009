#include "kernels/cpu/fused/outline.h"

#include <algorithm>

namespace tessera::kernels {

namespace {

void note_readers(Outline& outline) {
  for (int number = 0; number <= outline.last(); ++number) {
    for (const int32_t operand : outline.parts[static_cast<size_t>(number)].operands) {
      if (operand >= outline.program.num_inputs) {
        outline.results[static_cast<size_t>(operand - outline.program.num_inputs)].last_reader =
            number;
      } else if (outline.runs_per_band(number)) {
        ++outline.num_reading[static_cast<size_t>(operand)];
      }
    }
  }
  for (FusedResult& result : outline.results) {
    const bool is_kept = !outline.runs_per_band(result.statement);  // every band reads it again
    result.last_reader = is_kept ? outline.last() : std::max(result.last_reader, result.statement);
  }
}

/// True if a statement reads an operand at exactly the elements it writes.
bool reads_in_place(const expr::TileStatement& statement, int32_t operand) {
  for (const expr::Scalar& body : statement.bodies) {
    for (const expr::Access* access : expr::accesses_of(body)) {
      for (size_t mode = 0; access->operand == operand && mode < access->index.size(); ++mode) {
        if (access->index.size() != statement.out.size() ||
            access->index[mode] != expr::plain(statement.out[mode])) {
          return false;
        }
      }
    }
  }
  return true;
}

/// Lets element-wise statements overwrite results without later readers.
void find_overwritten(Outline& outline) {
  for (size_t number = 0; number < outline.results.size(); ++number) {
    const FusedResult& writer = outline.results[number];
    const expr::TileStatement& statement = outline.statement(writer.statement);
    for (size_t earlier = 0; earlier < number && expr::is_map(statement); ++earlier) {
      FusedResult& read = outline.results[earlier];
      const auto operand = static_cast<int32_t>(earlier) + outline.program.num_inputs;
      const auto& operands = outline.parts[static_cast<size_t>(writer.statement)].operands;
      const bool is_read = std::find(operands.begin(), operands.end(), operand) != operands.end();
      if (is_read && read.overwritten_by < 0 && read.last_reader == writer.statement &&
          read.statement < writer.statement && read.dtype == writer.dtype &&
          outline.runs_per_band(read.statement) && outline.runs_per_band(writer.statement) &&
          outline.statement(read.statement).out == statement.out &&
          reads_in_place(statement, operand)) {
        read.overwritten_by = static_cast<int>(number);
        break;
      }
    }
  }
}

}  // namespace

bool Outline::is_band_label(expr::LabelNumber label) const {
  return std::find(bands.labels.begin(), bands.labels.end(), label) != bands.labels.end();
}

Outline outline_of(const expr::TileProgram& program, const CallShape& shape,
                   const std::vector<StatementPart>& parts, const BandLabels& bands) {
  Outline outline{program, shape, parts, bands, {}, {}};
  outline.num_reading.resize(static_cast<size_t>(program.num_inputs), 0);
  for (int number = 0; number <= outline.last(); ++number) {
    for (const expr::Scalar& body : outline.statement(number).bodies) {
      outline.results.push_back({number, body.dtype(), 0, -1});
    }
  }
  note_readers(outline);
  find_overwritten(outline);
  return outline;
}

}  // namespace tessera::kernels
