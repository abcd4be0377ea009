#include "optimizer/partition/slicing/sliced_model.h"

#include <algorithm>

#include "optimizer/partition/model/label_flow.h"

namespace tessera::optimizer::partition {

Model sliced(Model model, const std::vector<Slice>& slices) {
  const LabelFlow flow = label_flow_of(model);
  for (const Slice& slice : slices) {
    const auto place = std::find_if(
        model.statements.begin(), model.statements.end(),
        [&](const StatementModel& statement) { return statement.vertex == slice.vertex; });
    const auto known = static_cast<size_t>(place - model.statements.begin());
    const int32_t wanted = flow.flow_of[known][static_cast<size_t>(slice.label)];
    for (size_t number = 0; number < model.statements.size(); ++number) {
      StatementModel& statement = model.statements[number];
      for (size_t label = 0; label < statement.extents.size(); ++label) {
        if (flow.flow_of[number][label] == wanted && !statement.whole[label]) {
          statement.slices[label] = std::min(statement.slices[label], slice.length);
        }
      }
    }
  }
  return model;
}

}  // namespace tessera::optimizer::partition
