#pragma once

#include <vector>

#include "optimizer/partition/model/model.h"
#include "optimizer/partition/model/options.h"

namespace tessera::optimizer::partition {

/// Slices the labels of a model that flow with these slices, except labels that must stay whole.
Model sliced(Model model, const std::vector<Slice>& slices);

}  // namespace tessera::optimizer::partition
