#include "ir/tra/text_relation.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "expr/text/parts.h"
#include "ir/tra/keys.h"
#include "ir/tra/text_grid.h"

namespace tessera::tra {

namespace {

using expr::Scanner;
using expr::written_name;

std::string column_text(const Column& column) {
  std::vector<expr::LabelDecl> modes;
  for (const Mode& mode : column.modes) {
    modes.push_back({mode.label, mode.extent});
  }
  return std::string(name_of(column.dtype)) + expr::labels_text(modes);
}

/// Returns AllKeys for a list that names every key of a key space.
KeySet all_or_listed(ListedKeys listed, const std::vector<KeyDim>& dims) {
  const bool is_all = static_cast<int64_t>(listed.keys.size()) == num_keys(dims) &&
                      std::all_of(listed.keys.begin(), listed.keys.end(),
                                  [&](const Key& key) { return is_key(key, dims); });
  return is_all ? KeySet(AllKeys{}) : KeySet(std::move(listed));
}

/// Reads " only {(0,0),(1,1)}", " some", or nothing.
KeySet read_key_set(Scanner& scanner, const std::vector<KeyDim>& dims) {
  if (scanner.accept_word("some")) {
    return UnknownKeys{};
  }
  if (!scanner.accept_word("only")) {
    return AllKeys{};
  }
  ListedKeys listed;
  scanner.expect("{");
  for (bool first = true; !scanner.accept("}"); first = false) {
    if (!first) {
      scanner.expect(",");
    }
    Key key;
    scanner.expect("(");
    while (!scanner.accept(")")) {
      if (!key.empty()) {
        scanner.expect(",");
      }
      key.push_back(scanner.integer());
    }
    listed.keys.insert(std::move(key));
  }
  return all_or_listed(std::move(listed), dims);
}

Column read_column(Scanner& scanner) {
  Column column{scanner.dtype(), {}};
  for (expr::LabelDecl& mode : expr::read_labels(scanner)) {
    column.modes.push_back({std::move(mode.name), mode.extent});
  }
  return column;
}

/// Returns "j+1", "2*a-b": an affine index whose labels are those of the key.
expr::AffineIndex index_of(const KeyExpression& expression, std::vector<std::string>& names) {
  expr::AffineIndex index{{}, expression.offset};
  for (const KeyExpression::Term& term : expression.terms) {
    index.terms.push_back({static_cast<expr::LabelNumber>(names.size()), term.coefficient});
    names.push_back(term.label);
  }
  return index;
}

KeyExpression read_key_expression(Scanner& scanner, const std::vector<std::string>& from) {
  KeyExpression expression{scanner.name(), {}, 0};
  scanner.expect("=");
  const expr::AffineIndex index = expr::read_affine(scanner, from);
  for (const expr::AffineIndex::Term& term : index.terms) {
    expression.terms.push_back({from[static_cast<size_t>(term.label)], term.coefficient});
  }
  expression.offset = index.offset;
  return expression;
}

std::vector<expr::LabelDecl> key_labels(const RelationType& type) {
  std::vector<expr::LabelDecl> labels;
  for (const KeyDim& dim : type.key) {
    labels.push_back({label_of(dim), num_keys(dim)});
  }
  return labels;
}

/// Reads names between parentheses, up to the closing one or a semicolon.
std::vector<std::string> read_names(Scanner& scanner) {
  std::vector<std::string> names;
  while (!scanner.looking_at(")") && !scanner.looking_at(";")) {
    if (!names.empty()) {
      scanner.expect(",");
    }
    names.push_back(scanner.name());
  }
  return names;
}

std::string names_text(const std::vector<std::string>& names) {
  std::vector<std::string> written;
  std::transform(names.begin(), names.end(), std::back_inserter(written), written_name);
  return fmt::format("{}", fmt::join(written, ","));
}

}  // namespace

std::string read_name_parameter(const SourceText& source, const ir::Description& line,
                                const std::string& name) {
  return read_parameter(source, line, name, [](Scanner& scanner) { return scanner.name(); });
}

std::optional<RelationType> read_line_type(const SourceText& source, const ir::Description& line) {
  if (line.type.text.empty()) {
    return std::nullopt;
  }
  Scanner scanner(source, line.type.span);
  RelationType type = read_type(scanner);
  scanner.expect_end();
  return type;
}

void fail_without_type(const SourceText& source, const ir::Description& line) {
  ir::fail_at(source, line.span, line.op + " needs its type",
              "write it last: ... : (i:2x64) -> f32[i=128]");
}

std::vector<KeyDim> read_key_or_type(const SourceText& source, const ir::Description& line,
                                     const std::optional<RelationType>& type) {
  if (line.find("key") != nullptr) {
    return read_parameter(source, line, "key", read_key);
  }
  if (!type) {
    fail_without_type(source, line);
  }
  return type->key;
}

void add_merge_order(ir::Description& description, MergeOrder order) {
  if (order == MergeOrder::tree) {
    description.parameters.push_back({"order", "tree", {}});
  }
}

MergeOrder read_merge_order(const SourceText& source, const ir::Description& line) {
  const ir::Field* field = line.find("order");
  if (field == nullptr) {
    return MergeOrder::sequence;
  }
  if (field->text != "tree") {
    ir::fail_at(source, field->span, "expected 'tree'",
                "without order=, tuples are merged one after the other");
  }
  return MergeOrder::tree;
}

std::string dim_text(const KeyDim& dim) {
  return std::visit(
      Overload{[](const DenseDim& dense) {
                 return written_name(dense.label) + ":" + grid_text(dense.grid);
               },
               [](const WindowDim& windows) {
                 return written_name(windows.label) + ":" + windows_text(windows.grid);
               },
               [](const BareDim& bare) {
                 return fmt::format("{}:{} bare", written_name(bare.label), bare.extent);
               }},
      dim);
}

KeyDim read_dim(Scanner& scanner) {
  std::string label = scanner.name();
  scanner.expect(":");
  if (scanner.accept_word("windows")) {
    return WindowDim{std::move(label), read_windows(scanner)};
  }
  Scanner ahead = scanner;
  if (!ahead.looking_at("[")) {
    const int64_t extent = ahead.integer();
    if (ahead.accept_word("bare")) {
      scanner.move_to(ahead);
      return BareDim{std::move(label), extent};
    }
  }
  return DenseDim{std::move(label), read_grid(scanner)};
}

std::string key_text(const std::vector<KeyDim>& key) {
  std::vector<std::string> dims;
  std::transform(key.begin(), key.end(), std::back_inserter(dims), dim_text);
  return fmt::format("({})", fmt::join(dims, ","));
}

std::vector<KeyDim> read_key(Scanner& scanner) {
  std::vector<KeyDim> key;
  scanner.expect("(");
  while (!scanner.accept(")")) {
    if (!key.empty()) {
      scanner.expect(",");
    }
    key.push_back(read_dim(scanner));
  }
  return key;
}

std::string type_text(const RelationType& type) {
  std::vector<std::string> columns;
  std::transform(type.columns.begin(), type.columns.end(), std::back_inserter(columns),
                 column_text);
  const std::string rows = type.rows ? "rows" + to_string(*type.rows) : "";
  const std::string arrays = columns.size() == 1 && !type.rows
                                 ? columns[0]
                                 : fmt::format("({})", fmt::join(columns, ", "));
  return key_text(type.key) + to_string(type.present) + " -> " + rows + arrays;
}

RowCount read_row_count(Scanner& scanner) {
  scanner.expect("[");
  RowCount rows;
  if (scanner.accept_word("expected")) {
    scanner.expect("=");
    rows.expected = scanner.integer();
    scanner.expect(",");
    scanner.expect("at_most");
    scanner.expect("=");
    rows.at_most = scanner.integer();
  } else {
    rows.expected = rows.at_most = scanner.integer();
  }
  scanner.expect("]");
  return rows;
}

RelationType read_type(Scanner& scanner) {
  RelationType type{read_key(scanner), {}};
  type.present = read_key_set(scanner, type.key);
  scanner.expect("->");
  if (scanner.accept_word("rows")) {
    type.rows = read_row_count(scanner);
    scanner.expect("(");
  } else if (!scanner.accept("(")) {
    type.columns.push_back(read_column(scanner));
    return type;
  }
  while (!scanner.accept(")")) {
    if (!type.columns.empty()) {
      scanner.expect(",");
    }
    type.columns.push_back(read_column(scanner));
  }
  return type;
}

std::string keep_text(const Aggregate& aggregate) {
  std::vector<std::string> dims;
  for (const std::string& label : aggregate.keep) {
    const auto coarse = std::find_if(aggregate.coarser.begin(), aggregate.coarser.end(),
                                     [&](const DenseDim& dim) { return dim.label == label; });
    dims.push_back(coarse == aggregate.coarser.end() ? written_name(label) : dim_text(*coarse));
  }
  return fmt::format("({})", fmt::join(dims, ","));
}

void read_keep(Scanner& scanner, Aggregate& aggregate) {
  scanner.expect("(");
  while (!scanner.accept(")")) {
    if (!aggregate.keep.empty()) {
      scanner.expect(",");
    }
    Scanner ahead = scanner;
    aggregate.keep.push_back(ahead.name());
    if (!ahead.looking_at(":")) {
      scanner.move_to(ahead);
      continue;
    }
    const int64_t begin = scanner.position();
    const KeyDim coarse = read_dim(scanner);
    if (grid_of(coarse) == nullptr) {
      scanner.fail(scanner.since(begin), "runs of pieces are merged, not of a user's integers");
    }
    aggregate.coarser.push_back({label_of(coarse), *grid_of(coarse)});
  }
}

std::string source_text(const SourceTensor& source) {
  return fmt::format("{}:{}", written_name(source.name), to_string(source.type));
}

SourceTensor read_source(Scanner& scanner) {
  SourceTensor source{scanner.name(), {}};
  scanner.expect(":");
  source.type.dtype = scanner.dtype();
  scanner.expect("[");
  while (!scanner.accept("]")) {
    if (!source.type.shape.empty()) {
      scanner.expect(",");
    }
    source.type.shape.push_back(scanner.integer());
  }
  return source;
}

std::string match_text(const std::vector<std::vector<std::string>>& match) {
  std::vector<std::string> texts;
  std::transform(match.begin(), match.end(), std::back_inserter(texts), names_text);
  return fmt::format("({})", fmt::join(texts, "; "));
}

std::vector<std::vector<std::string>> read_match(Scanner& scanner, size_t num_inputs) {
  std::vector<std::vector<std::string>> match;
  scanner.expect("(");
  for (size_t input = 0; input < num_inputs; ++input) {
    if (input > 0) {
      scanner.expect(";");
    }
    match.push_back(read_names(scanner));
  }
  scanner.expect(")");
  return match;
}

std::string key_map_text(const std::vector<KeyExpression>& key) {
  std::vector<std::string> texts;
  for (const KeyExpression& expression : key) {
    std::vector<std::string> names;
    const expr::AffineIndex index = index_of(expression, names);
    texts.push_back(written_name(expression.label) + "=" + expr::affine_text(index, names));
  }
  return fmt::format("({})", fmt::join(texts, ","));
}

std::vector<KeyExpression> read_key_map(Scanner& scanner, const RelationType& from) {
  const std::vector<std::string> labels = expr::names_of(key_labels(from));
  std::vector<KeyExpression> key;
  scanner.expect("(");
  while (!scanner.accept(")")) {
    if (!key.empty()) {
      scanner.expect(",");
    }
    key.push_back(read_key_expression(scanner, labels));
  }
  return key;
}

std::string predicate_text(const expr::Scalar& predicate, const RelationType& type) {
  return expr::to_text(predicate, expr::Names{expr::names_of(key_labels(type)), {}, {}});
}

expr::Scalar read_predicate(Scanner& scanner, const RelationType& type,
                            const expr::FunctionRegistry& functions) {
  expr::Leaves leaves;
  leaves.names.labels = expr::names_of(key_labels(type));
  return expr::read_scalar(scanner, leaves, functions);
}

}  // namespace tessera::tra
