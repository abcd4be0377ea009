#include "kernels/cpu/fused/statements.h"

#include <algorithm>

namespace tessera::kernels {

namespace {

using expr::LabelNumber;

/// The most choices. Planning tries each; the last statement rarely has more labels that fit.
constexpr size_t kMostChoices = 4;

/// Returns the place of a value in a list; appends it if it is missing.
template <class T>
T number_in(std::vector<T>& list, T value) {
  const auto found = std::find(list.begin(), list.end(), value);
  const auto number = static_cast<T>(found - list.begin());
  if (found == list.end()) {
    list.push_back(value);
  }
  return number;
}

void renumber(expr::Scalar& scalar, StatementPart& part) {
  for (expr::Node& node : scalar.nodes) {
    if (auto* access = std::get_if<expr::Access>(&node.op)) {
      access->operand = number_in(part.operands, access->operand);
    }
    expr::for_each_label(node, [&](LabelNumber& label) { label = number_in(part.labels, label); });
  }
}

bool contains(const std::vector<LabelNumber>& labels, LabelNumber label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

bool has_all(const std::vector<LabelNumber>& labels, const std::vector<LabelNumber>& wanted) {
  return std::all_of(wanted.begin(), wanted.end(),
                     [&](LabelNumber label) { return contains(labels, label); });
}

/// True if a reader over a band finds all it reads of `maker`'s result within the same band.
bool stays_in_band(const expr::Access& access, const expr::TileStatement& maker,
                   const std::vector<LabelNumber>& band) {
  for (size_t mode = 0; mode < access.index.size(); ++mode) {
    const LabelNumber label = maker.out[mode];
    if (contains(band, label) && access.index[mode] != expr::plain(label)) {
      return false;
    }
  }
  return true;
}

/// Returns the labels of a result along which its statement may run in parts.
std::vector<LabelNumber> labels_to_cut(const expr::TileStatement& statement) {
  const expr::Whole* const whole = expr::whole_of(statement);
  return whole == nullptr ? statement.out : expr::labels_without(statement.out, whole->core);
}

/// Marks the statements that run per band; nothing if one of them could not.
std::optional<std::vector<bool>> statements_over(const expr::TileProgram& program,
                                                 const std::vector<StatementPart>& parts,
                                                 const std::vector<LabelNumber>& band) {
  std::vector<bool> runs_per_band;
  for (const expr::TileStatement& statement : program.statements) {
    const bool is_inside = has_all(labels_to_cut(statement), band);
    for (const expr::Scalar& body : statement.bodies) {
      for (const expr::Access* access : expr::accesses_of(body)) {
        const int maker = statement_of(parts, access->operand);
        if (maker < 0 || !runs_per_band[static_cast<size_t>(maker)]) {
          continue;
        }
        const expr::TileStatement& made = program.statements[static_cast<size_t>(maker)];
        if (!is_inside || !stays_in_band(*access, made, band)) {
          return std::nullopt;
        }
      }
    }
    runs_per_band.push_back(is_inside);
  }
  return runs_per_band;
}

}  // namespace

std::vector<StatementPart> split_statements(const expr::TileProgram& program) {
  std::vector<StatementPart> parts;
  int32_t next_operand = program.num_inputs;
  for (const expr::TileStatement& statement : program.statements) {
    StatementPart part;
    part.first_result = next_operand;
    expr::TileStatement own = statement;
    expr::for_each_label(own, [&](LabelNumber& label) { label = number_in(part.labels, label); });
    for (expr::Scalar& body : own.bodies) {
      renumber(body, part);
    }
    next_operand += static_cast<int32_t>(own.bodies.size());
    for (const LabelNumber label : part.labels) {
      part.program.labels.push_back(program.labels[static_cast<size_t>(label)]);
    }
    part.program.num_inputs = static_cast<int32_t>(part.operands.size());
    part.program.statements.push_back(std::move(own));
    parts.push_back(std::move(part));
  }
  return parts;
}

int statement_of(const std::vector<StatementPart>& parts, int32_t operand) {
  for (size_t number = parts.size(); number-- > 0;) {
    if (operand >= parts[number].first_result) {
      return static_cast<int>(number);
    }
  }
  return -1;
}

CallShape shape_of_part(const StatementPart& part, const std::vector<LabelRange>& ranges,
                        bool accumulate) {
  CallShape shape;
  for (const LabelNumber label : part.labels) {
    shape.ranges.push_back(ranges[static_cast<size_t>(label)]);
  }
  shape.accumulate = accumulate;
  return shape;
}

std::vector<BandLabels> band_label_choices(const expr::TileProgram& program,
                                           const std::vector<StatementPart>& parts) {
  const std::vector<LabelNumber>& out = program.statements.back().out;
  std::vector<BandLabels> choices;
  for (const LabelNumber first : out) {
    const auto runs_per_band = statements_over(program, parts, {first});
    if (!runs_per_band) {
      continue;
    }
    std::vector<LabelNumber> labels;
    for (const LabelNumber label : out) {
      std::vector<LabelNumber> more = labels;
      more.push_back(label);
      if (label != first && !contains(labels, first)) {
        more.push_back(first);
      }
      if (statements_over(program, parts, more) == runs_per_band) {
        labels.push_back(label);
      }
    }
    const bool is_known = std::any_of(choices.begin(), choices.end(),
                                      [&](const auto& choice) { return choice.labels == labels; });
    if (!is_known && choices.size() < kMostChoices) {
      choices.push_back({std::move(labels), *runs_per_band});
    }
  }
  if (choices.empty()) {
    choices.push_back({{}, std::vector<bool>(parts.size(), true)});
  }
  return choices;
}

}  // namespace tessera::kernels
