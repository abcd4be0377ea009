#include "frontend/einsum/equation/labels.h"

#include <algorithm>
#include <map>
#include <optional>

namespace tessera::frontend {

namespace {

using expr::LabelNumber;

/// Returns "operand 2 (B: f64[4,5])".
std::string operand_text(const EquationOperands& operands, size_t operand) {
  return fmt::format("operand {} ({}: {})", operand + 1, operands.names[operand],
                     to_string(operands.types[operand]));
}

bool is_ellipsis_axis(const std::string& label) {
  return label.starts_with("dots");
}

std::string counted(int64_t count, const char* thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

/// One mode of one operand: the label that reads it and the place of the label.
struct Mode {
  size_t operand = 0;
  size_t position = 0;
  int64_t extent = 0;
  SourceSpan span;
};

/// A collector of labels and extents operand by operand, then the output.
class LabelResolver {
 public:
  LabelResolver(const EquationSyntax& syntax, const EquationOperands& operands,
                Diagnostics& findings)
      : syntax_(syntax), operands_(operands), findings_(findings) {}

  EquationLabels resolve() {
    if (!has_one_term_per_operand()) {
      return {};
    }
    num_dots_ = widest_ellipsis();
    for (const EquationTerm& term : syntax_.operands) {
      expand(term, num_dots_);
    }
    for (size_t operand = 0; operand < operands_.types.size(); ++operand) {
      read_operand(operand);
    }
    fix_extents();
    write_indices();
    write_output();
    return std::move(result_);
  }

 private:
  int64_t num_modes(size_t operand) const {
    return static_cast<int64_t>(operands_.types[operand].shape.size());
  }

  bool has_one_term_per_operand() {
    const size_t terms = syntax_.operands.size();
    const size_t arrays = operands_.types.size();
    if (terms == arrays) {
      return true;
    }
    const EquationTerm& place = syntax_.operands[terms > arrays ? arrays : terms - 1];
    report(place.span,
           fmt::format("the equation has {}, but {} given",
                       counted(static_cast<int64_t>(terms), "operand"),
                       arrays == 1 ? "1 array is" : fmt::format("{} arrays are", arrays)),
           "write one term per array, separated by ','");
    return false;
  }

  int64_t widest_ellipsis() const {
    int64_t widest = 0;
    for (size_t operand = 0; operand < operands_.types.size(); ++operand) {
      const EquationTerm& term = syntax_.operands[operand];
      if (term.has_ellipsis()) {
        widest = std::max(widest, num_modes(operand) - term.num_labels());
      }
    }
    return widest;
  }

  /// Returns the items of a term, one per mode: its ellipsis is replaced by the last `num_axes`
  /// ellipsis axes. New labels get a number.
  std::vector<std::pair<LabelNumber, SourceSpan>> expand(const EquationTerm& term,
                                                         int64_t num_axes) {
    std::vector<std::pair<LabelNumber, SourceSpan>> labels;
    for (const EquationItem& item : term.items) {
      if (!item.is_ellipsis()) {
        labels.emplace_back(number_of(item.label), item.span);
        continue;
      }
      for (int64_t axis = num_dots_ - num_axes; axis < num_dots_; ++axis) {
        labels.emplace_back(number_of(fmt::format("dots{}", axis + 1)), item.span);
      }
    }
    return labels;
  }

  LabelNumber number_of(const std::string& name) {
    const auto [place, is_new] =
        numbers_.emplace(name, static_cast<LabelNumber>(result_.labels.size()));
    if (is_new) {
      result_.labels.push_back({name, 1});
      modes_.emplace_back();
    }
    return place->second;
  }

  void read_operand(size_t operand) {
    const EquationTerm& term = syntax_.operands[operand];
    const int64_t unlabelled = num_modes(operand) - term.num_labels();
    if (unlabelled < 0 || (unlabelled > 0 && !term.has_ellipsis())) {
      report(
          term.span,
          fmt::format("{} has {}, but the equation gives it {}", operand_text(operands_, operand),
                      counted(num_modes(operand), "mode"), counted(term.num_labels(), "label")),
          unlabelled < 0 ? "write one label per mode"
                         : "write one label per mode, or '...' for the modes that need none");
      return;
    }
    if (!is_countable(operands_.types[operand])) {
      report(term.span, operand_text(operands_, operand) + " has more than 2^60 bytes", "");
    }
    const auto labels = expand(term, unlabelled);
    for (size_t position = 0; position < labels.size(); ++position) {
      const auto& [label, span] = labels[position];
      modes_[static_cast<size_t>(label)].push_back(
          {operand, position, operands_.types[operand].shape[position], span});
    }
  }

  /// Gives each label the extent of the first of its modes that is not 1; the others must agree or
  /// be 1.
  void fix_extents() {
    for (size_t label = 0; label < result_.labels.size(); ++label) {
      const Mode* fixed_by = nullptr;
      for (const Mode& mode : modes_[label]) {
        if (mode.extent == 1) {
          continue;
        }
        if (fixed_by == nullptr) {
          fixed_by = &mode;
          result_.labels[label].extent = mode.extent;
        } else if (mode.extent != fixed_by->extent) {
          report_extents(result_.labels[label].name, *fixed_by, mode);
        }
      }
    }
  }

  void report_extents(const std::string& label, const Mode& first, const Mode& second) {
    const std::string what =
        is_ellipsis_axis(label)
            ? fmt::format("axis {} of '...'", std::stoll(label.substr(4)) - 1 - num_dots_)
            : "label " + label;
    const bool diagonal = first.operand == second.operand;
    const std::string message =
        diagonal ? fmt::format("{} is {} in mode {} but {} in mode {} of {}", what, first.extent,
                               first.position + 1, second.extent, second.position + 1,
                               operand_text(operands_, first.operand))
                 : fmt::format("{} is {} in {} but {} in {}", what, first.extent,
                               operand_text(operands_, first.operand), second.extent,
                               operand_text(operands_, second.operand));
    findings_.add({ErrorKind::user,
                   second.span,
                   message,
                   "the extents must be equal, or 1 in one of them, which is then broadcast",
                   {first.span}});
  }

  void write_indices() {
    result_.indices.resize(operands_.types.size());
    for (size_t operand = 0; operand < operands_.types.size(); ++operand) {
      result_.indices[operand].resize(operands_.types[operand].shape.size());
    }
    for (size_t label = 0; label < modes_.size(); ++label) {
      for (const Mode& mode : modes_[label]) {
        const bool broadcast = mode.extent != result_.labels[label].extent;
        result_.indices[mode.operand][mode.position] =
            broadcast ? expr::fixed(0) : expr::plain(static_cast<LabelNumber>(label));
      }
    }
  }

  void write_output() {
    result_.out = syntax_.output ? explicit_output(*syntax_.output) : implicit_output();
    ArrayType widest{DType::c128, {}};
    for (const LabelNumber label : result_.out) {
      widest.shape.push_back(result_.labels[static_cast<size_t>(label)].extent);
    }
    if (!is_countable(widest)) {
      report(syntax_.output ? syntax_.output->span : SourceSpan{},
             fmt::format("the result would have too many elements: {}", to_string(widest.shape)),
             "reduce more labels, or work on parts");
    }
    for (size_t label = 0; label < result_.labels.size(); ++label) {
      const auto number = static_cast<LabelNumber>(label);
      if (std::find(result_.out.begin(), result_.out.end(), number) == result_.out.end()) {
        result_.over.push_back(number);
      }
    }
  }

  std::vector<LabelNumber> explicit_output(const EquationTerm& term) {
    for (const EquationItem& item : term.items) {
      if (!item.is_ellipsis() && numbers_.count(item.label) == 0) {
        report(item.span, fmt::format("label {} of the output is in no operand", item.label),
               "the output may have " + known_labels());
      }
    }
    std::map<LabelNumber, SourceSpan> seen;
    std::vector<LabelNumber> out;
    for (const auto& [label, span] : expand(term, num_dots_)) {
      const auto [first, is_new] = seen.emplace(label, span);
      if (is_new) {
        out.push_back(label);
        continue;
      }
      findings_.add({ErrorKind::user,
                     span,
                     fmt::format("label {} stands twice in the output",
                                 result_.labels[static_cast<size_t>(label)].name),
                     "every mode of the result needs a label of its own",
                     {first->second}});
    }
    return out;
  }

  std::string known_labels() const {
    std::string names;
    for (const auto& [name, unused] : numbers_) {
      if (!is_ellipsis_axis(name)) {
        names += (names.empty() ? "" : ", ") + name;
      }
    }
    return names.empty() ? "no labels: the operands have none"
                         : "the labels of the operands: " + names;
  }

  std::vector<LabelNumber> implicit_output() {
    std::vector<LabelNumber> out;
    for (int64_t axis = 0; axis < num_dots_; ++axis) {
      out.push_back(number_of(fmt::format("dots{}", axis + 1)));
    }
    std::map<std::string, int> occurrences;  // UTF-8 sorts as its code points do
    for (const EquationTerm& term : syntax_.operands) {
      for (const EquationItem& item : term.items) {
        occurrences[item.label] += item.is_ellipsis() ? 2 : 1;
      }
    }
    for (const auto& [name, count] : occurrences) {
      if (count == 1) {
        out.push_back(number_of(name));
      }
    }
    return out;
  }

  void report(SourceSpan span, std::string message, std::string help) {
    findings_.add({ErrorKind::user, span, std::move(message), std::move(help), {}});
  }

  const EquationSyntax& syntax_;
  const EquationOperands& operands_;
  Diagnostics& findings_;
  int64_t num_dots_ = 0;  // axes of the widest ellipsis
  std::map<std::string, LabelNumber> numbers_;
  std::vector<std::vector<Mode>> modes_;  // per label, in order of appearance
  EquationLabels result_;
};

}  // namespace

EquationLabels resolve_labels(const EquationSyntax& syntax, const EquationOperands& operands,
                              Diagnostics& findings) {
  return LabelResolver(syntax, operands, findings).resolve();
}

}  // namespace tessera::frontend
