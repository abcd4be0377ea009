#include "sql/executor.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include <fmt/ranges.h>

#include "base/error.h"
#include "base/overload.h"
#include "base/temporary_file.h"
#include "database/sql_error.h"
#include "io/unnamed_array.h"
#include "sql/copied_rows.h"
#include "sql/explain.h"
#include "sql/in_order.h"
#include "sql/nan_functions.h"
#include "sql/nan_numbers.h"
#include "sql/number_functions.h"
#include "sql/postgres_functions.h"
#include "sql/statement_error.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

constexpr const char* kTransactionLost =
    "the transaction has ended with it: nothing since BEGIN was kept";

template <class T>
constexpr bool kOnlyReads = std::is_same_v<T, Query> || std::is_same_v<T, Explain>;

/// True if a statement changes nothing in the database. COPY … TO writes a file beside it.
bool only_reads(const Statement& statement) {
  return std::visit(Overload{[](const Execute& node) { return only_reads(*node.body); },
                             [](const Copy& node) { return !node.is_from; },
                             []<class T>(const T&) { return kOnlyReads<T>; }},
                    statement.of);
}

}  // namespace

Executor::Executor(database::Database& database, const engine::Session& session,
                   VersionLimits limits, Framing framing)
    : database_(database),
      session_(session),
      vocabulary_{tensor_functions_, session.functions(), session.aggregates()},
      limits_(limits),
      versions_(database, limits),
      framing_(std::move(framing)) {
  register_all_tensor_functions(tensor_functions_);
  define_number_functions(database.connection(), session.functions());
  define_nan_functions(database.connection());
  define_postgres_functions(database.connection());
  for (const database::PipeliningCount& count : database.catalog().pipelining()) {
    const auto producer = frames::kind_of(count.producer);
    const auto reader = frames::kind_of(count.reader);
    if (producer && reader) {
      framing_.history.add({*producer, *reader}, {count.seen, count.pipelined});
    }
  }
}

void Executor::keep_learned() {
  for (const auto& [pair, counts] : learned_.pipelining.counts()) {
    database_.catalog().add_pipelining(
        {name_of(pair.producer), name_of(pair.reader), counts.seen, counts.pipelined});
  }
  learned_.pipelining = {};
}

void Executor::execute(const Statement& statement, const engine::RunControl& control,
                       const Receiver& receive) {
  control_ = &control;
  receive_ = &receive;
  if (const auto* transaction = std::get_if<Transaction>(&statement.of)) {
    run(*transaction);
    return;
  }
  const bool begins = !is_in_transaction_;
  using Interrupts = database::Connection::Interrupts;
  database_.connection().watch(control.cancelled, begins ? Interrupts::all : Interrupts::reads);
  program_ =
      std::make_unique<TensorProgram>(session_, framing_, learned_, follower_, show_at_place);
  compiler_ = std::make_unique<QueryCompiler>(
      database_, *program_, vocabulary_, versions_, control,
      RandomKeys(seed_, fmt::format("statement {}", ++num_statements_)));
  compiler_->allow_steps(limits_.most_versions);
  versions_.compile_with(compiler_.get());
  try {
    if (!begins) {
      database_.begin_statement();
      if (!only_reads(statement) && !database_.is_writing()) {
        database_.go_on_to_write();
      }
    } else if (only_reads(statement)) {
      database_.begin();
    } else {
      database_.begin_to_write();
    }
    std::visit([&](const auto& node) { run(node); }, statement.of);
    if (!only_reads(statement)) {
      keep_learned();
    }
    versions_.compile_with(nullptr);
    compiler_.reset();
    if (begins) {
      database_.commit();
    } else {
      database_.end_statement();
    }
  } catch (Error& error) {
    undo(begins);
    if (!begins && !is_in_transaction_) {
      error.add_context(kTransactionLost);
    }
    throw;
  } catch (...) {
    undo(begins);
    throw;
  }
  database_.connection().watch(nullptr);
}

void Executor::undo(bool begins) {
  database_.connection().watch(nullptr);
  versions_.compile_with(nullptr);
  compiler_.reset();
  if (begins) {
    database_.roll_back();
  } else {
    is_in_transaction_ = database_.undo_statement();
  }
}

void Executor::run(const Transaction& statement) {
  if (statement.kind == Transaction::Kind::begin) {
    if (is_in_transaction_) {
      throw database::SqlError(database::SqlState::active_transaction,
                               Error(ErrorKind::user, "there is a transaction already"));
    }
    database_.begin();
    is_in_transaction_ = true;
    tag("BEGIN");
    return;
  }
  if (!is_in_transaction_) {
    throw database::SqlError(database::SqlState::no_active_transaction,
                             Error(ErrorKind::user, "there is no transaction"));
  }
  is_in_transaction_ = false;
  if (statement.kind == Transaction::Kind::commit) {
    try {
      database_.commit();
    } catch (Error& error) {
      error.add_context(kTransactionLost);
      throw;
    }
    tag("COMMIT");
  } else {
    database_.roll_back();
    tag("ROLLBACK");
  }
}

void Executor::give(const std::vector<RelationPtr>& relations) {
  using Tensors = std::map<size_t, std::shared_ptr<const store::TileSource>>;  // by column
  const std::string directory = session_.settings().spill_directory.value_or(temporary_directory());
  std::vector<Tensors> tensors(relations.size());
  int64_t room = kMostCopiedBytes;
  std::map<std::string, std::shared_ptr<io::UnnamedArray>> files;
  std::map<std::string, store::TileSink*> sinks;
  for (size_t number = 0; number < relations.size(); ++number) {
    const std::vector<RelationColumn>& columns = relations[number]->columns;
    for (size_t column = 0; column < columns.size(); ++column) {
      if (!columns[column].tensor) {
        continue;
      }
      std::shared_ptr<const store::TileSource>& made = tensors[number][column];
      made = copied_rows(*relations[number], columns[column], std::nullopt, *compiler_, room);
      if (made == nullptr) {
        const TensorRows rows =
            in_order(*relations[number], columns[column], std::nullopt, *compiler_);
        std::shared_ptr<io::UnnamedArray>& file = files[rows.name];  // two may want the same
        if (file == nullptr) {
          file = std::make_shared<io::UnnamedArray>(directory, flat_type_of(rows));
        }
        sinks[rows.name] = file.get();
        made = file;
      }
    }
  }
  if (!sinks.empty()) {
    program_->run(sinks, *control_);
  }
  for (auto& [name, file] : files) {
    file->commit(store::Durability::process);
  }
  for (size_t number = 0; number < relations.size(); ++number) {
    ResultRows rows(rows_of(database_.connection(), relations[number]), std::move(tensors[number]));
    (*receive_)({std::move(rows), "", ""});
  }
}

void Executor::run(const Query& statement) {
  std::variant<RowQuery, RelationPtr> result = compiler_->compile_result(statement.query);
  if (auto* const rows = std::get_if<RowQuery>(&result)) {
    (*receive_)({ResultRows(std::move(*rows), {}), "", ""});
  } else {
    give({std::get<RelationPtr>(result)});
  }
}

void Executor::run(const Explain& statement) {
  bool analyze = false;
  for (const Copy::Option& option : statement.options) {
    analyze = analyze ||
              (option.name.text == "analyze" && option.value != "false" && option.value != "off");
  }
  const auto* const query = std::get_if<Query>(&statement.statement->of);
  if (query == nullptr) {
    explain_versions(*statement.statement);
    return;
  }
  program_->note_runs();
  const RelationPtr relation = compiler_->compile(query->query);
  (*receive_)({std::nullopt, "", explain(*relation, *compiler_, versions_.most_held(), analyze)});
}

}  // namespace tessera::sql
