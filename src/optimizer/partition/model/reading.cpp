#include "optimizer/partition/model/reading.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace tessera::optimizer::partition {

namespace {

/// Finds the label along which an index moves farthest.
ModeCut slide_in(const expr::Index& index, const std::vector<expr::LabelDecl>& labels) {
  return expr::slide_of(
      index, [&](expr::LabelNumber label) { return labels[static_cast<size_t>(label)].extent; });
}

/// Returns the cuts of an access, given the labels that must not be cut.
std::vector<ModeCut> cuts_of(const std::vector<expr::Index>& index,
                             const std::vector<expr::LabelDecl>& labels,
                             const std::vector<bool>& whole) {
  std::vector<ModeCut> cuts;
  for (const expr::Index& of_mode : index) {
    const ModeCut slide = slide_in(of_mode, labels);
    const bool is_cut =
        slide && (expr::is_plain(of_mode) || !whole[static_cast<size_t>(slide->label)]);
    cuts.push_back(is_cut ? slide : std::nullopt);
  }
  return cuts;
}

/// True if some mode is cut by a label but not read at the label's own places.
bool has_window(const std::vector<ModeCut>& cuts, const std::vector<expr::Index>& index) {
  for (size_t mode = 0; mode < cuts.size(); ++mode) {
    if (cuts[mode] && !expr::is_plain(index[mode])) {
      return true;
    }
  }
  return false;
}

bool reads_at(const Reading& reading, const expr::Access& access) {
  return reading.operand == access.operand &&
         std::find(reading.reads.begin(), reading.reads.end(), access.index) != reading.reads.end();
}

/// Finds the reading that an access is part of, if one of both has windows.
template <class Readings>
auto reading_to_join(Readings& readings, const expr::Access& access,
                     const std::vector<ModeCut>& cuts) {
  return std::find_if(readings.begin(), readings.end(), [&](const Reading& reading) {
    const bool has_windows =
        has_window(cuts, access.index) || has_window(reading.cuts, reading.reads.back());
    return reading.operand == access.operand && reading.cuts == cuts && has_windows;
  });
}

/// The least ratio of columns to the matrix's extent at which columns are cut. Every call repeats
/// the work on its first argument, so this has to be little of a call: there are some ten pieces,
/// and factoring a matrix takes as many operations as solving for a third of its columns.
constexpr int64_t kManyColumns = 64;

/// Marks the core labels, and labels that are not worth cutting.
void keep_arrays_whole(const einsum::Whole& call, std::vector<bool>& whole) {
  int64_t num_columns = 1;
  const auto& function = std::get<expr::Call>(call.body.nodes.back().op);
  const auto& first =
      std::get<expr::Access>(call.body.nodes[static_cast<size_t>(function.arguments.front())].op);
  std::vector<expr::LabelNumber> columns = expr::labels_without(call.out, call.what.core);
  for (const expr::Index& index : first.index) {
    expr::for_each_label(index, [&](expr::LabelNumber label) { std::erase(columns, label); });
  }
  const auto extent = [&](expr::LabelNumber label) {
    return call.labels[static_cast<size_t>(label)].extent;
  };
  for (const expr::LabelNumber label : columns) {
    num_columns *= extent(label);
  }
  if (num_columns >= kManyColumns * extent(call.what.core.front())) {
    columns.clear();
  }
  columns.insert(columns.end(), call.what.core.begin(), call.what.core.end());
  for (const expr::LabelNumber label : columns) {
    whole[static_cast<size_t>(label)] = true;
  }
}

}  // namespace

bool Reading::is_window(size_t mode) const {
  const auto is_plain = [&](const std::vector<expr::Index>& index) {
    return expr::is_plain(index[mode]);
  };
  return cuts[mode] && !std::all_of(reads.begin(), reads.end(), is_plain);
}

expr::LabelRange Reading::part_read(size_t mode, std::span<const expr::LabelRange> ranges,
                                    int64_t extent) const {
  int64_t begin = extent;
  int64_t end = 0;
  for (const std::vector<expr::Index>& index : reads) {
    const std::optional<expr::LabelRange> read = expr::positions_read(index[mode], ranges, extent);
    TESSERA_CHECK(read.has_value(), "mode {} is cut, and read where data says", mode);
    begin = std::min(begin, read->begin);
    end = std::max(end, read->begin + read->length);
  }
  return {begin, end - begin};
}

std::vector<std::optional<expr::LabelRange>> leading_parts(const Reading& reading,
                                                           const std::vector<int64_t>& lengths,
                                                           const Shape& shape) {
  std::vector<std::optional<expr::LabelRange>> parts(shape.size());
  std::vector<expr::LabelRange> ranges;
  for (const int64_t length : lengths) {
    if (length == 0) {
      return parts;
    }
    ranges.push_back({0, length});
  }
  const auto is_data = [](const std::vector<expr::Index>& index, size_t mode) {
    bool is_so = false;
    expr::for_each_node(index[mode], [&](int32_t) { is_so = true; });
    return is_so;
  };
  for (size_t mode = 0; mode < shape.size(); ++mode) {
    const bool may_lead =
        (!reading.cuts[mode] || reading.is_window(mode)) && shape[mode] > 0 &&
        std::none_of(reading.reads.begin(), reading.reads.end(),
                     [&](const std::vector<expr::Index>& index) { return is_data(index, mode); });
    if (!may_lead) {
      return parts;
    }
    const expr::LabelRange part = reading.part_read(mode, ranges, shape[mode]);
    if (part.length < shape[mode]) {
      parts[mode] = part;
    }
    if (part.length != 1) {
      return parts;
    }
  }
  return parts;
}

std::vector<Reading> readings_of(const einsum::Op& statement) {
  const std::vector<expr::LabelDecl>& labels = einsum::labels_of(statement);
  const std::vector<bool> whole = whole_labels(statement);
  const std::optional<int32_t> source = einsum::source_operand(statement);
  std::vector<Reading> readings;
  for (const expr::Scalar* expression : einsum::expressions_of(statement)) {
    for (const expr::Access* access : expr::accesses_of(*expression)) {
      const auto is_known = [&](const Reading& reading) { return reads_at(reading, *access); };
      if (access->operand == source || std::any_of(readings.begin(), readings.end(), is_known)) {
        continue;
      }
      std::vector<ModeCut> cuts = cuts_of(access->index, labels, whole);
      const auto joined = reading_to_join(readings, *access, cuts);
      if (joined == readings.end()) {
        readings.push_back({access->operand, std::move(cuts), {access->index}});
      } else {
        joined->reads.push_back(access->index);
      }
    }
  }
  return readings;
}

expr::Scalar over_readings(expr::Scalar body, const std::vector<Reading>& readings) {
  expr::for_each_access(body, [&](expr::Access& access, DType) {
    const auto found = std::find_if(readings.begin(), readings.end(), [&](const Reading& reading) {
      return reads_at(reading, access);
    });
    access.operand = static_cast<int32_t>(found - readings.begin());
  });
  return body;
}

std::vector<bool> whole_labels(const einsum::Op& statement) {
  const std::vector<expr::LabelDecl>& labels = einsum::labels_of(statement);
  std::vector<bool> whole(labels.size(), false);
  if (const auto* const call = std::get_if<einsum::Whole>(&statement)) {
    keep_arrays_whole(*call, whole);
  }
  for (const expr::Scalar* expression : einsum::expressions_of(statement)) {
    for (const expr::Access* access : expr::accesses_of(*expression)) {
      for (const expr::Index& index : access->index) {
        const ModeCut slide = slide_in(index, labels);
        expr::for_each_label(index, [&](expr::LabelNumber label) {
          whole[static_cast<size_t>(label)] =
              whole[static_cast<size_t>(label)] || label != slide->label;
        });
      }
    }
  }
  return whole;
}

}  // namespace tessera::optimizer::partition
