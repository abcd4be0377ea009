#include "kernels/cpu/scan/scan_form.h"

#include <algorithm>
#include <utility>

#include "base/overload.h"

namespace tessera::kernels {

namespace {

using expr::LabelNumber;

/// Whether a loop can read the elements of an expression where they lie.
bool is_in_place(const expr::Scalar& body) {
  const std::vector<const expr::Access*> accesses = expr::accesses_of(body);
  return body.nodes.size() == 1 && accesses.size() == 1 &&
         std::all_of(accesses[0]->index.begin(), accesses[0]->index.end(), expr::is_plain_or_fixed);
}

std::vector<expr::Index> plain_indices(const std::vector<LabelNumber>& labels) {
  std::vector<expr::Index> index;
  for (const LabelNumber label : labels) {
    index.push_back(expr::plain(label));
  }
  return index;
}

/// Accesses of operands that follow each other, one for each entry of the state.
std::vector<int32_t> states_at(expr::ScalarBuilder& builder, const expr::Monoid& monoid,
                               int32_t first_operand, const std::vector<LabelNumber>& labels) {
  std::vector<int32_t> states;
  for (const DType dtype : monoid.state) {
    const int32_t operand = first_operand + static_cast<int32_t>(states.size());
    states.push_back(builder.access({operand, plain_indices(labels)}, dtype));
  }
  return states;
}

class Former {
 public:
  explicit Former(const expr::TileProgram& program) { form_.program = program; }

  OrRefusal<ScanForm> run() && {
    if (std::optional<Refusal> refusal = refusal_of()) {
      return *refusal;
    }
    take_start();
    add_elements();
    for (const expr::Scalar& body : form_.scan().bodies) {
      form_.elements.push_back(*expr::accesses_of(body).front());
    }
    return std::move(form_);
  }

 private:
  std::vector<expr::TileStatement>& statements() { return form_.program.statements; }

  std::optional<Refusal> refusal_of() {
    const bool is_scan = expr::scan_of(statements().front()) != nullptr;
    const expr::Reduce* reduce = expr::reduction_of(statements().front());
    const bool merges = reduce != nullptr && !reduce->monoid.is_commutative &&
                        reduce->over.size() == 1 && statements().size() == 1;
    if (!is_scan && !merges) {
      return Refusal{"it scans first, or merges in the order of one label"};
    }
    for (size_t number = 1; number < statements().size(); ++number) {
      const expr::TileStatement& statement = statements()[number];
      if (!expr::is_map(statement) || statement.out != statements().front().out ||
          statement.bodies.size() != 1) {
        return Refusal{"what follows its scan is computed element by element"};
      }
    }
    return std::nullopt;
  }

  /// Leaves out a second statement that the loops do.
  void take_start() {
    const expr::Scan* scan = expr::scan_of(form_.program.statements.front());
    if (scan == nullptr || statements().size() != 2) {
      return;
    }
    const std::vector<LabelNumber>& out = statements().front().out;
    const int32_t num_inputs = form_.program.num_inputs;
    const auto num_states = static_cast<int32_t>(scan->monoid.state.size());
    const int32_t first_start = num_inputs - num_states;
    expr::ScalarBuilder builder;
    std::vector<int32_t> states = states_at(builder, scan->monoid, num_inputs, out);
    const bool is_first = builder.finish(states[0]) == statements()[1].bodies[0];
    bool is_started = false;
    if (!is_first && first_start >= 0) {
      std::vector<LabelNumber> others = out;
      std::erase(others, scan->along);
      std::vector<int32_t> both = states_at(builder, scan->monoid, first_start, others);
      both.insert(both.end(), states.begin(), states.end());
      is_started = builder.finish(builder.inline_scalar(scan->monoid.combine[0], both)) ==
                   statements()[1].bodies[0];
    }
    for (int32_t entry = 0; is_started && entry < num_states; ++entry) {
      form_.start.push_back(first_start + entry);
    }
    if (is_first || is_started) {
      statements().pop_back();
    }
  }

  /// Elements that are computed are made by a statement before.
  void add_elements() {
    expr::TileStatement& scan = statements().front();
    if (std::all_of(scan.bodies.begin(), scan.bodies.end(), is_in_place)) {
      return;
    }
    const auto num_states = static_cast<int32_t>(scan.bodies.size());
    for (size_t number = 1; number < statements().size(); ++number) {
      expr::for_each_access(statements()[number].bodies[0], [&](expr::Access& access, DType) {
        access.operand += access.operand >= form_.program.num_inputs ? num_states : 0;
      });
    }
    expr::TileStatement elements;
    elements.out = form_.order();
    for (expr::Scalar& body : scan.bodies) {
      const int32_t operand =
          form_.program.num_inputs + static_cast<int32_t>(elements.bodies.size());
      expr::Scalar read = expr::scalar_of({operand, plain_indices(elements.out)}, body.dtype());
      elements.bodies.push_back(std::exchange(body, std::move(read)));
    }
    statements().insert(statements().begin(), std::move(elements));
    form_.scan_at = 1;
  }

  ScanForm form_;
};

}  // namespace

std::vector<expr::LabelNumber> ScanForm::order() const {
  std::vector<LabelNumber> order = expr::reduced_labels(scan());
  order.insert(order.end(), scan().out.begin(), scan().out.end());
  return order;
}

expr::LabelNumber ScanForm::along() const {
  const expr::Scan* scanned = expr::scan_of(scan());
  return scanned != nullptr ? scanned->along : expr::reduced_labels(scan()).front();
}

OrRefusal<ScanForm> scan_form(const expr::TileProgram& program) {
  return Former(program).run();
}

}  // namespace tessera::kernels
