#pragma once

#include "expr/monoid.h"

namespace tessera::expr {

/// Returns the monoid of the aggregate logsumexp. It merges states (largest, sum of exp(x -
/// largest)) of a float type. Source: Milakov and Gimelshein, arXiv 1805.02867, 2018.
Monoid logsumexp_monoid(DType state);

/// True if a monoid is that of logsumexp, under any name.
bool is_logsumexp(const Monoid& monoid);

}  // namespace tessera::expr
