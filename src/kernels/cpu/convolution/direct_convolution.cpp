#include "kernels/cpu/convolution/direct_convolution.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "expr/function_ids.h"
#include "kernels/cpu/convolution/convolution.h"
#include "kernels/cpu/walk/joined.h"

namespace tessera::kernels {

namespace {

using expr::LabelNumber;

/// Returns the computed type. Unsigned integers are added and multiplied like signed ones.
DType computed_as(const Joined& joined) {
  const bool is_product = joined.join == expr::id::kMultiply && joined.of_join.empty() &&
                          joined.merge == expr::id::kAdd;
  return is_product && joined.type == DType::u32   ? DType::i32
         : is_product && joined.type == DType::u64 ? DType::i64
                                                   : joined.type;
}

bool reads(const expr::Access& access, LabelNumber label) {
  return std::any_of(access.index.begin(), access.index.end(),
                     [&](const expr::Index& index) { return expr::mentions(index, label); });
}

int64_t num_labels(const expr::Index& index) {
  int64_t labels = 0;
  expr::for_each_term(index, [&](LabelNumber, int64_t) { ++labels; });
  return labels;
}

bool moves_a_window(const expr::Access& access) {
  return std::any_of(access.index.begin(), access.index.end(),
                     [](const expr::Index& index) { return num_labels(index) > 1; });
}

class DirectReading {
 public:
  DirectReading(const expr::TileProgram& program, const CallShape& shape)
      : statement_(program.statements[0]), shape_(shape) {
    read_.out = statement_.out;
    read_.over = expr::reduced_labels(statement_);
  }

  OrRefusal<DirectConvolution> run(const Joined& joined, Isa isa) && {
    read_.type = computed_as(joined);
    if (std::optional<Refusal> refusal = check(joined)) {
      return *refusal;
    }
    if (std::optional<Refusal> refusal = choose_column(joined)) {
      return *refusal;
    }
    choose_row();
    if (std::optional<Refusal> refusal = find_tiles(joined, isa)) {
      return *refusal;
    }
    for (DirectOperand* const operand : {&read_.x, &read_.y}) {
      if (std::optional<Refusal> refusal = place_columns(*operand)) {
        return *refusal;
      }
    }
    return std::move(read_);
  }

 private:
  int64_t length(LabelNumber label) const {
    return shape_.ranges[static_cast<size_t>(label)].length;
  }

  /// True if an operand stored in this type can be packed as the computed one.
  bool converts(DType stored, DType wanted) const {
    const bool is_half = compute_type(stored) != stored;
    const bool is_other_sign =
        wanted != read_.type;  // a float converts to one with a sign otherwise
    return !is_complex(stored) && !(is_half && wanted != DType::f32) &&
           !(is_other_sign && is_float(stored));
  }

  std::optional<Refusal> check(const Joined& joined) const {
    if (!moves_a_window(joined.a) && !moves_a_window(joined.b)) {
      return Refusal{"it moves no window"};
    }
    if (!converts(joined.a_type, joined.type) || !converts(joined.b_type, joined.type)) {
      return Refusal{"it does not convert its operands so"};
    }
    const auto is_empty = [](const LabelRange& range) { return range.length == 0; };
    if (std::any_of(shape_.ranges.begin(), shape_.ranges.end(), is_empty)) {
      return Refusal{"a label is empty"};
    }
    return std::nullopt;
  }

  std::optional<Refusal> choose_column(const Joined& joined) {
    const auto column = std::find_if(read_.out.rbegin(), read_.out.rend(),
                                     [&](LabelNumber label) { return length(label) > 1; });
    if (column == read_.out.rend()) {
      return Refusal{"it has one result"};
    }
    read_.column = *column;
    read_.x = {joined.a, joined.a_type, extents_read(joined.a, shape_), {}, 1, false};
    read_.y = {joined.b, joined.b_type, extents_read(joined.b, shape_), {}, 1, false};
    if (!reads(read_.x.access, read_.column)) {
      std::swap(read_.x, read_.y);
    }
    if (!reads(read_.x.access, read_.column)) {
      return Refusal{"the innermost label of the result moves no operand"};
    }
    return std::nullopt;
  }

  /// Returns the longest label of the result that moves `moved` alone.
  std::optional<LabelNumber> longest_of(const DirectOperand& moved,
                                        const DirectOperand& other) const {
    std::optional<LabelNumber> longest;
    for (const LabelNumber label : read_.out) {
      const bool is_row = label != read_.column && length(label) > 1 &&
                          reads(moved.access, label) && !reads(other.access, label);
      if (is_row && (!longest || length(label) > length(*longest))) {
        longest = label;
      }
    }
    return longest;
  }

  void choose_row() {
    if (reads(read_.y.access, read_.column)) {
      read_.kind = DirectKind::lanes;
      read_.row = longest_of(read_.x, read_.y);
      if (!read_.row) {
        std::swap(read_.x, read_.y);
        read_.row = longest_of(read_.x, read_.y);
      }
      return;
    }
    read_.row = longest_of(read_.y, read_.x);
    if (!read_.row) {
      read_.kind = DirectKind::repeat;
      read_.row = longest_of(read_.x, read_.y);
    }
  }

  std::optional<Refusal> find_tiles(const Joined& joined, Isa isa) {
    for (const DirectEntry& entry : direct_entries(isa)) {
      const std::string of_join = entry.of_join == nullptr ? "" : entry.of_join;
      if (entry.type == read_.type && entry.kind == read_.kind && joined.join == entry.join &&
          joined.of_join == of_join && joined.merge == entry.merge) {
        const DirectEntry* const single = read_.tiles[1][1];
        const int64_t vectors = single == nullptr ? 1 : entry.columns / single->columns;
        read_.tiles[static_cast<size_t>(entry.rows)][static_cast<size_t>(vectors)] = &entry;
      }
    }
    if (read_.tiles[1][1] == nullptr) {
      return Refusal{fmt::format("there is no tile that merges {}", describe(joined))};
    }
    return std::nullopt;
  }

  std::optional<Refusal> place_columns(DirectOperand& operand) const {
    for (size_t mode = 0; mode < operand.access.index.size(); ++mode) {
      const int64_t step = expr::coefficient_of(operand.access.index[mode], read_.column);
      if (step == 0) {
        continue;
      }
      if (operand.column_mode || step < 0) {
        return Refusal{"the innermost label of the result moves two modes, or backwards"};
      }
      operand.column_mode = mode;
      operand.column_step = step;
      for (const LabelNumber label : read_.out) {
        if (step > 1 && label != read_.column &&
            expr::mentions(operand.access.index[mode], label)) {
          return Refusal{"two labels of the result move one window in steps"};
        }
      }
    }
    const bool is_short = length(read_.column) < read_.vector();
    const bool is_last = !operand.column_mode || lies_innermost(operand);
    operand.packs = stored_as(operand.stored) != stored_as(read_.type) ||
                    (operand.column_mode && (operand.column_step > 1 || is_short)) || !is_last;
    return std::nullopt;
  }

  /// Returns the type without the sign, which the tiles do not see.
  static DType stored_as(DType type) {
    return type == DType::u32 ? DType::i32 : type == DType::u64 ? DType::i64 : type;
  }

  static bool lies_innermost(const DirectOperand& operand) {
    const auto behind = operand.extents.begin() + static_cast<std::ptrdiff_t>(*operand.column_mode);
    return std::all_of(behind + 1, operand.extents.end(),
                       [](int64_t extent) { return extent == 1; });
  }

  const expr::TileStatement& statement_;
  const CallShape& shape_;
  DirectConvolution read_;
};

}  // namespace

int64_t DirectConvolution::rows_of_tile(int64_t rows_left) const noexcept {
  const int64_t num_tiles = (rows_left + kMostRows - 1) / kMostRows;
  int64_t rows = (rows_left + num_tiles - 1) / num_tiles;  // tiles of about the same size
  if (tiles[static_cast<size_t>(rows)][1] != nullptr) {
    return rows;
  }
  rows = std::min(rows_left, kMostRows);
  while (tiles[static_cast<size_t>(rows)][1] == nullptr) {
    --rows;
  }
  return rows;
}

OrRefusal<DirectConvolution> read_as_direct(const expr::TileProgram& program,
                                            const CallShape& shape, Isa isa) {
  const OrRefusal<Joined> joined = read_joined(program.statements[0]);
  if (!joined) {
    return joined.refusal();
  }
  return DirectReading(program, shape).run(*joined, isa);
}

}  // namespace tessera::kernels
