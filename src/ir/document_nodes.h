#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "base/source.h"
#include "ir/description.h"
#include "types/storage_order.h"

namespace tessera::ir {

/// Throws an Error for a place in a document, the user's where no other kind is said.
[[noreturn]] void fail_at(const SourceText& source, SourceSpan place, const std::string& message,
                          const std::string& help = "", ErrorKind kind = ErrorKind::user);

/// The document of a stage; throws a user Error where it is another's.
Document parse_stage(const SourceText& source, const std::string& stage);

/// "%7".
std::string node_name(int64_t number);
Field operand(int64_t number);

/// A description of an operator that has no operands yet.
Description operation(const std::string& op, std::vector<Field> parameters = {});

/// The line `output(%7) Y`.
Description describe_output(const std::string& name, int64_t node);

/// The parameter that stands without a name; throws a user Error where there is none.
const Field& what_of(const SourceText& source, const Description& node);

/// The parameter of a name; throws a user Error where there is none.
const Field& parameter_of(const SourceText& source, const Description& node,
                          const std::string& name);

/// Refuses parameters that the operator does not have.
void check_parameters(const SourceText& source, const Description& node,
                      const std::vector<std::string>& known);

/// The operands' numbers, each below `limit`.
std::vector<int32_t> parse_operands(const SourceText& source, const Description& node,
                                    int64_t limit);

/// The only operand; throws a user Error where there are more or none.
int32_t parse_operand(const SourceText& source, const Description& node, int64_t limit);

/// The parameter `stored=column_major` of an input; row-major is not written.
void add_storage_order(Description& node, StorageOrder order);
StorageOrder read_storage_order(const SourceText& source, const Description& node);

/// The setting `reproducible=yes` of a stage, where it holds.
void add_reproducible(Document& document, bool is_reproducible);
bool read_reproducible(const SourceText& source, const Field& setting);

/// Throws what a verifier found in a text as one user Error.
void refuse_problems(const SourceText& source, const std::vector<std::string>& problems);

}  // namespace tessera::ir
