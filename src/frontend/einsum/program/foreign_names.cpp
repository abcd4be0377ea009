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
    {"logaddexp", "write log(exp(a) + exp(b)); over a label, logsumexp[i] x[i]"},
    {"invert", "write not x, or bitwise_xor(x, -1) of signed integers"},
    {"bitwise_not", "write not x, or bitwise_xor(x, -1) of signed integers"},
    {"float", "write f64(x), or floating(x) to leave what is a float as it is"},
    {"int", "write i64(x)"},
    {"complex", "write c128(x)"},
    {"if", kWhere},
    {"ifelse", kWhere},
    {"select", kWhere},
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
    {"flip", "read backwards: X[size(i) - 1 - i]"},
    {"roll", "an index may go around: X[(i - 1) % size(i)]"},
    {"take", "an index may be an element of a tensor of integers: X[I[n]]"},
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
