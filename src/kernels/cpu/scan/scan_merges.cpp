#include "kernels/cpu/scan/scan_merges.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "expr/function_ids.h"
#include "kernels/cpu/scan/known_logic.h"

namespace tessera::kernels {

namespace {

std::vector<ScanMerges::Element> elements_of(const ScanForm& form) {
  std::vector<ScanMerges::Element> elements;
  for (const ScanElement& element : form.elements) {
    const auto same = std::find(form.elements.begin(), form.elements.end(), element);
    elements.push_back({std::nullopt, static_cast<size_t>(same - form.elements.begin())});
    if (const auto* number = std::get_if<Literal>(&element)) {
      elements.back().number = *number;
    }
  }
  return elements;
}

/// Returns each entry merged with its element, over the state before as first parameters and the
/// elements as later ones.
std::vector<expr::Scalar> merged_elements(const expr::Monoid& monoid,
                                          const std::vector<ScanMerges::Element>& elements) {
  std::vector<expr::Scalar> merged;
  const size_t num_states = monoid.state.size();
  for (const expr::Scalar& combine : monoid.combine) {
    expr::ScalarBuilder builder;
    std::vector<int32_t> both;
    for (size_t entry = 0; entry < num_states; ++entry) {
      both.push_back(builder.parameter(static_cast<int32_t>(entry), monoid.state[entry]));
    }
    for (size_t entry = 0; entry < num_states; ++entry) {
      const ScanMerges::Element& element = elements[entry];
      both.push_back(element.number
                         ? builder.constant(*element.number, monoid.state[entry])
                         : builder.parameter(static_cast<int32_t>(num_states + element.panel),
                                             monoid.state[entry]));
    }
    merged.push_back(with_known_logic(builder.finish(builder.inline_scalar(combine, both))));
  }
  return merged;
}

/// Returns these entries and those that they depend on, step after step.
std::vector<bool> needed_for(std::vector<bool> entries, const std::vector<expr::Scalar>& merged) {
  for (bool grows = true; grows;) {
    grows = false;
    for (size_t entry = 0; entry < entries.size(); ++entry) {
      for (const expr::Node& node : merged[entry].nodes) {
        const auto* parameter = std::get_if<expr::Parameter>(&node.op);
        if (!entries[entry] || parameter == nullptr) {
          continue;
        }
        const auto position = static_cast<size_t>(parameter->position);
        if (position < entries.size() && !entries[position]) {
          entries[position] = grows = true;
        }
      }
    }
  }
  return entries;
}

}  // namespace

OrRefusal<ScanMerges> scan_merges(const ScanForm& form, Isa isa) {
  const expr::Monoid& monoid = form.monoid();
  for (const DType dtype : monoid.state) {
    if (compute_type(dtype) != dtype) {
      return Refusal{fmt::format("its states are of {}, which are rounded wherever they are stored",
                                 name_of(dtype))};
    }
  }
  OrRefusal<BlockReduction> states = BlockReduction::compile(monoid, isa);
  if (!states) {
    return states.refusal();
  }
  std::vector<ScanMerges::Element> elements = elements_of(form);
  std::vector<expr::Scalar> merged = merged_elements(monoid, elements);
  std::vector<bool> follow = needed_for(form.is_stored, merged);
  std::vector<expr::Scalar> stored;
  for (size_t entry = 0; entry < merged.size(); ++entry) {
    if (follow[entry]) {
      stored.push_back(merged[entry]);
    }
  }
  OrRefusal<BlockProgram> elements_in = BlockProgram::compile(merged, isa);
  OrRefusal<BlockProgram> stored_in = BlockProgram::compile(stored.empty() ? merged : stored, isa);
  if (!elements_in || !stored_in) {
    return elements_in ? stored_in.refusal() : elements_in.refusal();
  }
  return ScanMerges{monoid.state,
                    std::move(elements),
                    form.is_stored,
                    std::move(*states),
                    std::move(*elements_in),
                    std::move(*stored_in),
                    std::vector<bool>(monoid.state.size(), true),
                    std::move(follow),
                    std::move(merged),
                    std::move(stored)};
}

}  // namespace tessera::kernels
