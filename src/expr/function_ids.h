#pragma once

/// The functions and aggregates that the engine itself names: meanings of operators of the
/// language, parts of aggregates, functions that rules split and join, and those with kernels of
/// their own.
///
/// A function's name is its id. It is the same in every text, session and process, so one can read
/// a plan that another wrote; a registry has one function of a name. All else about a function is a
/// property of its registry entry (function.h, aggregate.h): a name that is not here appears only
/// in the files of functions and aggregates, and in the prelude of the language.
namespace tessera::expr::id {

inline constexpr const char* kAdd = "add";
inline constexpr const char* kSubtract = "subtract";
inline constexpr const char* kMultiply = "multiply";
inline constexpr const char* kDivide = "divide";
inline constexpr const char* kFloorDivide = "floor_divide";
inline constexpr const char* kRemainder = "remainder";
inline constexpr const char* kPower = "power";
inline constexpr const char* kSquare = "square";
inline constexpr const char* kNegative = "negative";
inline constexpr const char* kMinimum = "minimum";
inline constexpr const char* kMaximum = "maximum";
inline constexpr const char* kEqual = "equal";
inline constexpr const char* kNotEqual = "not_equal";
inline constexpr const char* kLess = "less";
inline constexpr const char* kLessEqual = "less_equal";
inline constexpr const char* kGreater = "greater";
inline constexpr const char* kGreaterEqual = "greater_equal";
inline constexpr const char* kLogicalNot = "logical_not";
inline constexpr const char* kLogicalAnd = "logical_and";
inline constexpr const char* kLogicalOr = "logical_or";
inline constexpr const char* kBitwiseAnd = "bitwise_and";
inline constexpr const char* kBitwiseOr = "bitwise_or";
inline constexpr const char* kIsNan = "isnan";
inline constexpr const char* kIsFinite = "isfinite";
inline constexpr const char* kExp = "exp";
inline constexpr const char* kLog = "log";
inline constexpr const char* kWhere = "where";
inline constexpr const char* kOnly = "only";
inline constexpr const char* kInGroup = "in_group";

/// Every function above.
inline constexpr const char* kFunctions[] = {
    kAdd,        kSubtract,  kMultiply,   kDivide,    kFloorDivide,  kRemainder,
    kPower,      kSquare,    kNegative,   kMinimum,   kMaximum,      kEqual,
    kNotEqual,   kLess,      kLessEqual,  kGreater,   kGreaterEqual, kLogicalNot,
    kLogicalAnd, kLogicalOr, kBitwiseAnd, kBitwiseOr, kIsNan,        kIsFinite,
    kExp,        kLog,       kWhere,      kOnly,      kInGroup};

inline constexpr const char* kSum = "sum";
inline constexpr const char* kMean = "mean";
inline constexpr const char* kMin = "min";
inline constexpr const char* kMax = "max";

/// Every aggregate above.
inline constexpr const char* kAggregates[] = {kSum, kMean, kMin, kMax};

}  // namespace tessera::expr::id
