#pragma once

#include <optional>
#include <vector>

#include "expr/function.h"
#include "expr/tile_program.h"

namespace tessera::tra {

/// A proof that a program makes the identity e of a monoid if some of its operands hold e in every
/// element, and nothing is known of the others. Only proven facts count: a function that e
/// annihilates (Function::annihilates), a merge of identities, and an expression of e and constants
/// whose value is e.
class Annihilation {
 public:
  /// Borrows its arguments, which outlive it.
  Annihilation(const expr::TileProgram& program, const expr::Monoid& monoid,
               const expr::FunctionRegistry& functions)
      : program_(program), monoid_(monoid), functions_(functions) {}

  /// True if it is proven. `holds_identity` is by operand of the program. Never for a monoid of
  /// several states: one array does not determine them.
  bool holds(const std::vector<bool>& holds_identity) const;

 private:
  /// The facts about an operand in every element, or about a node at every position.
  struct Known {
    bool is_identity = false;
    std::optional<double> value = std::nullopt;
  };

  Known of_statement(const expr::TileStatement& statement, const Known& body) const;
  Known of_scalar(const expr::Scalar& body, const std::vector<Known>& operands) const;
  Known of_access(const expr::Access& access, DType dtype, const Known& operand) const;
  Known of_call(const expr::Call& call, DType dtype, const std::vector<Known>& nodes) const;
  Known of_cast(DType from, DType to, const Known& argument) const;

  std::optional<double> identity_in(DType dtype) const;
  bool has_identity(DType dtype) const;
  Known with_value(std::optional<double> value, DType dtype) const;
  bool is_identity(const Literal& value, DType dtype) const;

  const expr::TileProgram& program_;
  const expr::Monoid& monoid_;
  const expr::FunctionRegistry& functions_;
};

}  // namespace tessera::tra
