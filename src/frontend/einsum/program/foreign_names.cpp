#include "frontend/einsum/program/foreign_names.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace tessera::frontend {

namespace {

struct ForeignName {
  std::string_view name;
  std::string_view cure;
};

constexpr std::string_view kProduct = "write the sum of products: sum[k] A[i,k] * B[k,j]";
constexpr std::string_view kSorted =
    "nothing sorts yet; how many are less than x[i] is sum[j] i64(x[j] < x[i])";
constexpr std::string_view kLabels = "labels in another order transpose: Y[j,i] = X[i,j]";
constexpr std::string_view kRepeat =
    "a label on the left that the right side lacks repeats the value: Y[i] = 0";
constexpr std::string_view kWhere = "write where(condition, a, b)";
constexpr std::string_view kSlice = "a slice says which label runs over it: X[e = 0:4]";
constexpr std::string_view kRepeatedElements =
    "an index may be computed: X[i // 3] has every element three times, X[i % size(n)] all again";
constexpr std::string_view kReshape =
    "indices split and join modes: Y[i,j] = X[4*i + j] and X[n] = Y[n // 4, n % 4]";
constexpr std::string_view kModeOfOne =
    "a mode of extent 1 may be named 1 in a header, and is then left out; a label on the left that "
    "the right side lacks adds a mode";
constexpr std::string_view kWindow = "write the sum over a window: sum[k] X[i + k] * W[k]";
constexpr std::string_view kGroups = "an index on the left groups: H[X[n] of 100] = sum[n] 1";
constexpr std::string_view kGather = "an index may be an element of a tensor of integers: X[I[n]]";
constexpr std::string_view kKept = "write P[i] = keep[i where x[i] != 0] index(i)";
constexpr std::string_view kShift = "an index may be a sum, padded outside: X[i - 1 pad(0)]";
constexpr std::string_view kUniform =
    "a draw is made of bits: random_uniform(philox(key, index(i))) is from 0 up to 1";
constexpr std::string_view kNormal =
    "a draw is made of bits: random_normal(philox(key, index(i))) has mean 0 and deviation 1";
constexpr std::string_view kFactors =
    "there are cholesky, solve, inverse and det of a matrix, no eigenvalues, singular values or QR";
constexpr std::string_view kTransforms =
    "there is no fast transform; a product with exp(-2j * pi * index(k) * index(n) / size(n)) is "
    "one";
constexpr std::string_view kLogAddExp =
    "write maximum(a, b) + log1p(exp(-abs(a - b))); over a label, logsumexp[i] x[i]";
constexpr std::string_view kConvert = "a dtype's name converts: f32(x), i64(x), b1(x)";
constexpr std::string_view kVariance = "write variance[i](x[i]); its root is std[i](x[i])";

constexpr std::array kForeignNames = std::to_array<ForeignName>({
    {"mod", "write a % b"},
    {"pow", "write a ^ b"},
    {"ln", "write log(x)"},
    {"absolute", "write abs(x)"},
    {"fabs", "write abs(x)"},
    {"sgn", "write sign(x)"},
    {"rint", "write round(x)"},
    {"around", "write round(x)"},
    {"fix", "write trunc(x)"},
    {"conjugate", "write conj(x)"},
    {"true_divide", "write a / b"},
    {"arcsin", "write asin(x)"},
    {"arccos", "write acos(x)"},
    {"arctan", "write atan(x)"},
    {"arctan2", "write atan2(y, x)"},
    {"arcsinh", "write asinh(x)"},
    {"arccosh", "write acosh(x)"},
    {"arctanh", "write atanh(x)"},
    {"logaddexp", kLogAddExp},
    {"log_add_exp", kLogAddExp},
    {"invert", "write not x, or bitwise_xor(x, -1) of signed integers"},
    {"bitwise_not", "write not x, or bitwise_xor(x, -1) of signed integers"},
    {"float", "write f64(x), or floating(x) to leave what is a float as it is"},
    {"int", "write i64(x)"},
    {"double", "write f64(x)"},
    {"half", "write f16(x)"},
    {"astype", kConvert},
    {"cast", kConvert},
    {"random", kUniform},
    {"rand", kUniform},
    {"randn", kNormal},
    {"sub", "write a - b"},
    {"mul", "write a * b"},
    {"div", "write a / b"},
    {"floordiv", "write a // b"},
    {"neg", "write -x"},
    {"eq", "write a == b"},
    {"ne", "write a != b"},
    {"lt", "write a < b"},
    {"le", "write a <= b"},
    {"gt", "write a > b"},
    {"ge", "write a >= b"},
    {"complex", "write c128(x)"},
    {"if", kWhere},
    {"ifelse", kWhere},
    {"select", kWhere},
    {"if_else", kWhere},
    {"case", kWhere},
    {"matmul", kProduct},
    {"dot", kProduct},
    {"inner", kProduct},
    {"tensordot", kProduct},
    {"einsum", kProduct},
    {"outer", "write the product: Y[i,j] = x[i] * y[j]"},
    {"trace", "write sum[i] X[i,i]"},
    {"diag", "a repeated label is the diagonal: Y[i] = X[i,i]"},
    {"diagonal", "a repeated label is the diagonal: Y[i] = X[i,i]"},
    {"transpose", kLabels},
    {"swapaxes", kLabels},
    {"amax", "write max[i] x[i]"},
    {"amin", "write min[i] x[i]"},
    {"average", "write mean[i] x[i]"},
    {"var", kVariance},
    {"ptp", "write (max[i] x[i]) - (min[i] x[i])"},
    {"nansum", "write sum[i] where(isnan(x[i]), 0, x[i])"},
    {"count_nonzero", "write sum[i] i64(x[i] != 0)"},
    {"len", "write size(i), the extent of a label"},
    {"shape", "write size(i), the extent of a label"},
    {"arange", "write index(i), the position along a label"},
    {"range", "write index(i), the position along a label"},
    {"zeros", kRepeat},
    {"ones", kRepeat},
    {"full", kRepeat},
    {"eye", "write where(index(i) == index(j), 1, 0)"},
    {"tril", "write where(index(j) <= index(i), X[i,j], 0)"},
    {"triu", "write where(index(j) >= index(i), X[i,j], 0)"},
    {"sort", kSorted},
    {"argsort", kSorted},
    {"median", kSorted},
    {"percentile", kSorted},
    {"quantile", kSorted},
    {"unique", kSorted},
    {"topk", kSorted},
    {"rank", kSorted},
    {"searchsorted", "write sum[j] i64(x[j] < v[i]), how many of x are less"},
    {"linspace", "write a + (b - a) * index(i) / (size(i) - 1)"},
    {"isclose", "write abs(x - y) <= 1e-8 + 1e-5 * abs(y)"},
    {"nan_to_num", "write where(isnan(x), 0, x)"},
    {"nanmax", "write max[i] where(isnan(x[i]), -inf, x[i])"},
    {"nanmin", "write min[i] where(isnan(x[i]), inf, x[i])"},
    {"nanmean", "write mean[i where not isnan(x[i])] x[i]"},
    {"copysign", "write where(y < 0, -abs(x), abs(x))"},
    {"deg2rad", "write x * pi / 180"},
    {"rad2deg", "write x * 180 / pi"},
    {"exp10", "write 10^x"},
    {"ceiling", "write ceil(x)"},
    {"angle", "write atan2(imag(z), real(z))"},
    {"inv", "write inverse[i,j](A[i,j])"},
    {"logdet", "write logabsdet[i,j](A[i,j]); its sign is signdet[i,j](A[i,j])"},
    {"slogdet", "write signdet[i,j](A[i,j]) and logabsdet[i,j](A[i,j])"},
    {"svd", kFactors},
    {"eigh", kFactors},
    {"eig", kFactors},
    {"eigvals", kFactors},
    {"eigvalsh", kFactors},
    {"qr", kFactors},
    {"pinv", kFactors},
    {"lstsq",
     "write solve[i,j](N[i,j], r[i]) with N[i,j] = sum[n] X[n,i] * X[n,j] and r[i] = sum[n] X[n,i] "
     "* y[n]"},
    {"fft", kTransforms},
    {"rfft", kTransforms},
    {"ifft", kTransforms},
    {"normal", kNormal},
    {"uniform", kUniform},
    {"count", "write sum[i] i64(condition), or sum[i where condition] 1"},
    {"dropout", "write where(random_uniform(philox(key, index(i))) < keep, x[i] / keep, 0)"},
    {"swish", "write silu(x)"},
    {"flip", "read backwards: X[size(i) - 1 - i]"},
    {"roll", "an index may go around: X[(i - 1) % size(i)]"},
    {"take", kGather},
    {"gather", kGather},
    {"scatter", kGroups},
    {"bincount", kGroups},
    {"histogram", kGroups},
    {"segment_sum", kGroups},
    {"one_hot", "write where(index(c) == X[n], 1, 0)"},
    {"nonzero", kKept},
    {"argwhere", kKept},
    {"flatnonzero", kKept},
    {"compress", "write keep[i where c] x[i]"},
    {"removeEmpty", "write keep[i where c] x[i]"},
    {"filter", "write keep[i where c] x[i]"},
    {"diff", "write X[i + 1] - X[i]"},
    {"shift", kShift},
    {"lag", kShift},
    {"pad", kShift},
    {"convolve", kWindow},
    {"correlate", kWindow},
    {"conv", kWindow},
    {"conv1d", kWindow},
    {"conv2d", kWindow},
    {"conv3d", kWindow},
    {"max_pool", "write the maximum over a window: max[k] X[2*i + k]"},
    {"avg_pool", "write the mean over a window: mean[k] X[2*i + k]"},
    {"cumulative_sum", "write cumsum[i] x[i]"},
    {"cumulative_prod", "write cumprod[i] x[i]"},
    {"slice", kSlice},
    {"repeat", kRepeatedElements},
    {"tile", kRepeatedElements},
    {"reshape", kReshape},
    {"ravel", kReshape},
    {"flatten", kReshape},
    {"squeeze", kModeOfOne},
    {"expand_dims", kModeOfOne},
    {"broadcast_to", kRepeat},
    {"hstack", "write concat[i](x[i], y[i])"},
    {"vstack", "a part without the label is one position of it: Y[k,i] = concat[k](a[i], b[i])"},
    {"concatenate", "write concat[i](x[i], y[i])"},
    {"append", "write concat[i](x[i], y[i])"},
    {"stack", "a part without the label is one position of it: Y[k,i] = concat[k](a[i], b[i])"},
});

}  // namespace

std::string cure_for_foreign_name(const std::string& name) {
  const auto* found =
      std::find_if(kForeignNames.begin(), kForeignNames.end(),
                   [&](const ForeignName& foreign) { return foreign.name == name; });
  return found == kForeignNames.end() ? "" : std::string(found->cure);
}

}  // namespace tessera::frontend
