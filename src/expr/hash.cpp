#include "expr/hash.h"

#include <functional>
#include <string>

namespace tessera::expr {

namespace {

/// Hashes a constant. Equal constants have equal hashes, and few others have the same text.
size_t hash_of(const Constant& constant) {
  return std::hash<std::string>{}(to_string(constant.value));
}
size_t hash_of(const Call& call) {
  return std::hash<std::string>{}(call.function);
}
size_t hash_of(const Access& access) {
  return static_cast<size_t>(access.operand);
}
size_t hash_of(const IndexOf&) {
  return 0;
}
size_t hash_of(const Parameter& parameter) {
  return static_cast<size_t>(parameter.position);
}
size_t hash_of(const Cast&) {
  return 0;
}

}  // namespace

size_t hash_of(const Scalar& scalar) {
  size_t hash = scalar.nodes.size();
  for (const Node& node : scalar.nodes) {
    hash = mixed(hash, node.op.index());
    hash = mixed(hash, static_cast<size_t>(node.dtype));
    hash = mixed(hash, std::visit([](const auto& op) { return hash_of(op); }, node.op));
  }
  return hash;
}

size_t hash_of(const TileProgram& program) {
  size_t hash = static_cast<size_t>(program.num_inputs);
  for (const LabelDecl& label : program.labels) {
    hash = mixed(hash, std::hash<std::string>{}(label.name));
    hash = mixed(hash, static_cast<size_t>(label.extent));
  }
  for (const TileStatement& statement : program.statements) {
    hash = mixed(hash, statement.what.index());
    hash = mixed(hash, statement.out.size());
    for (const Scalar& body : statement.bodies) {
      hash = mixed(hash, hash_of(body));
    }
  }
  return hash;
}

}  // namespace tessera::expr
