#!/usr/bin/python3
"""House rules that a compiler does not check; prints file:line, the rule and why it stands. Run as ctest tools.lint.

  lint.py [ROOT] [--list]
"""
import pathlib
import re
import sys

SKIPPED_FOLDERS = {"build", ".git", "__pycache__", ".hypothesis", ".pytest_cache"}
README_HEADINGS = [
    "What it is for",
    "The three types to know",
    "What comes in, what goes out",
    "To add one",
    "What is not here and where it is",
]
LONGEST_SOURCE = 400  # lines; above, look for the second idea in the file
LONGEST_README = 50  # lines
README_WHY = f"A README is read in one go: above {LONGEST_README} lines it is a catalogue, which belongs to the headers or to doc/."

DIMENSION = r"(?:\w*(?:extent|stride|shape|dimension|rows|columns|length|offset)s?_?|[mnk])"

# A variable that outlives its scope: `static` or `thread_local` anywhere but in front of a function, or a definition at
# column 0, which is namespace scope. Constants are left alone, except registries, which are built from what is open.
TYPE = r"[A-Za-z_][\w:]*(?:<[^()]*>)?(?:\s*[*&]+\s*|\s+)"
DEFINED = r"\w+(?:\[[^\]]*\])*\s*(?:;|=(?!=)|\{)"
NO_TYPE = r"(?:const|constexpr|constinit|inline|using|typedef|enum|struct|class|union|concept|namespace|template|extern|friend|return|goto|throw|else|do)\b"
GLOBAL_STATE = (rf"^\s*(?:inline\s+)?(?:static|thread_local)\s+(?:static\s+|thread_local\s+|inline\s+)*(?!{NO_TYPE}){TYPE}{DEFINED}"
                rf"|^(?:inline\s+)?(?!{NO_TYPE}|static\b|thread_local\b){TYPE}{DEFINED}"
                r"|\bstatic\s+const\s+(?:[\w:]*::)?\w*Registry\b[^(]*(?:=|\{|;)")

# Line rules: (name, files, files left out, pattern, why). C++ is searched without comments and strings.
LINE_RULES = [
    ("printing", r"src/.*\.(h|cpp)", r"src/cli/.*", r"\b(std::)?(cout|cerr|clog)\b|\b(printf|fprintf|puts)\(|fmt::print",
     "Only the command line prints, so that the engine can live inside another program."),
    ("ending", r"src/.*\.(h|cpp)", r"src/cli/.*", r"(?<![\w.>])(std::)?(exit|abort|_Exit|quick_exit)\(",
     "Only the command line ends the process; everything else throws tessera::Error or returns a status."),
    ("using namespace", r".*\.h", None, r"\busing namespace\b",
     "A header's using directive changes the meaning of names in every file that includes it."),
    ("bare int", r"src/.*\.(h|cpp)", None, rf"\b(int|unsigned)\s+{DIMENSION}\s*[;=,){{]",
     "Sizes, strides and counts are int64_t: a dimension may pass 2^31."),
    ("parent include", r".*\.(h|cpp)", None, r'#include "\.\.?/',
     "Includes are written from src/, so that a file's layer can be read off."),
    ("raw MPI", r"src/.*\.(h|cpp)", r"src/net/mpi/.*", r"\bMPI_\w+\(",
     "One folder knows MPI, so that everything else runs without it."),
    ("owning new", r"src/.*\.(h|cpp)", None, r"\bdelete\s+\w|[=(,]\s*new\s+\w",
     "Ownership is a value or a unique_ptr; a bare new leaks where an exception passes."),
    ("global state", r"src/.*\.(h|cpp|y|l|in)", r"src/cli/(interrupt|standard_streams)\.cpp|src/.*\bopened(/|_)\w+\.cpp", GLOBAL_STATE,
     "Two sessions in one process must not see each other: a Session owns everything; only signals, the standard streams and the libraries that are open are the process's. (A constant is fine; a registry is none.)"),
]

# Members of closed sets: the operators of the algebras, key dimensions, sets of keys, types of tiles, what a tile statement does, kinds of
# index, placements, nodes of a program whose names are looked up.
CLOSED_SETS = ("EinSum|Input|Join|Aggregate|Rekey|Filter|Transform|Tile|Concat|Repartition"
               "|Bcast|Shuf|LocalOp"
               "|DenseDim|BareDim|AllKeys|ListedKeys|UnknownKeys|DenseTile|RowTile|Map|Reduce|Scan"
               "|PlainIndex|FixedIndex|AffineIndex|GatheredIndex|Inside|Pad|Edge|Reflect"
               "|Everywhere|ByMap|ByTable|Undecided"
               "|Resolved(?:Read|Index|Size|Parameter|Call|Cast|Reduction)")
CLOSED_SET_MATCH = rf"\b(?:get_if|holds_alternative|std::get)<(?:\w+::)*(?:{CLOSED_SETS})>"
CLOSED_SET_WHY = ("std::visit with a case for every member, so that the compiler names this place when one is added; "
                  "or a reason in MATCHES_BY_RIGHT.")
# Sets of which one member may be looked for, as accesses among the nodes of an expression, but no two one after the other:
# that is a case for some members and silence for the others.
CHAINED_SETS = [r"Constant|Access|IndexOf|Parameter|Call|Cast",
                r"InputStatement|LabelStatement|ParameterStatement|MacroStatement|AggregateStatement|Assignment|OutputStatement",
                r"Equation|Program|StageText",
                r"FromConstant|FromStream|FromParameter|FromFunction"]
CHAIN_LINES = 5  # from one match to the next of a chain
# Files that may match one member and pass over all others, each with its reason.
MATCHES_BY_RIGHT = {
    r"src/optimizer/((ia|tra)/)?rules/.*": "a rule matches the operators it is about and leaves all others as they are",
    r"src/optimizer/ia/(communication|nodes)\.cpp": "an input's type and place come with it, all others' are inferred; it moves nothing",
    r"src/placement/(grid/choice|planners/grid)\.cpp": "joins are laid out on sites, and inputs and aggregates beside them: a pattern of operators",
    r"src/optimizer/ia/floats_moved\.cpp": "two aggregates with a move between are one in two phases: a pattern of operators",
    r"src/placement/two_phase/place\.cpp": "only aggregates merge, in an order of their own",
    r"src/placement/joins/place_joins\.cpp": "an input is read where it is wanted; an aggregate that alone reads a join says what is summed",
    r"src/placement/read_again\.cpp": "only an input can be read again",
    r"src/optimizer/tra/fuse(_group)?\.cpp": "only joins and transforms have kernels that are fused",
    r"src/optimizer/tra/nodes\.cpp": "only an input names the user's tensor",
    r"src/optimizer/lowering/to_tra\.cpp": "looks for an input or a repartition among the nodes it made itself",
    r"src/placement/two_phase/(joins|pilot|placed_graph)\.cpp": "a join whose only reader is an aggregate is planned with it: a pattern of two operators; an input lies where it is placed",
    r"src/plan/(accumulation|plan_size|to_tasks)\.cpp": "a join whose only reader is an aggregate accumulates: a pattern of two operators",
    r"src/frontend/einsum/program/index_extents\.cpp": "computed indices that must stay in range: a pattern of a read and its index",
    r"src/frontend/einsum/program/guards\.cpp": "what may fail is a pattern of a call, a read and its index; all else cannot",
    r"src/plan/verify_call\.cpp": "only Inside must lie inside",
    r"src/ir/tra/(infer|text_operator|verify)\.cpp": "an input's type comes with it, all others' are inferred",
    r"src/ir/tra/(closedness|presence)\.cpp": "of complete relations only a filter makes one that is not",
    r"src/ir/ia/(graph|placement_of|text|verify)\.cpp": "local_op is the walker; a source's type comes with it; only a shuffle says where to, only a repartition cuts",
    r"src/engine/planning/given_inputs\.cpp": "only inputs are given",
    r"src/expr/(index|tile_program|verify_scalar)\.cpp": "the walkers of these sets, and the rules between their members",
    r"src/expr/(gather|guard|table_gather)\.cpp": "reads a pattern of an expression; what is none is no gather, no guard",
    r"src/optimizer/einsum/(input_part|product)\.cpp": "reads a pattern of an expression; what is none is no product",
    r"src/kernels/cpu/(best_position_kernel|ordered/lane_rows|walk/joined|windows/window_aggregate|grouped/(merging|reading|stored_value)|staged/wrapping)\.cpp": "so do kernels that run one pattern, and refuse what is none",
    r"src/kernels/reference/scalar_code\.cpp": "only a pad has a value outside",
}

# Text rules look at comments too.
TEXT_RULES = [
    ("TODO", r"(src|test|tools|examples|cmake)/.*\.(h|cpp|py|sh|ein|cmake|y|l|in)", r"(tools/lint|test/tools/test_lint)\.py", r"\b(TODO|FIXME|XXX)\b(?!: (?:\S+ ){3})",
     "A TODO says what would be done, in a sentence: `TODO: cut k too where the budget allows it`."),
    ("option name", r"src/.*\.(h|cpp|y|l)", r"src/(cli|simulate/simgrid)/.*", r'(?:"(?:[^"\\]|\\.)*|//.*)(?<![\w-])(?:--[a-z{]|-[oD] )',
     "Only the command line speaks of its options: a library names a setting in plain words and adds a Remedy (base/remedy.h)."),
    ("disabled test", r"test/.*\.(cpp|py)", r"test/tools/test_lint\.py", r"\bDISABLED_\w+|GTEST_SKIP\(\)\s*;|mark\.skip\b(?!\(reason)|pytest\.skip\(\s*\)",
     "A test that does not run says why: GTEST_SKIP() << \"reason\", skip(reason=\"...\")."),
    ("tab", r"(src|test|tools|examples)/.*\.(h|cpp|py|ein)", r"tools/lint\.py", r"\t",
     "Tabs are shown differently everywhere; clang-format writes spaces."),
]

# The first words of a comment, or of a paragraph of one, that put the subject last.
COMMENT_OPENING = r"\s*/// (?:Of|Those|Such|What|Whether|Which|How|As|Where|The same)\b"
COMMENT_OPENING_WHY = ("A comment begins with the thing it is about: a noun for a type or a value, a verb in the third person for a "
                       "function (`Returns ...`), `True if ...` for a predicate.")


def files_of(root):
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root)
        if path.is_file() and not SKIPPED_FOLDERS & set(name.parts):
            yield name.as_posix(), path


def without_comments(text):
    """C++ text with comments and the insides of strings blanked; lines keep their numbers."""
    def blank(match):
        found = match[0]
        if found[0] in "\"'":
            return found[0] * 2
        return "\n" * found.count("\n")
    includes = re.sub(r'(#include )"([^"\n]*)"', r"\1<\2>", text)
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', blank, includes, flags=re.S)


def line_problems(name, text):
    is_cpp = name.endswith((".h", ".cpp", ".y", ".l", ".cpp.in"))
    code = without_comments(text) if is_cpp else text
    for rules, searched in ((LINE_RULES, code), (TEXT_RULES, text)):
        for rule, files, excepted, pattern, why in rules:
            if not re.fullmatch(files, name) or (excepted and re.fullmatch(excepted, name)):
                continue
            source = text if rule == "parent include" else searched
            for number, line in enumerate(source.splitlines(), 1):
                if re.search(pattern, line):
                    yield number, rule, why


def closed_set_problems(name, text):
    if not re.fullmatch(r"src/.*\.(h|cpp)", name) or any(re.fullmatch(file, name) for file in MATCHES_BY_RIGHT):
        return
    for number, line in enumerate(without_comments(text).splitlines(), 1):
        if re.search(CLOSED_SET_MATCH, line):
            yield number, "closed set", CLOSED_SET_WHY


def chain_problems(name, text):
    if not re.fullmatch(r"src/.*\.(h|cpp)", name) or any(re.fullmatch(file, name) for file in MATCHES_BY_RIGHT):
        return
    lines = without_comments(text).splitlines()
    for members in CHAINED_SETS:
        last = None
        for number, line in enumerate(lines, 1):
            for match in re.finditer(rf"\b(?:get_if|holds_alternative)<(?:\w+::)*({members})>", line):
                if last and number - last[0] <= CHAIN_LINES and match[1] != last[1]:
                    yield number, "closed set", CLOSED_SET_WHY
                last = (number, match[1])


def comment_problems(name, text):
    if not re.fullmatch(r"src/.*\.(h|cpp|y|l|in)", name) or name.startswith("src/sql/"):
        return
    before = ""
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(COMMENT_OPENING, line) and not re.match(r"\s*/// ", before):
            yield number, "comment opening", COMMENT_OPENING_WHY
        before = line


def file_problems(name, text):
    stem = pathlib.PurePosixPath(name).stem
    if name.startswith("src/") and re.fullmatch(r"utils?|helpers?|common|misc", stem):
        yield 1, "name", "A file is named for its one idea; `utils` and `common` collect what nobody finds again."
    if re.fullmatch(r"src/.*\.h", name) and "#pragma once" not in text:
        yield 1, "pragma once", "A header that is read twice must not define anything twice."
    if re.fullmatch(r"src/.*\.(h|cpp|y|l|in)", name) and text.count("\n") > LONGEST_SOURCE and "Long because" not in text:
        yield 1, "length", f"Above {LONGEST_SOURCE} lines look for the second idea, or say why there is none: `// Long because ...`."
    # A source that defines what a header beside it declares is in the header's namespace.
    helper = name.removeprefix("test/").replace("_test.cpp", ".h")
    if re.fullmatch(r"test/unit/.*_test\.cpp", name) and f"::{stem} {{" not in text and f'#include "{helper}"' not in text:
        yield 1, "test namespace", f"Several tests are compiled at once: `namespace tessera::...::{stem}` keeps their helpers apart."
    if re.fullmatch(r"(examples|test)/.*\.ein", name) and not text.startswith("#"):
        yield 1, "program comment", "A program opens with a comment that says what it computes."
    if re.fullmatch(r"test/.*\.(test|plan)", name) and not text.startswith(f"# name: {name}\n"):
        yield 1, "test header", f"The first line is `# name: {name}`, so that a failure's text leads to its file."


def readme_problems(root):
    why = "Every room has the same five headings, so that a newcomer knows where to look."
    for folder in sorted((root / "src").iterdir()):
        if not folder.is_dir() or not any(folder.rglob("*.h")):
            continue
        readme = folder / "README.md"
        name = readme.relative_to(root).as_posix()
        if not readme.exists():
            yield name, 1, "folder README", why
            continue
        headings = re.findall(r"^#+\s*(.*?)\.?\s*$", readme.read_text(), flags=re.M)
        for wanted in README_HEADINGS:
            if wanted not in headings:
                yield name, 1, f"folder README lacks `## {wanted}`", why
    for readme in sorted((root / "src").rglob("README.md")):
        if readme.read_text().count("\n") > LONGEST_README:
            yield readme.relative_to(root).as_posix(), 1, "README length", README_WHY


def check(root):
    """Prints what is wrong below root; returns how much."""
    problems = list(readme_problems(root))
    for name, path in files_of(root):
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        problems += [(name, *problem) for problem in [*line_problems(name, text), *closed_set_problems(name, text), *chain_problems(name, text),
                                                  *comment_problems(name, text), *file_problems(name, text)]]
    for name, line, rule, why in sorted(problems):
        print(f"{name}:{line}: {rule}. {why}")
    return len(problems)


def main(arguments):
    if "--list" in arguments:
        for rule, *_, why in LINE_RULES + TEXT_RULES:
            print(f"{rule}: {why}")
        print(f"README length: {README_WHY}")
        print(f"comment opening: {COMMENT_OPENING_WHY}")
        print(f"closed set: {CLOSED_SET_WHY}")
        for file, why in MATCHES_BY_RIGHT.items():
            print(f"  {file}: {why}")
        return 0
    root = pathlib.Path(arguments[0]) if arguments else pathlib.Path(__file__).resolve().parent.parent
    return 1 if check(root) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
