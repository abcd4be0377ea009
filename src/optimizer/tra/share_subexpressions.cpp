#include "optimizer/tra/share_subexpressions.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "kernels/leaf_order.h"
#include "optimizer/einsum/scalar_rewrite.h"

namespace tessera::optimizer {

namespace {

using expr::LabelNumber;

/// A program's expressions in one builder, so that equal ones are one node, after its arguments.
struct Expressions {
  expr::ScalarBuilder builder;
  std::vector<std::vector<int32_t>> roots;  // by statement, by body
  std::vector<std::vector<size_t>> users;   // by node: the statements that compute it, in order
};

Expressions expressions_of(const expr::TileProgram& program) {
  Expressions all;
  int32_t last = -1;
  for (const expr::TileStatement& statement : program.statements) {
    all.roots.emplace_back();
    for (const expr::Scalar& body : statement.bodies) {
      all.roots.back().push_back(all.builder.inline_scalar(body, {}));
      last = std::max(last, all.roots.back().back());
    }
  }
  all.users.resize(static_cast<size_t>(last) + 1);
  for (size_t statement = 0; statement < all.roots.size(); ++statement) {
    std::vector<bool> is_needed(all.users.size(), false);
    const auto need = [&](int32_t node) { is_needed[static_cast<size_t>(node)] = true; };
    std::for_each(all.roots[statement].begin(), all.roots[statement].end(), need);
    for (size_t node = all.users.size(); node-- > 0;) {
      if (is_needed[node]) {
        all.users[node].push_back(statement);
        expr::for_each_argument(all.builder.node(static_cast<int32_t>(node)), need);
      }
    }
  }
  return all;
}

bool can_be_shared(const Expressions& all, int32_t number) {
  const expr::Node& node = all.builder.node(number);
  const bool is_stored_as_computed = compute_type(node.dtype) == node.dtype;
  return expr::is_computed(node) && is_stored_as_computed &&
         all.users[static_cast<size_t>(number)].size() > 1 &&
         !expr::accesses_of(all.builder.finish(number)).empty();
}

/// A rewrite of a program that computes one expression once.
class Sharing {
 public:
  Sharing(const expr::TileProgram& program, const Expressions& all, int32_t shared)
      : program_(program),
        all_(all),
        shared_(shared),
        first_user_(all.users[static_cast<size_t>(shared)].front()),
        scalar_(all.builder.finish(shared)),
        labels_(labels_in(scalar_)),
        operand_(std::accumulate(
            program.statements.begin(),
            program.statements.begin() + static_cast<std::ptrdiff_t>(first_user_),
            program.num_inputs, [](int32_t sum, const expr::TileStatement& statement) {
              return sum + static_cast<int32_t>(statement.bodies.size());
            })) {
    find_maker();
  }

  expr::TileProgram program() {
    rewrite_nodes();
    expr::TileProgram made{program_.labels, program_.num_inputs, {}};
    for (size_t number = 0; number < program_.statements.size(); ++number) {
      if (number == first_user_ && !has_maker_) {
        made.statements.push_back({labels_, {scalar_}});
      }
      expr::TileStatement statement = program_.statements[number];
      const bool is_maker = number == first_user_ && has_maker_;
      for (size_t body = 0; body < statement.bodies.size() && !is_maker; ++body) {
        const int32_t root = all_.roots[number][body];
        statement.bodies[body] = rewritten_.finish(where_[static_cast<size_t>(root)]);
      }
      made.statements.push_back(std::move(statement));
    }
    return made;
  }

 private:
  /// Makes the first user the statement to read, if one of its results is just the expression.
  void find_maker() {
    const expr::TileStatement& first = program_.statements[first_user_];
    const std::vector<int32_t>& roots = all_.roots[first_user_];
    const auto root = std::find(roots.begin(), roots.end(), shared_);
    const bool has_labels =
        std::is_permutation(first.out.begin(), first.out.end(), labels_.begin(), labels_.end());
    has_maker_ = expr::is_map(first) && has_labels && root != roots.end();
    if (has_maker_) {
      labels_ = first.out;
      operand_ += static_cast<int32_t>(root - roots.begin());
    }
  }

  /// Rewrites every node to read the shared one, and renumbers operands behind a new statement.
  void rewrite_nodes() {
    expr::Access access{operand_, {}};
    for (const LabelNumber label : labels_) {
      access.index.push_back(expr::plain(label));
    }
    for (size_t number = 0; number < all_.users.size(); ++number) {
      expr::Node node = all_.builder.node(static_cast<int32_t>(number));
      if (static_cast<int32_t>(number) == shared_) {
        node.op = access;
      } else if (auto* read = std::get_if<expr::Access>(&node.op)) {
        read->operand += !has_maker_ && read->operand >= operand_ ? 1 : 0;
      }
      where_.push_back(rewritten_.add(expr::with_arguments(std::move(node), where_)));
    }
  }

  const expr::TileProgram& program_;
  const Expressions& all_;
  int32_t shared_;
  size_t first_user_;
  expr::Scalar scalar_;
  std::vector<LabelNumber> labels_;
  int32_t operand_;  // that holds the shared expression
  bool has_maker_ = false;
  expr::ScalarBuilder rewritten_;
  std::vector<int32_t> where_;  // in rewritten_, by node
};

/// Returns, by reduction with a leaf, true if its leaves are chains.
std::vector<bool> chains_of(const expr::TileProgram& program) {
  std::vector<bool> are_chains;
  for (const expr::TileStatement& statement : program.statements) {
    if (expr::stated_leaf(statement) != nullptr) {
      const expr::TileProgram alone{program.labels, program.num_inputs, {statement}};
      are_chains.push_back(static_cast<bool>(kernels::chain_of(alone)));
    }
  }
  return are_chains;
}

/// The form of an expression: itself without its operands, the number of statements that compute
/// it, and if it is all that the first of them computes.
struct Form {
  expr::Scalar scalar;
  size_t num_users = 0;
  bool is_result = false;
  friend bool operator==(const Form&, const Form&) = default;
};

Form form_of(const Expressions& all, int32_t node) {
  const std::vector<size_t>& users = all.users[static_cast<size_t>(node)];
  const std::vector<int32_t>& results = all.roots[users.front()];
  const bool is_result = std::find(results.begin(), results.end(), node) != results.end();
  Form form{all.builder.finish(node), users.size(), is_result};
  expr::for_each_access(form.scalar, [](expr::Access& access, DType) { access.operand = 0; });
  return form;
}

bool contains(const std::vector<Form>& forms, const Form& form) {
  return std::find(forms.begin(), forms.end(), form) != forms.end();
}

/// A pass that shares the expressions of a program one after the other. A long chain of statements
/// has the same expression at every step, and pricing takes longer for a longer program: one
/// verdict holds for all expressions of a form.
class SharingAll {
 public:
  SharingAll(expr::TileProgram program, const IsBetter& is_better)
      : program_(std::move(program)), is_better_(is_better) {}

  expr::TileProgram run() && {
    while (share_one()) {
    }
    return std::move(program_);
  }

 private:
  /// Shares one expression if that is better. Returns true if it did.
  bool share_one() {
    const Expressions all = expressions_of(program_);
    for (auto node = static_cast<int32_t>(all.users.size()); node-- > 0;) {
      if (!can_be_shared(all, node)) {
        continue;
      }
      const Form form = form_of(all, node);
      if (contains(worse_, form)) {
        continue;
      }
      expr::TileProgram made = Sharing(program_, all, node).program();
      if (chains_of(program_) != chains_of(made)) {
        continue;
      }
      const bool is_known = contains(better_, form);
      if (is_known || is_better_(program_, made)) {
        if (!is_known) {
          better_.push_back(form);
          worse_.clear();  // they may pay beside the shared one
        }
        program_ = std::move(made);
        return true;
      }
      worse_.push_back(form);
    }
    return false;
  }

  expr::TileProgram program_;
  const IsBetter& is_better_;
  std::vector<Form> better_;
  std::vector<Form> worse_;  // since the last that was found better
};

}  // namespace

expr::TileProgram share_subexpressions(expr::TileProgram program, const IsBetter& is_better) {
  return SharingAll(std::move(program), is_better).run();
}

}  // namespace tessera::optimizer
