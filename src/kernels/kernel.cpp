#include "kernels/kernel.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "base/overload.h"

namespace tessera::kernels {

std::string describe(Status status) {
  switch (status) {
    case Status::ok:
      return "no fault";
    case Status::integer_division_by_zero:
      return "an integer was divided by zero";
    case Status::negative_integer_power:
      return "an integer was raised to a negative power, which is no integer: convert first, "
             "f64(x)^y";
    case Status::out_of_range:
      return "an index lies outside the tensor it reads";
    case Status::no_such_group:
      return "the group of an element is negative or beyond the last one: say that there are more "
             "groups, or leave the element out, sum[n where ...]";
    case Status::no_distribution:
      return "a random number is drawn by parameters that no distribution has: probabilities and "
             "weights are not negative, of a row not all of them 0, and shapes are positive";
    case Status::singular_matrix:
      return "a matrix is singular: it has no inverse, and solves no equations";
    case Status::not_positive_definite:
      return "a matrix is not positive definite, so it has no Cholesky factor";
  }
  throw_error(ErrorKind::internal, "no such status: {}", static_cast<int>(status));
}

std::string describe(Status status, const DataFault& fault, const expr::TileProgram& program) {
  const expr::TileStatement& statement = program.statements.front();
  const expr::Whole* const whole = expr::whole_of(statement);
  std::string where;
  for (const expr::LabelNumber label :
       expr::labels_without(statement.out, whole == nullptr ? statement.out : whole->core)) {
    const auto number = static_cast<size_t>(label);
    where += fmt::format("{}{} = {}", where.empty() ? ", where " : ", ",
                         program.labels[number].name, fault.labels[number]);
  }
  return describe(status) + where;
}

namespace {

/// True if a node is an element of u64, or one that was made an index.
bool is_unsigned(const expr::Scalar& body, int32_t node) {
  const expr::Node* at = &body.nodes[static_cast<size_t>(node)];
  if (const auto* cast = std::get_if<expr::Cast>(&at->op)) {
    at = &body.nodes[static_cast<size_t>(cast->argument)];
  }
  return at->dtype == DType::u64;
}

std::string position_text(const DataFault& read) {
  return read.node >= 0 && is_unsigned(*read.body, read.node)
             ? fmt::format("{}", static_cast<uint64_t>(read.position))
             : fmt::format("{}", read.position);
}

}  // namespace

std::string describe(const DataFault& read, const expr::TileProgram& program,
                     const std::string& tensor) {
  std::string where;
  const std::vector<expr::LabelNumber> labels =
      read.node < 0 ? std::vector<expr::LabelNumber>() : expr::labels_below(*read.body, read.node);
  for (const expr::LabelNumber label : labels) {
    const auto number = static_cast<size_t>(label);
    where += fmt::format("{}{} = {}", where.empty() ? " where " : ", ", program.labels[number].name,
                         read.labels[number]);
  }
  return fmt::format("an index of {} is {}{}, but mode {} of {} has {}", tensor,
                     position_text(read), where, read.mode + 1, tensor,
                     read.extent == 0 ? std::string("no position")
                                      : fmt::format("the positions 0 to {}", read.extent - 1));
}

namespace {

bool reads_linearly(const expr::TileProgram& program) {
  for (const expr::TileStatement& statement : program.statements) {
    for (const expr::Scalar& body : statement.bodies) {
      for (const expr::Node& node : body.nodes) {
        const auto* access = std::get_if<expr::Access>(&node.op);
        if (access != nullptr &&
            !std::all_of(access->index.begin(), access->index.end(), expr::is_linear)) {
          return false;
        }
      }
    }
  }
  return true;
}

/// Returns the reason that a kernel is not shown a statement of this kind.
std::optional<Refusal> refusal_of(const expr::TileStatement& statement, const Takes& takes) {
  using Answer = std::optional<Refusal>;
  return std::visit(
      Overload{[](const expr::Map&) -> Answer { return std::nullopt; },
               [&](const expr::Reduce& reduce) -> Answer {
                 if (reduce.leaf && !takes.leaves) {
                   return Refusal{"it reduces in an order of its own, not leaf by leaf"};
                 }
                 if (!reduce.monoid.is_commutative && !takes.every_monoid) {
                   return Refusal{"it reduces in an order of its own, which " + reduce.monoid.name +
                                  " does not allow"};
                 }
                 return std::nullopt;
               },
               [&](const expr::Scan&) -> Answer {
                 return takes.scans ? std::nullopt : Answer(Refusal{"it runs no scans"});
               },
               [&](const expr::Whole&) -> Answer {
                 return takes.whole ? std::nullopt
                                    : Answer(Refusal{"it calls no functions of whole arrays"});
               }},
      statement.what);
}

}  // namespace

std::optional<Refusal> Takes::refusal(const expr::TileProgram& program,
                                      const CallShape& shape) const {
  for (const expr::TileStatement& statement : program.statements) {
    if (std::optional<Refusal> refusal = refusal_of(statement, *this)) {
      return refusal;
    }
  }
  if (!every_index && !reads_linearly(program)) {
    return Refusal{"it reads at sums of labels only: no gathered index, boundary or divisor"};
  }
  if (!several_statements && program.statements.size() != 1) {
    return Refusal{
        fmt::format("it runs one statement, the program has {}", program.statements.size())};
  }
  if (shape.accumulate && expr::reduction_of(program.statements.back()) == nullptr) {
    return Refusal{"there is no aggregate to accumulate with"};
  }
  return std::nullopt;
}

OrRefusal<KernelPlan> Kernel::read(const expr::TileProgram& program, const CallShape& shape,
                                   const Context& context) const {
  std::optional<Refusal> refusal = takes.refusal(program, shape);
  return refusal ? std::move(*refusal) : reader(program, shape, context);
}

}  // namespace tessera::kernels
