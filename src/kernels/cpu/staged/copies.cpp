#include "kernels/cpu/staged/copies.h"

#include "base/overload.h"
#include "kernels/cpu/walk/iteration_space.h"
#include "kernels/workspace.h"

namespace tessera::kernels {

namespace {

using expr::LabelNumber;

int64_t num_positions(const std::vector<LabelNumber>& labels, const std::vector<LabelRange>& band) {
  int64_t positions = 1;
  for (const LabelNumber label : labels) {
    positions *= band[static_cast<size_t>(label)].length;
  }
  return positions;
}

}  // namespace

int64_t bytes_of(const StagedPlan::Operand& operand, const std::vector<LabelRange>& band) {
  int64_t elements = 1;
  std::visit(Overload{[&](const Framed& framed) {
                        for (size_t mode = 0; mode < framed.outside.size(); ++mode) {
                          elements *= span_of(framed.readings, mode, band).length;
                        }
                      },
                      [&](const Among<Gathered, Wrapped> auto& gathered) {
                        elements = num_positions(gathered.labels, band);
                      },
                      [&](const Computed& computed) {
                        elements = num_positions(computed.program.statements[0].out, band);
                      }},
             operand.as);
  return aligned_bytes(elements * size_of(operand.dtype));
}

bool leaves_operand(const Framed& framed, const expr::TileProgram& program) {
  std::vector<LabelRange> whole;
  for (const expr::LabelDecl& label : program.labels) {
    whole.push_back({0, label.extent});
  }
  for (size_t mode = 0; mode < framed.outside.size(); ++mode) {
    const bool is_open = framed.outside[mode] != expr::Boundary(expr::Inside{});
    if (is_open && (framed.divisor[mode] > 1 || span_of(framed.readings, mode, whole).begin < 0)) {
      return true;
    }
  }
  return false;
}

}  // namespace tessera::kernels
