#include "sql/versions.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/ranges.h>

#include "base/error.h"
#include "frontend/sql/parse.h"
#include "frontend/sql/rewrite.h"
#include "sql/statement_error.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

/// The query of a definition as one of a version: its indices have values, its columns their names.
SelectPtr instance_of(const DefineVersions& definition, const IndexValues& values) {
  Select query = *with_values(definition.query, values);
  // What VALUES alone gives has no names but those of the definition.
  for (FromItemPtr& item : query.from) {
    const auto* const inner = std::get_if<QueryReference>(&item->of);
    if (inner != nullptr && item->column_aliases.empty() && !inner->query->values.empty() &&
        inner->query->values.front().size() == definition.columns.size()) {
      FromItem named = *item;
      named.column_aliases = definition.columns;
      item = std::make_shared<const FromItem>(std::move(named));
    }
  }
  return std::make_shared<const Select>(std::move(query));
}

/// Does what a query of another text than the statement's asks for, which is where errors are.
template <class Do>
RelationPtr in_text(const SourceText& source, const Do& act) {
  try {
    return act();
  } catch (const database::SqlError& error) {
    throw shown_in(source, {0, static_cast<int64_t>(source.text.size())}, error, {});
  }
}

}  // namespace

Versions::Versions(database::Database& database, VersionLimits limits)
    : database_(database), limits_(limits) {}

void Versions::compile_with(QueryCompiler* compiler) {
  compiler_ = compiler;
  keeper_ = nullptr;
  definitions_.clear();
  versions_.clear();
  views_.clear();
  num_held_ = 0;
  most_held_ = {};
}

const std::vector<Versions::Definition>& Versions::definitions_of(const std::string& table) {
  const auto [place, is_new] = definitions_.try_emplace(table);
  if (is_new) {
    for (const std::string& text : database_.catalog().definitions(table)) {
      SourceText source{"definition of " + table, text};
      const std::vector<Statement> parsed = parse(source).value();
      place->second.push_back({std::get<DefineVersions>(parsed.at(0).of), std::move(source)});
    }
  }
  return place->second;
}

RelationPtr Versions::find_view(const std::string& name) {
  const auto known = views_.find(name);
  if (known != views_.end()) {
    return known->second;
  }
  const std::optional<std::string> text = database_.catalog().find_view(name);
  if (!text) {
    return nullptr;
  }
  const SourceText source{"view " + name, *text};
  const std::vector<Statement> parsed = parse(source).value();
  return views_[name] = in_text(
             source, [&] { return compiler_->compile(std::get<CreateView>(parsed.at(0).of)); });
}

RelationPtr Versions::find(const TableReference& table, SourceSpan) {
  if (table.version.empty()) {
    TESSERA_USER_CHECK(database_.catalog().definitions(table.table.text).empty() ||
                           database_.catalog().find_table(table.table.text).has_value(),
                       "{0} has versions: write which, {0}[…]", table.table.text);
    return find_view(table.table.text);
  }
  std::vector<Wanted> wanted;
  add_wanted(table, {}, wanted);
  TESSERA_USER_CHECK(!wanted.empty(), "the range of versions of {} is empty", table.table.text);
  if (num_computing_ == 0) {
    compute(in_order(wanted));
  }
  std::vector<RelationPtr> relations;
  for (const Wanted& version : wanted) {
    relations.push_back(versions_.at(version.name).relation);
  }
  return relations.size() == 1 ? relations.front() : compiler_->union_all(relations);
}

void Versions::expect(const SelectPtr& query) {
  if (num_computing_ > 0) {
    return;
  }
  std::vector<Wanted> wanted;
  for_each_table(query, [&](const TableReference& table, SourceSpan span) {
    if (!table.version.empty()) {
      at(span, [&] { add_wanted(table, span, wanted); });
    }
  });
  compute(in_order(wanted));
}

void Versions::add_wanted(const TableReference& table, SourceSpan span,
                          std::vector<Wanted>& wanted) {
  for (const VersionKey& key : versions_of(table, {})) {
    wanted.push_back({add_version(table.table.text, key), span});
    if (num_computing_ == 0) {
      ++versions_.at(wanted.back().name).num_readers;  // whoever asks
    }
  }
}

void Versions::want(const std::vector<TableReference>& tables) {
  std::vector<Wanted> wanted;
  for (const TableReference& table : tables) {
    add_wanted(table, {}, wanted);
  }
  compute(in_order(wanted));
}

Versions::Needed Versions::needed_for(const std::vector<TableReference>& tables) {
  std::vector<Wanted> wanted;
  for (const TableReference& table : tables) {
    add_wanted(table, {}, wanted);
  }
  Needed needed;
  for (const std::string& name : in_order(wanted)) {
    const Version& version = versions_.at(name);
    if (version.definition != nullptr) {
      ++needed.num_computed;
    } else {
      (version.stored_as == name ? needed.tables : needed.kept).push_back(name);
    }
  }
  return needed;
}

std::string Versions::add_version(const std::string& table, const VersionKey& key) {
  std::string name = version_name(table, key);
  if (versions_.count(name) != 0) {
    return name;
  }
  TESSERA_USER_CHECK(
      static_cast<int64_t>(versions_.size()) < limits_.most_versions,
      "{} needs more than {} versions of tables: a chain of definitions may have no end", name,
      limits_.most_versions);
  Version version;
  version.table = table;
  version.key = key;
  if (database_.catalog().find_table(name)) {
    version.stored_as = name;
  } else if (std::optional<std::string> kept =
                 keeper_ == nullptr ? std::nullopt : keeper_->find(name)) {
    version.stored_as = std::move(*kept);
  } else {
    const std::vector<Definition>& definitions = definitions_of(table);
    TESSERA_USER_CHECK(!definitions.empty(), "there are no versions of {}", table);
    for (const Definition& definition : definitions) {
      if (std::optional<IndexValues> found = match(definition.syntax.indices, key)) {
        TESSERA_USER_CHECK(version.definition == nullptr, "two definitions cover {}:\n  {}\n  {}",
                           name, version.definition->source.text, definition.source.text);
        version.definition = &definition;
        version.values = std::move(*found);
      }
    }
    TESSERA_USER_CHECK(version.definition != nullptr, "no definition covers {}", name);
  }
  versions_.emplace(name, std::move(version));
  return name;
}

std::vector<std::string> Versions::in_order(const std::vector<Wanted>& wanted) {
  // From the versions that are asked for to those they read, without recursion: chains may be long.
  struct Open {
    std::string name;
    size_t next = 0;  // of its reads
  };
  std::vector<std::string> order;
  std::set<std::string> done;
  std::set<std::string> on_path;
  std::vector<Open> path;
  const auto enter = [&](const std::string& name) {
    Version& version = versions_.at(name);
    if (version.relation == nullptr && version.definition != nullptr && version.reads.empty()) {
      std::set<std::string> reads;
      for_each_table(instance_of(version.definition->syntax, version.values),
                     [&](const TableReference& table, SourceSpan) {
                       for (const VersionKey& key : table.version.empty()
                                                        ? std::vector<VersionKey>()
                                                        : versions_of(table, {})) {
                         reads.insert(add_version(table.table.text, key));
                       }
                     });
      versions_.at(name).reads.assign(reads.begin(), reads.end());
    }
    on_path.insert(name);
    path.push_back({name, 0});
  };
  const auto add_from = [&](const std::string& start) {
    enter(start);
    while (!path.empty()) {
      Open& open = path.back();
      const std::vector<std::string>& reads = versions_.at(open.name).reads;
      if (open.next == reads.size()) {
        order.push_back(open.name);
        done.insert(open.name);
        on_path.erase(open.name);
        path.pop_back();
        continue;
      }
      const std::string name = reads[open.next++];
      if (on_path.count(name) != 0) {
        std::vector<std::string> cycle;
        for (size_t place = path.size(); place-- > 0 && (cycle.empty() || cycle.back() != name);) {
          cycle.push_back(path[place].name);
        }
        cycle.insert(cycle.begin(), name);
        throw_error(ErrorKind::user, "{} depends on itself: {}", name,
                    fmt::join(std::vector<std::string>(cycle.rbegin(), cycle.rend()), " reads "));
      }
      if (done.count(name) == 0) {
        enter(name);
      }
    }
  };
  for (const Wanted& start : wanted) {
    if (done.count(start.name) == 0) {
      at(start.span, [&] { add_from(start.name); });
    }
  }
  for (const std::string& name : order) {
    if (versions_.at(name).relation == nullptr) {
      for (const std::string& read : versions_.at(name).reads) {
        ++versions_.at(read).num_readers;
      }
    }
  }
  return order;
}

void Versions::compute(const std::vector<std::string>& order) {
  ++num_computing_;
  try {
    for (const std::string& name : order) {
      Version& version = versions_.at(name);
      if (version.relation != nullptr) {
        continue;
      }
      if (version.definition == nullptr) {
        version.relation = compiler_->find_table({Name{version.stored_as, {}}, {}, false}, {});
      } else {
        const DefineVersions& definition = version.definition->syntax;
        const auto purpose =
            compiler_->random_keys().exchange({name + " " + version.definition->source.text, 0});
        version.relation = in_text(version.definition->source, [&] {
          return compiler_->compile_named(instance_of(definition, version.values),
                                          definition.columns);
        });
        compiler_->random_keys().exchange(purpose);
      }
      for (const RelationColumn& column : version.relation->columns) {
        if (column.tensor) {
          compiler_->program().call(column.tensor->name, name + "." + column.name);
        }
      }
      note_held();
      release_reads(name);
      if (is_time_to_compute()) {
        compute_tensors();
      }
    }
  } catch (...) {
    --num_computing_;
    throw;
  }
  --num_computing_;
}

void Versions::note_held() {
  constexpr size_t kMostNames = 8;
  if (++num_held_ <= most_held_.count) {
    return;
  }
  most_held_ = {num_held_, {}};
  for (auto held = versions_.begin(); held != versions_.end(); ++held) {
    if (held->second.relation != nullptr && most_held_.names.size() < kMostNames) {
      most_held_.names.push_back(held->first);
    }
  }
}

void Versions::release_reads(const std::string& name) {
  const std::vector<std::string> reads = std::exchange(versions_.at(name).reads, {});
  for (const std::string& read : reads) {
    const auto version = versions_.find(read);
    if (--version->second.num_readers == 0) {
      versions_.erase(version);  // of long chains nothing may stay
      --num_held_;
    }
  }
}

bool Versions::is_time_to_compute() {
  const TensorProgram& program = compiler_->program();
  return program.is_full() || (keeper_ != nullptr && keeper_->is_due(program.num_statements()));
}

void Versions::keep_held() {
  if (keeper_ == nullptr) {
    return;
  }
  std::vector<std::pair<std::string, RelationPtr>> held;
  for (const auto& [name, version] : versions_) {
    if (version.relation != nullptr && version.stored_as != name) {
      held.emplace_back(name, version.relation);
    }
  }
  for (const auto& [name, table] : keeper_->keep(held)) {
    Version& version = versions_.at(name);
    version.stored_as = table;
    version.relation = compiler_->find_table({Name{table, {}}, {}, false}, {});
  }
}

void Versions::compute_tensors() {
  compiler_->program().keep_held(compiler_->control());
  keep_held();
  compiler_->program().forget_unheld();
}

}  // namespace tessera::sql
