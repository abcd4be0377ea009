#include "kernels/cpu/scan/scan_form.h"

#include <algorithm>
#include <utility>

#include "base/overload.h"
#include "kernels/scan_start.h"

namespace tessera::kernels {

namespace {

using expr::LabelNumber;

/// True if a scan can read the elements of an expression in place.
bool is_in_place(const expr::Scalar& body) {
  const std::vector<const expr::Access*> accesses = expr::accesses_of(body);
  return body.nodes.size() == 1 && accesses.size() == 1 &&
         std::all_of(accesses[0]->index.begin(), accesses[0]->index.end(), expr::is_plain_or_fixed);
}

/// Returns the number that an expression is; null if it is none.
const Literal* number_of(const expr::Scalar& body) {
  const auto* constant = std::get_if<expr::Constant>(&body.nodes[0].op);
  return body.nodes.size() == 1 && constant != nullptr ? &constant->value : nullptr;
}

class Former {
 public:
  Former(const expr::TileProgram& program, Isa isa) : isa_(isa) { form_.program = program; }

  OrRefusal<ScanForm> run() && {
    if (std::optional<Refusal> refusal = refusal_of()) {
      return *refusal;
    }
    if (std::optional<Refusal> refusal = take_result()) {
      return *refusal;
    }
    choose_loop();
    if (form_.loop) {
      add_elements_of_loop();
    } else {
      add_elements();
    }
    return std::move(form_);
  }

 private:
  std::vector<expr::TileStatement>& statements() { return form_.program.statements; }
  size_t num_states() { return form_.monoid().state.size(); }

  std::optional<Refusal> refusal_of() {
    const bool is_scan = expr::scan_of(statements().front()) != nullptr;
    const expr::Reduce* reduce = expr::reduction_of(statements().front());
    const bool merges =
        reduce != nullptr && !reduce->monoid.is_commutative && reduce->over.size() == 1;
    if (!is_scan && !merges) {
      return Refusal{"it scans first, or merges in the order of one label"};
    }
    for (size_t number = 1; number < statements().size(); ++number) {
      const expr::TileStatement& statement = statements()[number];
      if (!expr::is_map(statement) || statement.out != statements().front().out) {
        return Refusal{"what follows its scan is computed element by element"};
      }
    }
    return std::nullopt;
  }

  /// Starts from the state before the tile, if the program has one.
  void take_start() {
    const expr::Scan* scan = expr::scan_of(statements()[0]);
    form_.is_backward = scan != nullptr && scan->direction == expr::Scan::Direction::backward;
    std::optional<ScanStart> start = scan_start(form_.program);
    if (!start) {
      return;
    }
    std::ranges::move(start->rest, statements().begin() + 1);
    for (size_t entry = 0; entry < num_states(); ++entry) {
      form_.start.push_back(start->first_operand + static_cast<int32_t>(entry));
    }
    if (start->is_backward) {
      expr::Reduce reduce = *expr::reduction_of(statements()[0]);
      reduce.monoid.combine = std::move(start->combine);
      statements()[0].what = std::move(reduce);
      form_.is_backward = true;
    }
  }

  /// Takes the first inputs as the lines' merges, if nothing reads them.
  void take_merged() {
    const auto num_merged = static_cast<int32_t>(num_states());
    bool is_read = form_.start.empty() || form_.start.front() < num_merged;
    expr::for_each_access(form_.program, [&](const expr::Access& access, DType) {
      is_read = is_read || access.operand < num_merged;
    });
    for (int32_t entry = 0; !is_read && entry < num_merged; ++entry) {
      form_.merged.push_back(entry);
    }
  }

  /// True if the later statements return the states unchanged.
  bool gives_states() {
    const std::vector<expr::Scalar>& bodies = statements().back().bodies;
    bool gives = statements().size() == 2 && bodies.size() == num_states();
    for (size_t entry = 0; gives && entry < bodies.size(); ++entry) {
      gives = is_in_place(bodies[entry]) && takes_state(bodies[entry], entry);
    }
    return gives;
  }

  /// Finds the required states, and a start; drops a statement that does nothing else.
  std::optional<Refusal> take_result() {
    take_start();
    if (expr::reduction_of(statements()[0]) != nullptr) {
      return take_merge();
    }
    const int32_t first_state = form_.program.num_inputs;
    form_.is_stored.assign(num_states(), statements().size() == 1);
    for (size_t number = 1; number < statements().size(); ++number) {
      if (statements()[number].bodies.size() != 1) {
        return Refusal{"what follows its scan has one result"};
      }
      expr::for_each_access(statements()[number].bodies[0], [&](const expr::Access& access, DType) {
        const int32_t entry = access.operand - first_state;
        if (entry >= 0 && entry < static_cast<int32_t>(num_states())) {
          form_.is_stored[static_cast<size_t>(entry)] = true;
        }
      });
    }
    if (statements().size() == 2 && is_in_place(statements()[1].bodies[0]) &&
        takes_state(statements()[1].bodies[0])) {
      statements().pop_back();
    }
    return std::nullopt;
  }

  /// Takes the states behind a tile as unchanged results.
  std::optional<Refusal> take_merge() {
    form_.is_stored.assign(num_states(), false);
    if (statements().size() == 1) {
      return std::nullopt;
    }
    if (form_.start.empty() || !gives_states()) {
      return Refusal{"nothing follows its merge but that of what comes before"};
    }
    statements().pop_back();
    take_merged();
    return std::nullopt;
  }

  /// True if an expression is a state at the position itself; of this entry, if one is named.
  bool takes_state(const expr::Scalar& body, std::optional<size_t> entry = std::nullopt) {
    const expr::Access& access = *expr::accesses_of(body).front();
    const int32_t state = access.operand - form_.program.num_inputs;
    return state >= 0 && state == static_cast<int32_t>(entry.value_or(state)) &&
           access.index == plain_indices(statements()[0].out);
  }

  void choose_loop() {
    const bool stores_others = std::find(form_.is_stored.begin() + 1, form_.is_stored.end(),
                                         true) != form_.is_stored.end();
    if (!stores_others) {
      form_.loop = loop_of(form_.monoid(), isa_);
    }
  }

  /// A loop reads arrays, so elements without one are all made by a statement before.
  void add_elements_of_loop() {
    const std::vector<expr::Scalar>& bodies = statements()[0].bodies;
    if (!std::all_of(bodies.begin(), bodies.end(), is_in_place)) {
      make_elements([](const expr::Scalar&) { return true; });
    }
    for (const expr::Scalar& body : form_.scan().bodies) {
      form_.elements.emplace_back(*expr::accesses_of(body).front());
    }
  }

  void add_elements() {
    make_elements(
        [](const expr::Scalar& body) { return !is_in_place(body) && number_of(body) == nullptr; });
    for (const expr::Scalar& body : form_.scan().bodies) {
      const Literal* const number = number_of(body);
      form_.elements.push_back(number != nullptr ? ScanElement(*number)
                                                 : ScanElement(*expr::accesses_of(body).front()));
    }
  }

  /// Computed elements are results of a statement before, equal ones of one result.
  template <class IsMade>
  void make_elements(IsMade is_made) {
    expr::TileStatement elements;
    elements.out = form_.order();
    for (expr::Scalar& body : statements()[0].bodies) {
      if (!is_made(body)) {
        continue;
      }
      const auto known = std::find(elements.bodies.begin(), elements.bodies.end(), body);
      const auto number = static_cast<int32_t>(known - elements.bodies.begin());
      expr::Scalar read = expr::scalar_of(
          {form_.program.num_inputs + number, plain_indices(elements.out)}, body.dtype());
      if (known == elements.bodies.end()) {
        elements.bodies.push_back(std::move(body));
      }
      body = std::move(read);
    }
    if (elements.bodies.empty()) {
      return;
    }
    const auto num_made = static_cast<int32_t>(elements.bodies.size());
    for (size_t number = 1; number < statements().size(); ++number) {
      expr::for_each_access(statements()[number].bodies[0], [&](expr::Access& access, DType) {
        access.operand += access.operand >= form_.program.num_inputs ? num_made : 0;
      });
    }
    statements().insert(statements().begin(), std::move(elements));
    form_.scan_at = 1;
  }

  const Isa isa_;
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

OrRefusal<ScanForm> scan_form(const expr::TileProgram& program, Isa isa) {
  return Former(program, isa).run();
}

}  // namespace tessera::kernels
