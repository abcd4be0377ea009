#pragma once

#include "program/growing/tensor_program.h"
#include "program/growing/term.h"
#include "program/runs/reshaped_rows.h"
#include "program/runs/written_numbers.h"

namespace tessera::sql {

// The tensor part of SQL is a program that grows. Its words are used here without the name of their
// namespace.
namespace frames = program::frames;
using program::Expressions;
using program::Framing;
using program::FreshLabels;
using program::GroupIndex;
using program::indices_of;
using program::joined;
using program::Label;
using program::label_of;
using program::Labels;
using program::Learned;
using program::left_of;
using program::LeftIndices;
using program::num_rows;
using program::number_term;
using program::OneRow;
using program::PlaceOfStatements;
using program::plain_term;
using program::Product;
using program::RunFollower;
using program::TensorProgram;
using program::TensorRows;
using program::Term;
using program::type_of;
using program::WrittenNumbers;

}  // namespace tessera::sql
