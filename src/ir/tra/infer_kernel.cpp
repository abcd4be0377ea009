#include "ir/tra/infer_kernel.h"

#include "base/error.h"

namespace tessera::tra {

namespace {

/// A reader of windows: a kernel under a key, whose dimension `label` names the window.
struct WindowReader {
  const expr::TileProgram& kernel;
  const std::vector<KeyDim>& key;
  const std::string& label;
};

/// Returns the ranges of a kernel's labels for the n-th piece of one of them, with all others
/// whole.
std::vector<expr::LabelRange> ranges_of_piece(const WindowReader& reader, int64_t piece) {
  std::vector<expr::LabelRange> ranges;
  for (const expr::LabelDecl& label : reader.kernel.labels) {
    ranges.push_back({0, label.extent});
    const int dim = label.name == reader.label ? find_key_dim(reader.key, label.name) : -1;
    if (dim >= 0) {
      const PieceSpan span =
          span_of(reader.key[static_cast<size_t>(dim)], piece).value_or(PieceSpan{0, label.extent});
      ranges.back() = {span.begin, span.length};
    }
  }
  return ranges;
}

/// Checks that every piece of the label reads within its window.
void check_windows(const WindowGrid& windows, const Mode& mode, const expr::Index& index,
                   const WindowReader& reader, const char* op) {
  for (int64_t piece = 0; piece < windows.num_pieces(); ++piece) {
    const std::optional<expr::LabelRange> read =
        expr::positions_read(index, ranges_of_piece(reader, piece), mode.extent);
    TESSERA_USER_CHECK(read.has_value(),
                       "{}: mode {} has windows, and is read where data says, so it must be whole",
                       op, mode.label);
    const int64_t end = windows.begin(piece) + windows.length(piece);
    TESSERA_USER_CHECK(read->begin >= windows.begin(piece) && read->begin + read->length <= end,
                       "{}: window {} of mode {} is {}:{}, but the kernel reads {}:{} of it", op,
                       piece, mode.label, windows.begin(piece), end, read->begin,
                       read->begin + read->length);
  }
}

/// Checks that a mode of an operand fits its index in the kernel: same extent, and cut only along
/// the kernel label of its key.
void check_mode(const KernelOperand& operand, size_t mode_number, const expr::Index& index,
                const expr::TileProgram& kernel, const std::vector<KeyDim>& key, const char* op) {
  const Mode& mode = operand.column->modes[mode_number];
  const std::optional<expr::LabelNumber> plain = expr::plain_label(index);
  const expr::LabelDecl* label = plain ? &kernel.labels[static_cast<size_t>(*plain)] : nullptr;
  TESSERA_USER_CHECK(label == nullptr || label->extent == mode.extent,
                     "{}: label {} is {} in the kernel but mode {} has {}", op, label->name,
                     label->extent, mode.label, mode.extent);
  const int dim = find_key_dim(operand.relation->key, mode.label);
  if (dim < 0) {
    return;
  }
  const std::string& key_label = operand.key_labels[static_cast<size_t>(dim)];
  if (const WindowGrid* windows = windows_of(operand.relation->key[static_cast<size_t>(dim)])) {
    check_windows(*windows, mode, index, {kernel, key, key_label}, op);
    return;
  }
  if (num_keys(operand.relation->key[static_cast<size_t>(dim)]) == 1) {
    return;
  }
  TESSERA_USER_CHECK(
      label != nullptr && label->name == key_label,
      "{}: mode {} is cut, so the kernel can read it only by the label {} of its key", op,
      mode.label, key_label);
}

void check_operands(const expr::TileProgram& kernel, const std::vector<KernelOperand>& operands,
                    const std::vector<KeyDim>& key, const char* op) {
  TESSERA_USER_CHECK(!kernel.statements.empty(), "{}: the kernel has no statement", op);
  TESSERA_USER_CHECK(kernel.num_inputs == static_cast<int32_t>(operands.size()),
                     "{}: the kernel reads {} arrays but gets {}", op, kernel.num_inputs,
                     operands.size());
  expr::for_each_access(kernel, [&](const expr::Access& access, DType) {
    if (access.operand >= kernel.num_inputs) {
      return;  // an earlier statement's result
    }
    const KernelOperand& operand = operands[static_cast<size_t>(access.operand)];
    TESSERA_USER_CHECK(access.index.size() == operand.column->modes.size(),
                       "{}: array {} has {} modes but is read with {}", op, access.operand,
                       operand.column->modes.size(), access.index.size());
    for (size_t mode = 0; mode < access.index.size(); ++mode) {
      check_mode(operand, mode, access.index[mode], kernel, key, op);
    }
  });
}

/// Checks that the labels a kernel cuts have the extents of the key.
void check_key_extents(const std::vector<KeyDim>& key, const expr::TileProgram& kernel,
                       const char* op) {
  for (const KeyDim& dim : key) {
    const ModeGrid* grid = grid_of(dim);
    const expr::LabelNumber label = grid == nullptr ? -1 : expr::find_label(kernel, label_of(dim));
    if (label >= 0) {
      const int64_t extent = kernel.labels[static_cast<size_t>(label)].extent;
      TESSERA_USER_CHECK(extent == grid->extent(),
                         "{}: label {} is {} in the kernel but {} in the key", op, label_of(dim),
                         extent, grid->extent());
    }
  }
}

}  // namespace

void check_kernel(const expr::TileProgram& kernel, const std::vector<KernelOperand>& operands,
                  const std::vector<KeyDim>& key, const char* op) {
  check_operands(kernel, operands, key, op);
  check_key_extents(key, kernel, op);
}

std::vector<Column> columns_of(const expr::TileProgram& kernel) {
  std::vector<Mode> modes;
  for (const expr::LabelNumber label : kernel.statements.back().out) {
    const expr::LabelDecl& decl = kernel.labels[static_cast<size_t>(label)];
    modes.push_back({decl.name, decl.extent});
  }
  std::vector<Column> columns;
  for (const DType dtype : expr::output_dtypes(kernel)) {
    columns.push_back({dtype, modes});
  }
  return columns;
}

}  // namespace tessera::tra
