#include "frontend/einsum/program/parser.h"

#include <memory>

#include "frontend/einsum/program/lexer_state.h"
#include "frontend/einsum/program/syntax_builder.h"
#include "program_grammar.h"
#include "program_lexer.h"

namespace tessera::frontend {

namespace {

ProgramSyntax parse(Diagnostics& findings, LexerState::Start start) {
  LexerState lexer{.findings = findings, .start = start};
  SyntaxBuilder build(findings);
  yyscan_t created = nullptr;
  TESSERA_CHECK(tessera_program_lex_init_extra(&lexer, &created) == 0, "no lexer");
  const auto destroy = [](void* scanner) { tessera_program_lex_destroy(scanner); };
  const std::unique_ptr<void, decltype(destroy)> scanner(created, destroy);
  const std::string& text = findings.source().text;
  tessera_program__scan_bytes(text.data(), static_cast<int>(text.size()), scanner.get());
  ProgramGrammar grammar(scanner.get(), build, lexer);
  grammar.parse();
  return build.take();
}

}  // namespace

ProgramSyntax parse_program(Diagnostics& findings) {
  return parse(findings, LexerState::Start::program);
}

ProgramSyntax parse_expression(Diagnostics& findings) {
  return parse(findings, LexerState::Start::expression);
}

}  // namespace tessera::frontend
