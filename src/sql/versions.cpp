#include "sql/versions.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "frontend/sql/parse.h"
#include "frontend/sql/rewrite.h"
#include "sql/in_text.h"

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

}  // namespace

Versions::Versions(database::Database& database, VersionLimits limits)
    : database_(database), versions_(*this, limits.most_versions) {}

void Versions::compile_with(QueryCompiler* compiler) {
  compiler_ = compiler;
  keeper_ = nullptr;
  definitions_.clear();
  definitions_of_.clear();
  versions_.clear();
  stored_as_.clear();
  held_.clear();
  views_.clear();
  most_held_ = {};
}

const std::vector<uint32_t>& Versions::definitions_of(const std::string& table) {
  const auto [place, is_new] = definitions_of_.try_emplace(table);
  if (is_new) {
    for (const std::string& text : database_.catalog().definitions(table)) {
      SourceText source{"definition of " + table, text};
      const std::vector<Statement> parsed = parse(source).value();
      place->second.push_back(static_cast<uint32_t>(definitions_.size()));
      definitions_.push_back({std::get<DefineVersions>(parsed.at(0).of), std::move(source)});
    }
  }
  return place->second;
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
    const auto held = held_.find(versions_.name(version.version));
    relations.push_back(held == held_.end() ? nullptr : held->second.relation);
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
    const VersionId version = versions_.add(table.table.text, key);
    wanted.push_back({version, span});
    if (num_computing_ == 0) {
      versions_.add_reader(version);  // whoever asks
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
  for (const VersionId version : in_order(wanted)) {
    if (versions_.definition(version)) {
      ++needed.num_computed;
    } else {
      const std::string name = versions_.name(version);
      (stored_as_.at(version) == name ? needed.tables : needed.kept).push_back(name);
    }
  }
  return needed;
}

std::optional<uint32_t> Versions::find(VersionId version) {
  const std::string name = versions_.name(version);
  std::optional<std::string> stored_as;
  if (database_.catalog().find_table(name)) {
    stored_as = name;
  } else if (keeper_ != nullptr) {
    stored_as = keeper_->find(name);
  }
  if (stored_as) {
    stored_as_[version] = std::move(*stored_as);
    return std::nullopt;
  }
  const std::string table = versions_.table(version);
  const std::vector<uint32_t>& definitions = definitions_of(table);
  TESSERA_USER_CHECK(!definitions.empty(), "there are no versions of {}", table);
  std::optional<uint32_t> found;
  for (const uint32_t number : definitions) {
    const Definition& definition = definitions_[number];
    if (match(definition.syntax.indices, versions_.key(version))) {
      TESSERA_USER_CHECK(!found, "two definitions cover {}:\n  {}\n  {}", name,
                         definitions_[*found].source.text, definition.source.text);
      found = number;
    }
  }
  TESSERA_USER_CHECK(found.has_value(), "no definition covers {}", name);
  return found;
}

SelectPtr Versions::query_of(VersionId version, uint32_t definition) const {
  const DefineVersions& syntax = definitions_[definition].syntax;
  return instance_of(syntax, *match(syntax.indices, versions_.key(version)));
}

void Versions::for_each_read(VersionId version, uint32_t definition, const VisitRead& visit) {
  for_each_table(query_of(version, definition), [&](const TableReference& table, SourceSpan) {
    for (const VersionKey& key :
         table.version.empty() ? std::vector<VersionKey>() : versions_of(table, {})) {
      visit(table.table.text, key);
    }
  });
}

std::vector<VersionId> Versions::in_order(const std::vector<Wanted>& wanted) {
  std::vector<VersionId> order;
  for (const Wanted& start : wanted) {
    at(start.span, [&] { versions_.append(start.version, order); });
  }
  versions_.end(order);
  return order;
}

void Versions::compute(const std::vector<VersionId>& order) {
  ++num_computing_;
  compiler_->program().set_unrolled(true);
  try {
    for (const VersionId version : order) {
      if (!versions_.is_computed(version)) {
        compute(version);
        note_held();
        versions_.release_reads(version, [&](VersionId read) {
          held_.erase(versions_.name(read));
          stored_as_.erase(read);
        });
        if (is_time_to_compute()) {
          compute_tensors();
        }
      }
    }
  } catch (...) {
    end_computing();
    throw;
  }
  end_computing();
}

void Versions::end_computing() {
  compiler_->program().set_unrolled(--num_computing_ > 0);
}

void Versions::compute(VersionId version) {
  const std::string name = versions_.name(version);
  const std::optional<uint32_t> number = versions_.definition(version);
  RelationPtr relation;
  if (!number) {
    relation = compiler_->find_table({Name{stored_as_.at(version), {}}, {}, false}, {});
  } else {
    const Definition& definition = definitions_[*number];
    const auto purpose =
        compiler_->random_keys().exchange({name + " " + definition.source.text, 0});
    relation = in_text(definition.source, compiler_->program(), [&] {
      return compiler_->compile_named(query_of(version, *number), definition.syntax.columns);
    });
    compiler_->random_keys().exchange(purpose);
  }
  for (const RelationColumn& column : relation->columns) {
    if (column.tensor) {
      compiler_->program().call(column.tensor->name, name + "." + column.name);
    }
  }
  versions_.set_computed(version);
  held_[name] = {version, std::move(relation)};
}

void Versions::note_held() {
  constexpr size_t kMostNames = 8;
  const auto num_held = static_cast<int64_t>(held_.size());
  if (num_held <= most_held_.count) {
    return;
  }
  most_held_ = {num_held, {}};
  for (auto held = held_.begin(); held != held_.end() && most_held_.names.size() < kMostNames;
       ++held) {
    most_held_.names.push_back(held->first);
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
  for (const auto& [name, version] : held_) {
    const auto stored_as = stored_as_.find(version.version);
    if (stored_as == stored_as_.end() || stored_as->second != name) {
      held.emplace_back(name, version.relation);
    }
  }
  for (const auto& [name, table] : keeper_->keep(held)) {
    HeldVersion& version = held_.at(name);
    stored_as_[version.version] = table;
    version.relation = compiler_->find_table({Name{table, {}}, {}, false}, {});
  }
}

void Versions::compute_tensors() {
  compiler_->program().keep_held(compiler_->control());
  keep_held();
  compiler_->program().forget_unheld();
}

}  // namespace tessera::sql
