#pragma once

#include <optional>
#include <string>
#include <vector>

#include "expr/text/scanner.h"
#include "expr/text/text.h"
#include "ir/description.h"
#include "ir/document_nodes.h"
#include "ir/tra/graph.h"
#include "ir/tra/infer.h"

namespace tessera::tra {

// The parts of the texts of relations, placed or not. Everything that is read back equals what was
// written.

/// Reads a whole parameter of a line by a function that takes a Scanner.
template <class Read>
auto read_parameter(const SourceText& source, const ir::Description& line, const std::string& name,
                    Read read) {
  expr::Scanner scanner(source, ir::parameter_of(source, line, name).span);
  auto value = read(scanner);
  scanner.expect_end();
  return value;
}

/// Reads a parameter that is a name.
std::string read_name_parameter(const SourceText& source, const ir::Description& line,
                                const std::string& name);

/// Reads the type of a line, if it has one.
std::optional<RelationType> read_line_type(const SourceText& source, const ir::Description& line);

/// Throws the user Error for a line that lacks its type.
[[noreturn]] void fail_without_type(const SourceText& source, const ir::Description& line);

/// Returns the parameter `key`, or else the key of the type.
std::vector<KeyDim> read_key_or_type(const SourceText& source, const ir::Description& line,
                                     const std::optional<RelationType>& type);

/// Formats the cuts of a key dimension: 2x64 (two pieces of 64), 100/64 (a piece every 64, the last
/// one short), [0,10,100] (any cuts); `3 bare` is a user's integer below 3.
std::string dim_text(const KeyDim& dim);
KeyDim read_dim(expr::Scanner& scanner);

/// Formats a key: "(s:2x64,k:3 bare)".
std::string key_text(const std::vector<KeyDim>& key);
std::vector<KeyDim> read_key(expr::Scanner& scanner);

/// Reads "[1000]" or "[expected=100,at_most=1000]".
RowCount read_row_count(expr::Scanner& scanner);

/// Formats a type: "(s:2x64) -> f32[s=128,h=8]"; several arrays stand in parentheses, and rows
/// behind their count: "(s:2x64) -> rows[1000](i64[], f32[h=8])". If tuples are absent, the present
/// ones stand after the key: "(s:2x64) only {(1)} -> ..."; " some" if they are unknown.
std::string type_text(const RelationType& type);
RelationType read_type(expr::Scanner& scanner);

/// Writes the parameter `order=tree`; merging one after the other is not written.
void add_merge_order(ir::Description& description, MergeOrder order);
MergeOrder read_merge_order(const SourceText& source, const ir::Description& line);

/// Formats "(s,h)", or "(s,k:4x32)" if runs of pieces are merged.
std::string keep_text(const Aggregate& aggregate);
void read_keep(expr::Scanner& scanner, Aggregate& aggregate);

/// Formats "(s,a; a,h)": the labels of each input's key dimensions.
std::string match_text(const std::vector<std::vector<std::string>>& match);
std::vector<std::vector<std::string>> read_match(expr::Scanner& scanner, size_t num_inputs);

/// Formats "T:f32[1000,64]": a tensor of which no tile is made.
std::string source_text(const SourceTensor& source);
SourceTensor read_source(expr::Scanner& scanner);

/// Formats "(i=j+1,k=2*a)", over the key of the relation that gets a new one.
std::string key_map_text(const std::vector<KeyExpression>& key);
std::vector<KeyExpression> read_key_map(expr::Scanner& scanner, const RelationType& from);

/// Formats a predicate over the key dimensions: index(s) < index(t).
std::string predicate_text(const expr::Scalar& predicate, const RelationType& type);
expr::Scalar read_predicate(expr::Scanner& scanner, const RelationType& type,
                            const expr::FunctionRegistry& functions);

}  // namespace tessera::tra
