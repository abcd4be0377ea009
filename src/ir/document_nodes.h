#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "base/source.h"
#include "ir/description.h"
#include "types/storage_order.h"

namespace tessera::ir {

/// Throws an Error for a place in a document, by default the user's.
[[noreturn]] void fail_at(const SourceText& source, SourceSpan place, const std::string& message,
                          const std::string& help = "", ErrorKind kind = ErrorKind::user);

/// Reads the document of a stage; throws a user Error if it is another's.
Document parse_stage(const SourceText& source, const std::string& stage);

/// Returns the name of a node: "%7".
std::string node_name(int64_t number);
Field operand(int64_t number);

/// Returns a description of an operator that has no operands yet.
Description operation(const std::string& op, std::vector<Field> parameters = {});

/// Returns the line `output(%7) Y`.
Description describe_output(const std::string& name, int64_t node);

/// Returns the parameter without a name; throws a user Error if there is none.
const Field& what_of(const SourceText& source, const Description& node);

/// Returns the parameter of a name; throws a user Error if there is none.
const Field& parameter_of(const SourceText& source, const Description& node,
                          const std::string& name);

/// Refuses parameters that the operator does not have.
void check_parameters(const SourceText& source, const Description& node,
                      const std::vector<std::string>& known);

/// Returns the operands' numbers, each below `limit`.
std::vector<int32_t> parse_operands(const SourceText& source, const Description& node,
                                    int64_t limit);

/// Returns the only operand; throws a user Error if there are more or none.
int32_t parse_operand(const SourceText& source, const Description& node, int64_t limit);

/// Writes the parameter `stored=column_major` of an input; row-major is not written.
void add_storage_order(Description& node, StorageOrder order);
StorageOrder read_storage_order(const SourceText& source, const Description& node);

/// Writes the setting `reproducible=yes` of a reproducible stage.
void add_reproducible(Document& document, bool is_reproducible);
bool read_reproducible(const SourceText& source, const Field& setting);

/// Throws the problems of a text as one user Error.
void refuse_problems(const SourceText& source, const std::vector<std::string>& problems);

}  // namespace tessera::ir
