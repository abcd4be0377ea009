#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "expr/monoid.h"
#include "expr/scalar.h"

namespace tessera::expr {

/// A label of a tile program and its extent in the whole tensor.
struct LabelDecl {
  std::string name;
  int64_t extent = 0;
  friend bool operator==(const LabelDecl&, const LabelDecl&) = default;
};

/// True if a table of labels has one of that number.
bool has_label(const std::vector<LabelDecl>& labels, LabelNumber label);

/// The unit of a reduction in a stated order: `length` positions of a reduced label (a power of
/// two), with the other reduced labels whole. kernels/leaf_order.h defines the order within leaves
/// and between them.
struct Leaf {
  LabelNumber label = 0;
  int64_t length = 1;
  friend bool operator==(const Leaf&, const Leaf&) = default;
};

/// The statement whose bodies each are a result of their own.
struct Map {
  friend bool operator==(const Map&, const Map&) = default;
};

/// The statement whose results are the state of a monoid, merged over labels that the result lacks.
/// With a `leaf` the order of the reduction is stated; without one it is the kernel's own.
struct Reduce {
  Monoid monoid;
  std::vector<LabelNumber> over;
  std::optional<Leaf> leaf = std::nullopt;
  friend bool operator==(const Reduce&, const Reduce&) = default;
};

/// The statement whose results are the running states of a monoid along a label of the result: at
/// each position, the merge of all positions before it, in their order, and of the position itself
/// unless the scan is exclusive. A backward scan runs from the last position to the first, and
/// merges its state from the left: combine(state, element).
struct Scan {
  enum class Direction : uint8_t { forward, backward };

  Monoid monoid;
  LabelNumber along = 0;
  Direction direction = Direction::forward;
  bool is_exclusive = false;
  friend bool operator==(const Scan&, const Scan&) = default;
};

/// The statement whose result is a function of whole arrays: the body is a call of it
/// (Function::core) whose arguments are operands, read at labels alone. `core` are its labels in
/// the function's order, which no call of a kernel cuts; those that the result lacks are `over`.
struct Whole {
  std::vector<LabelNumber> core;
  std::vector<LabelNumber> over;
  friend bool operator==(const Whole&, const Whole&) = default;
};

/// One assignment: out[labels] = what(body).
///
/// A Map has any number of bodies, a Whole has one. A Reduce and a Scan have one per entry of the
/// monoid's state (lift is written into them), and one result per entry. Label numbers point into
/// the program's table.
struct TileStatement {
  std::vector<LabelNumber> out;
  std::vector<Scalar> bodies;
  std::variant<Map, Reduce, Scan, Whole> what = Map{};
  friend bool operator==(const TileStatement&, const TileStatement&) = default;
};

bool is_map(const TileStatement& statement);
/// Returns the reduction of a statement; null if it is none.
const Reduce* reduction_of(const TileStatement& statement);
/// Returns the scan of a statement; null if it is none.
const Scan* scan_of(const TileStatement& statement);
/// Returns the call of a function of whole arrays; null if the statement is none.
const Whole* whole_of(const TileStatement& statement);
/// Returns the monoid that merges the statement's states; null if it merges nothing.
const Monoid* monoid_of(const TileStatement& statement);
/// Returns the labels that a statement runs over and its result lacks.
const std::vector<LabelNumber>& reduced_labels(const TileStatement& statement);
/// Returns the leaf of a reduction in a stated order; null if there is none.
const Leaf* stated_leaf(const TileStatement& statement);

/// Calls visit(label) for every label that a statement names outside of its bodies: those of the
/// result, then those of its operation. If the statement is not const, visit may change the label.
template <SameBut<TileStatement> AnyStatement, class Visit>
void for_each_label(AnyStatement& statement, Visit visit) {
  for (auto& label : statement.out) {
    visit(label);
  }
  std::visit(Overload{[](SameBut<Map> auto&) {},
                      [&](SameBut<Reduce> auto& reduce) {
                        for (auto& label : reduce.over) {
                          visit(label);
                        }
                        if (reduce.leaf) {
                          visit(reduce.leaf->label);
                        }
                      },
                      [&](SameBut<Scan> auto& scan) { visit(scan.along); },
                      [&](SameBut<Whole> auto& whole) {
                        for (auto& label : whole.core) {
                          visit(label);
                        }
                        for (auto& label : whole.over) {
                          visit(label);
                        }
                      }},
             statement.what);
}

/// Calls visit(access, dtype) for every access of a statement's bodies, in their order.
template <class Visit>
void for_each_access(const TileStatement& statement, Visit visit) {
  for (const Scalar& body : statement.bodies) {
    for_each_access(body, visit);
  }
}

/// The program that a task computes on its tiles: the same small einsum the user wrote over whole
/// tensors.
///
/// Operands 0..num_inputs-1 are the input tiles; the results of the statements follow in order, so
/// a statement may read earlier results. The results of the last statement are the output tiles. A
/// label runs over the part of its extent that the call names (kernels/kernel.h), so index() is
/// that of the whole tensor.
struct TileProgram {
  std::vector<LabelDecl> labels;
  int32_t num_inputs = 0;
  std::vector<TileStatement> statements;
  friend bool operator==(const TileProgram&, const TileProgram&) = default;
};

/// Calls visit(access, dtype) for every access of a program, statement after statement.
template <class Visit>
void for_each_access(const TileProgram& program, Visit visit) {
  for (const TileStatement& statement : program.statements) {
    for_each_access(statement, visit);
  }
}

/// Returns the labels of the first list that are not in the other, in their order.
std::vector<LabelNumber> labels_without(std::vector<LabelNumber> labels,
                                        const std::vector<LabelNumber>& others);

/// Returns the number of the label with that name, or -1.
LabelNumber find_label(const TileProgram& program, const std::string& name);

/// Returns the dtypes of the output tiles: one per body of the last statement.
std::vector<DType> output_dtypes(const TileProgram& program);

/// Makes out[l] = combine(x0[l], x1[l]) for every state entry: merges the second n inputs into the
/// first n.
TileProgram combine_program(const Monoid& monoid, const std::vector<LabelDecl>& labels);

}  // namespace tessera::expr
