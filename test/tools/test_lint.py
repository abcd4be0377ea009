"""Every rule of tools/lint.py finds what it is for and leaves alone what is right."""
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import lint  # noqa: E402

TOO_MANY_LINES = "void f();\n" * 401

WRONG = [
    ("printing", "src/ir/a.cpp", 'void f() { std::cout << 1; }\n'),
    ("printing", "src/ir/a.cpp", 'void f() { printf("x"); }\n'),
    ("ending", "src/ir/a.cpp", "void f() { std::exit(1); }\n"),
    ("using namespace", "src/ir/a.h", "#pragma once\nusing namespace std;\n"),
    ("bare int", "src/ir/a.cpp", "struct A { int extent = 0; };\n"),
    ("bare int", "src/ir/a.cpp", "void f(int m, int rows) {}\n"),
    ("parent include", "src/ir/a.cpp", '#include "../base/error.h"\n'),
    ("raw MPI", "src/runtime/a.cpp", "void f() { MPI_Send(); }\n"),
    ("global state", "src/ir/a.cpp", "std::vector<int64_t> everything;\n"),
    ("global state", "src/ir/a.cpp", "int64_t count = 0;\n"),
    ("global state", "src/ir/a.cpp", "std::atomic<bool> stopped{false};\n"),
    ("global state", "src/ir/a.cpp", "void f() {\n  static int64_t calls = 0;\n}\n"),
    ("global state", "src/ir/a.cpp", "void f() {\n  thread_local std::string buffer;\n}\n"),
    ("global state", "src/ir/a.h", "struct A {\n  inline static std::map<int, int> all;\n};\n"),
    ("global state", "src/ir/a.cpp", "const R& f() {\n  static const Registry all = make();\n  return all;\n}\n"),
    ("global state", "src/frontend/a.l", "int64_t depth = 0;\n"),
    ("owning new", "src/ir/a.cpp", "int* p = new int;\n"),
    ("closed set", "src/engine/a.cpp", "const auto* e = std::get_if<einsum::EinSum>(&vertex.op);\n"),
    ("closed set", "src/plan/a.cpp", "return std::get<tra::DenseDim>(dim).grid;\n"),
    ("closed set", "src/optimizer/a.cpp", "if (std::holds_alternative<PlainIndex>(index)) {}\n"),
    ("closed set", "src/ir/a.cpp", "if (std::holds_alternative<ia::Everywhere>(placement)) {}\n"),
    ("closed set", "src/frontend/a.cpp", "const auto* call = std::get_if<ResolvedCall>(&node.of);\n"),
    ("closed set", "src/ir/a.cpp", "if (auto* a = std::get_if<expr::Access>(&op)) {\n} else if (auto* c = std::get_if<expr::Call>(&op)) {\n}\n"),
    ("TODO", "src/ir/a.cpp", "// TODO: fix\n"),
    ("TODO", "src/ir/a.cpp", "// TODO\n"),
    ("option name", "src/plan/a.cpp", 'fail("too small; --memory 64 would work");\n'),
    ("option name", "src/plan/a.cpp", 'fail("give one: -D n=1");\n'),
    ("option name", "src/plan/a.h", "#pragma once\n/// As --tile says.\n"),
    ("comment opening", "src/ir/a.h", "#pragma once\n/// Whether it is one.\nbool is_one();\n"),
    ("comment opening", "src/ir/a.cpp", "  /// Of the last tile.\n  int64_t x;\n"),
    ("comment opening", "src/ir/a.cpp", "/// Returns the tile.\n///\n/// Where there is none, null.\nTile* f();\n"),
    ("comment opening", "src/kernels/isa/a.cpp.in", "/// What a table picks from.\n"),
    ("test namespace", "test/unit/ir/a_test.cpp", "namespace tessera::ir {\nTEST(A, works) {}\n}\n"),
    ("disabled test", "test/unit/a_test.cpp", "TEST(A, DISABLED_works) {}\n"),
    ("disabled test", "test/python/a.py", "@pytest.mark.skip\ndef f(): pass\n"),
    ("tab", "src/ir/a.cpp", "\tint64_t x;\n"),
    ("name", "src/ir/utils.cpp", "void f();\n"),
    ("pragma once", "src/ir/a.h", "void f();\n"),
    ("length", "src/ir/a.cpp", TOO_MANY_LINES),
    ("length", "src/frontend/a.y", TOO_MANY_LINES),
    ("TODO", "src/frontend/a.l", "// TODO\n"),
    ("program comment", "examples/a.ein", "input A[i]\n"),
    ("test header", "test/plan/a.plan", "# another name\n"),
]

RIGHT = [
    ("src/cli/a.cpp", "void f() { std::cout << 1; exit(1); }\n"),
    ("src/ir/a.cpp", "// Prints with std::cout.\nconst char* kText = \"std::cout exit(1)\";\n"),
    ("src/ir/a.cpp", "int64_t f(int64_t m) { return session.exit(m); }\n"),
    ("src/ir/a.cpp", "// TODO: cut the contracted label too where the budget allows it.\n"),
    ("src/ir/a.cpp", "/// Returns the tile at this place, in order\n/// of the keys. Asks nobody.\nTile f();\n"),
    ("src/ir/a.cpp", "/// Returns what the reader asks for: the first\n/// Of the two.\n/// Offers nothing.\nTile f();\n"),
    ("src/ir/a.cpp", "// Long because the grammar is one idea.\n" + TOO_MANY_LINES),
    ("src/ir/a.h", "#pragma once\nstruct A {\n  int64_t x = 0;\n};\n"),
    ("src/ir/a.cpp", "constexpr int64_t kMost = 3;\nconst std::string& name_of(A a) {\n"
                     "  static const std::vector<int> kAll = make();\n  return kAll[0];\n}\n"),
    ("src/ir/a.h", "#pragma once\nstruct A {\n  static A make(int64_t x);\n  static constexpr int kCount = 2;\n};\n"),
    ("src/ir/a.cpp", "static_assert(true);\nusing Row = std::vector<int>;\nstruct B;\nenum class C { a };\n"),
    ("src/ir/a.cpp", "std::vector<int64_t> f(int64_t x) {\n  std::string local;\n  return g(x);\n}\n"),
    ("src/cli/a.cpp", 'fail("--memory is too small");\n'),
    ("src/ir/a.cpp", 'for (int64_t n = 3; n > 0; --n) {  // A well-known loop: -1 ends it.\n'),
    ("src/optimizer/rules/a.cpp", "const auto* e = std::get_if<EinSum>(&vertex.op);\n"),
    ("src/engine/a.cpp", "const auto* call = std::get_if<expr::Call>(&node.op);\n"),
    ("test/unit/a_test.cpp", 'namespace tessera::a_test {\nTEST(A, works) { GTEST_SKIP() << "no AVX-512"; }\n}\n'),
    ("test/unit/ir/a_test.cpp", '#include "unit/ir/a.h"\nnamespace tessera::ir {\nint64_t helper() { return 1; }\n}\n'),
    ("examples/a.ein", "# Adds one.\ninput A[i]\n"),
    ("test/plan/a.plan", "# name: test/plan/a.plan\n"),
]


def problems_of(name, text):
    return [problem[1] for problem in [*lint.line_problems(name, text), *lint.closed_set_problems(name, text),
                                   *lint.chain_problems(name, text), *lint.comment_problems(name, text),
                                   *lint.file_problems(name, text)]]


@pytest.mark.parametrize("rule, name, text", WRONG)
def test_finds(rule, name, text):
    assert rule in problems_of(name, text)


@pytest.mark.parametrize("name, text", RIGHT)
def test_leaves_alone(name, text):
    assert problems_of(name, text) == []


def test_every_rule_is_tested():
    rules = {rule for rule, *_ in lint.LINE_RULES + lint.TEXT_RULES}
    assert rules <= {rule for rule, _, _ in WRONG}


def test_readme_headings_are_asked_for(tmp_path):
    folder = tmp_path / "src" / "ir"
    folder.mkdir(parents=True)
    (folder / "a.h").write_text("#pragma once\n")
    assert [problem[2] for problem in lint.readme_problems(tmp_path)] == ["folder README"]
    (folder / "README.md").write_text("".join(f"## {heading}\n" for heading in lint.README_HEADINGS[1:]))
    assert [problem[2] for problem in lint.readme_problems(tmp_path)] == ["folder README lacks `## What it is for`"]


def test_readmes_are_short(tmp_path):
    folder = tmp_path / "src" / "ir" / "tra"
    folder.mkdir(parents=True)
    readme = folder / "README.md"
    readme.write_text("line\n" * lint.LONGEST_README)
    assert [*lint.readme_problems(tmp_path)] == []
    readme.write_text("line\n" * (lint.LONGEST_README + 1))
    assert [problem[2] for problem in lint.readme_problems(tmp_path)] == ["README length"]


def test_comments_and_strings_are_not_code():
    code = lint.without_comments('a; // b\n/* c\nd */ e("f\\"g");\n')
    assert code.split("\n")[0].strip() == "a;"
    assert "d" not in code and "g" not in code and code.count("\n") == 3
