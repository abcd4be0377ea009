#pragma once

#include <vector>

#include "optimizer/partition/model/model.h"
#include "optimizer/partition/model/options.h"

namespace tessera::optimizer::partition {

/// A model in which the labels that flow with these are cut into such slices, except where a label
/// must stay whole.
Model sliced(Model model, const std::vector<Slice>& slices);

}  // namespace tessera::optimizer::partition
