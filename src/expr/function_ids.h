#pragma once

/// The functions and aggregates that the engine itself speaks of: what an operator of the language
/// means, what rules split and join, what kernels have code of their own for.
///
/// A function's name is its id. It is the same in every text, session and process, so a plan that
/// one writes another reads; a registry has one function of a name. All else about a function is a
/// property of its registry entry (function.h, aggregate.h): a name that is not here is asked for
/// nowhere outside of its own file.
namespace tessera::expr::id {

inline constexpr const char* kAdd = "add";
inline constexpr const char* kSubtract = "subtract";
inline constexpr const char* kMultiply = "multiply";
inline constexpr const char* kDivide = "divide";
inline constexpr const char* kPower = "power";
inline constexpr const char* kSquare = "square";
inline constexpr const char* kMinimum = "minimum";
inline constexpr const char* kMaximum = "maximum";
inline constexpr const char* kLogicalAnd = "logical_and";
inline constexpr const char* kLogicalOr = "logical_or";

/// Every function above.
inline constexpr const char* kFunctions[] = {kAdd,        kSubtract, kMultiply, kDivide,
                                             kPower,      kSquare,   kMinimum,  kMaximum,
                                             kLogicalAnd, kLogicalOr};

inline constexpr const char* kSum = "sum";
inline constexpr const char* kMean = "mean";

/// Every aggregate above.
inline constexpr const char* kAggregates[] = {kSum, kMean};

}  // namespace tessera::expr::id
