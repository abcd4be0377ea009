/* The grammar of the language (doc/language.md). */
%require "3.8"
%skeleton "lalr1.cc"
%define api.namespace {tessera::frontend}
%define api.parser.class {ProgramGrammar}
%define api.value.type variant
%define api.token.constructor
%define api.location.type {tessera::SourceSpan}
%define parse.error custom
%define parse.lac full
%locations
%expect 0

%code requires {
#include <vector>

#include "base/source.h"
#include "frontend/einsum/program/syntax.h"

namespace tessera::frontend {
class SyntaxBuilder;
struct LexerState;
}  // namespace tessera::frontend
using tessera_program_scanner = void*;
}

%param {tessera_program_scanner scanner}
%parse-param {tessera::frontend::SyntaxBuilder& build} {tessera::frontend::LexerState& lexer}

%code {
#include "expr/function_ids.h"
#include "frontend/einsum/program/syntax_builder.h"
#include "frontend/einsum/program/syntax_errors.h"

tessera::frontend::ProgramGrammar::symbol_type tessera_program_lex(tessera_program_scanner scanner);
#define yylex tessera_program_lex

#define YYLLOC_DEFAULT(Current, Rhs, N)                                      \
  do {                                                                       \
    (Current).begin = (N) ? YYRHSLOC(Rhs, 1).begin : YYRHSLOC(Rhs, 0).end;   \
    (Current).end = YYRHSLOC(Rhs, N).end;                                    \
  } while (false)
}

%token START_PROGRAM START_EXPRESSION
%token END "the end of the statement"
%token YYEOF 0 "the end of the text"
%token FOREIGN "a foreign sign"
%token <tessera::frontend::NameSyntax> NAME "a name"
%token <tessera::Literal> NUMBER "a number"
%token INPUT "input" OUTPUT "output" LABEL "label" PARAM "param" DEF "def"
%token AGGREGATE "aggregate" IDENTITY "identity" GIVES "gives" PAD "pad" BY "by" WHERE "where" OF "of"
%token OPEN "(" GLUED "( after ]" CLOSE ")" OPEN_BRACKET "[" CLOSE_BRACKET "]"
%token OPEN_BRACE "{" CLOSE_BRACE "}" COMMA "," COLON ":" ASSIGN "="
%token AND "and" OR "or" NOT "not"
%token EQUAL "==" NOT_EQUAL "!=" LESS "<" LESS_EQUAL "<=" GREATER ">" GREATER_EQUAL ">="
%token PLUS "+" MINUS "-" TIMES "*" DIVIDE "/" FLOOR_DIVIDE "//" REMAINDER "%" POWER "^"

%left OR
%left AND
%precedence NOT
%nonassoc EQUAL NOT_EQUAL LESS LESS_EQUAL GREATER GREATER_EQUAL
%left PLUS MINUS
%precedence APPLICATION
%left TIMES DIVIDE FLOOR_DIVIDE REMAINDER
%precedence NEGATION
%right POWER
%precedence ACCESS
%precedence WHERE

%type <tessera::frontend::ExpressionId> expression
%type <std::vector<tessera::frontend::ExpressionId>> arguments some_arguments entries
%type <tessera::frontend::IndexSyntax> index
%type <std::vector<tessera::frontend::IndexSyntax>> indices some_indices
%type <tessera::frontend::VersionSyntax> versioned
%type <tessera::frontend::InputSyntax> input
%type <std::vector<tessera::frontend::InputSyntax>> inputs
%type <tessera::frontend::HeaderLabelSyntax> header_label
%type <std::vector<tessera::frontend::HeaderLabelSyntax>> header_labels some_header_labels
%type <std::vector<tessera::frontend::NameSyntax>> names entry_names order
%type <tessera::frontend::MacroParameterSyntax> parameter
%type <std::vector<tessera::frontend::MacroParameterSyntax>> parameters optional_parameters
%type <std::optional<tessera::frontend::NameSyntax>> optional_dtype
%type <std::optional<tessera::frontend::ExpressionId>> optional_size optional_value optional_bound optional_result
  optional_segments

%%

text:
  START_PROGRAM lines
| START_EXPRESSION blank expression { build.set_expression($3); } blank_end
;
blank: %empty | blank END;
blank_end: END | blank_end END;

lines: %empty | lines line;
line:
  END
| statement END
| error END { yyerrok; }
;

statement:
  INPUT inputs { build.add({InputStatement{std::move($2)}, @$}); }
| LABEL NAME "=" expression { build.add({LabelStatement{$2, $4}, @$}); }
| PARAM NAME optional_value { build.add({ParameterStatement{$2, $3}, @$}); }
| DEF NAME OPEN parameters CLOSE "=" expression { build.add({MacroStatement{$2, {}, $4, $7}, @$}); }
| DEF NAME "[" names "]" left_parenthesis optional_parameters CLOSE "=" expression {
    build.add({MacroStatement{$2, $4, $7, $10}, @$});
  }
| AGGREGATE NAME OPEN entry_names "," entry_names CLOSE "=" entries IDENTITY entries optional_result {
    build.add({AggregateStatement{$2, $4, $6, $9, $11, $12, {@9.begin, @9.end}}, @$});
  }
| NAME "=" expression { build.add({Assignment{$1, {}, $3}, @$}); }
| NAME "[" indices "]" "=" expression { build.add({Assignment{$1, $3, $6}, @$}); }
| NAME "{" expression "}" "=" expression {
    build.add({Assignment{$1, {}, $6, DefinedVersion{$3, {@2.begin, @4.end}}}, @$});
  }
| NAME "{" expression "}" "[" indices "]" "=" expression {
    build.add({Assignment{$1, $6, $9, DefinedVersion{$3, {@2.begin, @4.end}}}, @$});
  }
| OUTPUT names { build.add({OutputStatement{std::move($2)}, @$}); }
;

entry_names:
  NAME { $$.push_back($1); }
| OPEN names CLOSE { $$ = std::move($2); }
;
entries:
  expression { $$.push_back($1); }
| OPEN expression "," some_arguments CLOSE { $$ = std::move($4); $$.insert($$.begin(), $2); }
;
optional_result: %empty { } | GIVES expression { $$ = $2; };

left_parenthesis: OPEN | GLUED;
names:
  NAME { $$.push_back($1); }
| names "," NAME { $$ = std::move($1); $$.push_back($3); }
;
parameter: NAME optional_value { $$ = {$1, $2}; };
parameters:
  parameter { $$.push_back($1); }
| parameters "," parameter { $$ = std::move($1); $$.push_back($3); }
;
optional_parameters: %empty { } | parameters { $$ = std::move($1); };
optional_value: %empty { } | "=" expression { $$ = $2; };

inputs:
  input { $$.push_back(std::move($1)); }
| inputs "," input { $$ = std::move($1); $$.push_back(std::move($3)); }
;
input:
  NAME optional_dtype { $$ = {$1, {}, $2, @1}; }
| NAME "[" header_labels "]" optional_dtype { $$ = {$1, std::move($3), $5, {@1.begin, @4.end}}; }
;
optional_dtype: %empty { } | ":" NAME { $$ = $2; };
header_labels: %empty { } | some_header_labels { $$ = std::move($1); };
some_header_labels:
  header_label { $$.push_back($1); }
| some_header_labels "," header_label { $$ = std::move($1); $$.push_back($3); }
;
header_label:
  NAME optional_size { $$ = {$1, $2}; }
| NUMBER { $$ = build.mode_of_one($1, @1); }
;
optional_size: %empty { } | "=" expression { $$ = $2; };

indices: %empty { } | some_indices { $$ = std::move($1); };
some_indices:
  index { $$.push_back($1); }
| some_indices "," index { $$ = std::move($1); $$.push_back($3); }
;
index:
  expression { $$ = {$1, {}, false, @$}; }
| expression PAD OPEN expression CLOSE { $$ = {$1, {}, false, @$, {}, $4}; }
| expression ":" optional_bound { $$ = {$1, $3, true, @$}; }
| ":" optional_bound { $$ = {{}, $2, true, @$}; }
| NAME "=" expression ":" optional_bound { $$ = {$3, $5, true, @$, $1}; }
| NAME "=" ":" optional_bound { $$ = {{}, $4, true, @$, $1}; }
| NAME order optional_segments { $$ = build.scanned($1, {std::move($2), $3}, @$); }
| NAME BY expression { $$ = build.scanned($1, {{}, $3}, @$); }
| expression OF expression { $$ = {$1, {}, false, @$, {}, {}, $3}; }
| NAME "=" expression { $$ = {$3, {}, false, @$, $1}; }
| NAME "=" expression OF expression { $$ = {$3, {}, false, @$, $1, {}, $5}; }
;
order:
  NAME { $$.push_back($1); }
| order NAME { $$ = std::move($1); $$.push_back($2); }
;
optional_segments: %empty { } | BY expression { $$ = $2; };
optional_bound: %empty %prec APPLICATION { } | expression { $$ = $1; };

arguments: %empty { } | some_arguments { $$ = std::move($1); };
some_arguments:
  expression { $$.push_back($1); }
| some_arguments "," expression { $$ = std::move($1); $$.push_back($3); }
;

versioned: NAME "{" expression "}" { $$ = {$1, $3, {}}; };

expression:
  NUMBER { $$ = build.number($1, @$); }
| NAME { $$ = build.access($1, {}, false, @$); }
| NAME "[" indices "]" %prec ACCESS { $$ = build.access($1, std::move($3), true, @$); }
| NAME "[" indices "]" expression %prec APPLICATION { $$ = build.apply({$1, std::move($3), {$5}, {}}, @$); }
| NAME "[" indices "]" GLUED arguments CLOSE { $$ = build.apply({$1, std::move($3), std::move($6), {}}, @$); }
| NAME "[" some_indices WHERE expression "]" expression %prec APPLICATION {
    $$ = build.apply({$1, std::move($3), {$7}, $5}, @$);
  }
| NAME "[" some_indices WHERE expression "]" GLUED arguments CLOSE {
    $$ = build.apply({$1, std::move($3), std::move($8), $5}, @$);
  }
| WHERE OPEN arguments CLOSE { $$ = build.call({expr::id::kWhere, @1}, std::move($3), @$); }
| NAME OPEN arguments CLOSE { $$ = build.call($1, std::move($3), @$); }
| NAME OPEN arguments CLOSE "[" indices "]" {
    $$ = build.unsupported($1.text == "gradient" ? "a gradient" : "the result of a function with labels of its own", @$);
  }
| versioned { $$ = build.version($1, @$); }
| versioned "[" indices "]" { $$ = build.version({$1.name, $1.version, std::move($3)}, @$); }
| OPEN expression CLOSE { $$ = $2; }
| MINUS expression %prec NEGATION { $$ = build.operate(expr::id::kNegative, @1, {$2}, @$); }
| NOT expression { $$ = build.operate(expr::id::kLogicalNot, @1, {$2}, @$); }
| expression OR expression { $$ = build.operate(expr::id::kLogicalOr, @2, {$1, $3}, @$); }
| expression AND expression { $$ = build.operate(expr::id::kLogicalAnd, @2, {$1, $3}, @$); }
| expression "==" expression { $$ = build.operate(expr::id::kEqual, @2, {$1, $3}, @$); }
| expression "!=" expression { $$ = build.operate(expr::id::kNotEqual, @2, {$1, $3}, @$); }
| expression "<" expression { $$ = build.operate(expr::id::kLess, @2, {$1, $3}, @$); }
| expression "<=" expression { $$ = build.operate(expr::id::kLessEqual, @2, {$1, $3}, @$); }
| expression ">" expression { $$ = build.operate(expr::id::kGreater, @2, {$1, $3}, @$); }
| expression ">=" expression { $$ = build.operate(expr::id::kGreaterEqual, @2, {$1, $3}, @$); }
| expression "+" expression { $$ = build.operate(expr::id::kAdd, @2, {$1, $3}, @$); }
| expression "-" expression { $$ = build.operate(expr::id::kSubtract, @2, {$1, $3}, @$); }
| expression "*" expression { $$ = build.operate(expr::id::kMultiply, @2, {$1, $3}, @$); }
| expression "/" expression { $$ = build.operate(expr::id::kDivide, @2, {$1, $3}, @$); }
| expression "//" expression { $$ = build.operate(expr::id::kFloorDivide, @2, {$1, $3}, @$); }
| expression "%" expression { $$ = build.operate(expr::id::kRemainder, @2, {$1, $3}, @$); }
| expression "^" expression { $$ = build.operate(expr::id::kPower, @2, {$1, $3}, @$); }
;

%%

namespace tessera::frontend {

void ProgramGrammar::report_syntax_error(const context& at) const {
  constexpr int kMostExpected = 4;  // a longer list says nothing
  symbol_kind_type kinds[kMostExpected];
  const int num_expected = at.expected_tokens(kinds, kMostExpected);
  std::vector<std::string> expected;
  for (int number = 0; number < num_expected; ++number) {
    expected.emplace_back(symbol_name(kinds[number]));
  }
  report_unexpected(lexer, {symbol_name(at.token()), at.location(), expected});
}

void ProgramGrammar::error(const SourceSpan& span, const std::string& message) {
  report_unexpected(lexer, {message, span, {}});
}

}  // namespace tessera::frontend
