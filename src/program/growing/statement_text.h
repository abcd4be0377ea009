#pragma once

#include <string>

#include "program/growing/statement.h"

namespace tessera::program {

/// `T1[i_3,j_4]`: a tensor with the indices of a left side.
std::string left_text(const std::string& name, const LeftIndices& left);

/// `T1[i_3,j_4] = sum[k_5] A[i_3,k_5] * B[k_5,j_4]`: the statement of a tensor of this name, in the
/// language of `.ein`.
std::string text_of(const std::string& name, const Assignment& assignment);

}  // namespace tessera::program
