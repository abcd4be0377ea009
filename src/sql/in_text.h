#pragma once

#include <cstdint>
#include <memory>

#include "base/source.h"
#include "database/sql_error.h"
#include "sql/relation.h"
#include "sql/statement_error.h"
#include "sql/tensor_part.h"

namespace tessera::sql {

/// Does what a query of another text than the statement's asks for, which is where errors are.
template <class Do>
RelationPtr in_text(const SourceText& source, TensorProgram& program, const Do& act) {
  const PlaceOfStatements place(program, std::make_shared<const SourceText>(source));
  try {
    return act();
  } catch (const database::SqlError& error) {
    throw shown_in(source, {0, static_cast<int64_t>(source.text.size())}, error, {});
  }
}

}  // namespace tessera::sql
