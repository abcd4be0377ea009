"""The shell of `tessera sql` on a pseudo terminal, and its commands in scripts."""
import os
import pty
import re
import select
import signal
import subprocess
import time

import numpy as np
import pytest

from command_line import Tessera

TESSERA = Tessera(os.environ["TESSERA"])
PATIENCE_SECONDS = 30


class Terminal:
    """A shell, and what it has written so far without what moves the cursor."""

    def __init__(self, folder, *options, environment=()):
        # A sanitizer counts the names of commands that libedit never frees.
        variables = {**os.environ, "TERM": "xterm", "HOME": str(folder), "COLUMNS": "100", "ASAN_OPTIONS": "detect_leaks=0",
                     **dict(environment)}
        variables.pop("XDG_STATE_HOME", None)
        self.process, self.descriptor = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            os.execve(TESSERA.path, ["tessera", "sql", "db", *options], variables)
        self.seen = ""

    def send(self, text):
        os.write(self.descriptor, text.encode())

    def wait_for(self, pattern):
        """Reads on until the pattern is there; gives what was written up to its end."""
        limit = time.monotonic() + PATIENCE_SECONDS
        while not (found := re.search(pattern, self.seen, flags=re.S)):
            ready, _, _ = select.select([self.descriptor], [], [], max(0, limit - time.monotonic()))
            assert ready, f"{pattern!r} is not in {self.seen!r}"
            try:
                data = os.read(self.descriptor, 65536).decode()
            except OSError:  # the other end is closed
                data = ""
            assert data, f"the shell ended without {pattern!r} in {self.seen!r}"
            self.seen += re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[=>]", "", data).replace("\r\n", "\n")
        before, self.seen = self.seen[:found.end()], self.seen[found.end():]
        return before

    def ask(self, line, prompt=r"\ndb=> "):
        """What a line gives, up to the next prompt."""
        self.send(line + "\n")
        return self.wait_for(prompt)

    def exit_code(self):
        limit = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < limit:
            process, status = os.waitpid(self.process, os.WNOHANG)
            if process:
                os.close(self.descriptor)
                self.process = 0
                return os.waitstatus_to_exitcode(status)
            if select.select([self.descriptor], [], [], 0.05)[0]:
                try:
                    os.read(self.descriptor, 65536)
                except OSError:
                    time.sleep(0.02)
        raise AssertionError("the shell does not end")

    def kill(self):
        if self.process:
            os.kill(self.process, signal.SIGKILL)
            os.waitpid(self.process, 0)
            os.close(self.descriptor)


@pytest.fixture
def start(tmp_path):
    terminals = []

    def begin(*options, **more):
        terminals.append(Terminal(tmp_path, *options, **more))
        terminals[-1].wait_for("db=> ")
        return terminals[-1]

    yield begin
    for terminal in terminals:
        terminal.kill()


@pytest.fixture
def script(tmp_path):
    """Runs a text after -c."""
    return lambda text, *options: TESSERA.call("sql", tmp_path / "db", "-c", text, *options)


def test_statements_run_as_their_semicolons_come(start):
    shell = start()
    assert " 1\n(1 row)\n" in shell.ask("SELECT 1;")
    shell.ask("-- a remark")
    shell.ask("CREATE TABLE t(k int,", r"\ndb-> ")
    shell.ask("  name text); INSERT INTO t", r"\ndb-> ")
    assert "INSERT 0 1" in shell.ask("VALUES (1, 'a;b');")
    shell.ask("SELECT 'a", r"\ndb'> ")
    assert "(1 row)" in shell.ask("b';")
    assert "(1 row)" in shell.ask("SELECT k AS one FROM t; SELECT name AS other FROM t;", r"one.*other.*\ndb=> ")


def test_the_prompt_says_that_there_is_a_transaction(start):
    shell = start()
    shell.ask("BEGIN;", r"\ndb=\*> ")
    shell.ask("CREATE TABLE t(k", r"\ndb-\*> ")
    shell.ask("int);", r"\ndb=\*> ")
    shell.ask("SELECT nosuch;", r"\ndb=\*> ")
    shell.ask("ROLLBACK;")
    assert "(0 rows)" in shell.ask("\\dt")


def test_an_error_is_said_and_the_shell_goes_on(start):
    shell = start()
    assert "42703: there is no column x" in shell.ask("SELECT x;")
    assert "<input>:1:13: error: 42601: syntax error at or near" in shell.ask("SELECT FROM FROM;")
    assert "there is no command \\frob" in shell.ask("\\frob")
    assert "(1 row)" in shell.ask("SELECT 1;")
    shell.send("\\q\n")
    assert shell.exit_code() == 0


def test_control_c_clears_what_was_written(start):
    shell = start()
    shell.ask("SELECT 'open", r"\ndb'> ")
    shell.send("more\x03")
    shell.wait_for(r"\ndb=> ")
    assert "(1 row)" in shell.ask("SELECT 1;")


def test_control_c_ends_a_statement_only(start):
    shell = start()
    shell.send("WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c;\n")
    time.sleep(0.5)
    shell.send("\x03")
    assert "interrupted: 57014: interrupted" in shell.wait_for(r"\ndb=> ")
    shell.send("\x03")  # once more: it clears an empty line
    shell.wait_for(r"\ndb=> ")
    assert "(1 row)" in shell.ask("SELECT 1;")


def test_an_interrupted_statement_leaves_its_transaction(start):
    """What it changed before stays, and is taken back with it; what is committed stays readable."""
    shell = start()
    open_prompt = r"\ndb=\*> "
    shell.ask("CREATE TABLE t(k int, v vector[2]); INSERT INTO t VALUES (1, '{1,2}'), (2, '{3,4}');", r"INSERT.*\ndb=> ")
    shell.ask("BEGIN;", open_prompt)
    shell.ask("UPDATE t SET v = v * 10 WHERE k = 1;", open_prompt)
    endless = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) "
    for statement in ("SELECT count(*) FROM c;", "SELECT n FROM c WHERE n < 0;"):
        shell.send(endless + statement + "\n")
        time.sleep(0.5)
        shell.send("\x03")
        assert "interrupted: 57014: interrupted" in shell.wait_for(open_prompt)
    shell.send("INSERT INTO t " + endless + "SELECT n, NULL FROM c;\n")
    time.sleep(0.5)
    shell.send("\x03")
    assert "interrupted: 57014: interrupted" in shell.wait_for(open_prompt)
    shell.ask("INSERT INTO t VALUES (3, '{5,6}');", open_prompt)
    assert re.search(r"1 \| \[10 20\]\n +2 \| \[3 4\]\n +3 \| \[5 6\]\n\(3 rows\)", shell.ask("SELECT k, v FROM t ORDER BY k;", open_prompt))
    shell.ask("ROLLBACK;")
    assert re.search(r"1 \| \[1 2\]\n +2 \| \[3 4\]\n\(2 rows\)", shell.ask("SELECT k, v FROM t ORDER BY k;"))


def test_a_process_that_is_told_to_end_does(start):
    shell = start()
    shell.send("WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c;\n")
    time.sleep(0.5)
    os.kill(shell.process, signal.SIGTERM)
    assert shell.exit_code() == 143


def test_a_bar_shows_how_far_a_statement_is(start, tmp_path):
    np.save(tmp_path / "m.npy", np.ones((1, 500, 500)))
    shell = start("--workers=1", "--kernel=reference", "--pieces=500")
    shell.ask("CREATE TABLE t(m matrix[][]); COPY t(m) FROM 'm.npy';", r"CREATE TABLE.*\ndb=> ")
    shell.send("SELECT trace(matmul(matmul(m, m), m)) FROM t;\n")
    shell.wait_for(r"\[#* *\] +\d+ %, .* left")
    shell.send("\x03")
    assert "interrupted: 57014" in shell.wait_for(r"\ndb=> ")


@pytest.mark.parametrize("ending", ["\\q\n", "\x04", "exit\n", "quit\n"])
def test_the_shell_ends(start, ending):
    shell = start()
    shell.send(ending)
    assert shell.exit_code() == 0


def test_words_are_completed(start):
    shell = start()
    shell.ask("CREATE TABLE measurements(reading double precision, weight_matrix matrix[2][2]);")
    assert " reading\n---------\n(0 rows)" in shell.ask("SEL\tread\tFR\tmeas\t;")
    assert " weight_matrix\n---------------\n(0 rows)" in shell.ask("sel\tweight_\tfro\tmea\t;")
    assert "Timing is on." in shell.ask("\\ti\to\tn")
    shell.send("SELECT reduceby\t\t")
    shell.wait_for(r"\nreducebycol +reducebyrow *\n")
    shell.wait_for("db=> SELECT reduceby")
    shell.send("\x03")
    shell.wait_for(r"\ndb=> ")
    shell.send("COPY measurements FROM '.local/state/tes\t")
    shell.wait_for("tes\r?sera/$")


def test_history_is_kept(start, tmp_path):
    shell = start()
    shell.ask("SELECT 7 * 6 AS answer;")
    shell.send("\\q\n")
    shell.exit_code()
    assert (tmp_path / ".local/state/tessera/sql_history").stat().st_mode & 0o77 == 0
    shell = start()
    assert "42\n" in shell.ask("\x1b[A\x1b[A")  # before \\q


def test_commands_describe_what_is_there(script):
    script("CREATE TABLE t(k int PRIMARY KEY, v vector(f32)[3] NOT NULL, name text DEFAULT 'x'); CREATE INDEX by_name ON t(name);"
           "CREATE VIEW w AS SELECT k FROM t; CREATE TABLE p[0] AS SELECT 1 AS x; CREATE TABLE p[i:1...] AS SELECT x + 1 AS x FROM p[i-1];"
           "MATERIALIZE p[3]")
    done = script("\\d")
    assert re.findall(r" (\S+) +\| (.*)\n", done.stdout) == [
        ("Name", "       Type"), ("p", "table with versions"), ("p[3]", "table"), ("t", "table"), ("w", "view")], done.stdout
    assert re.findall(r" (\S+) +\| table\n", script("\\dt").stdout) == ["p[3]", "t"]
    assert re.findall(r" (\S+) +\| view\n", script("\\dv").stdout) == ["w"]
    table = script("\\d T").stdout
    assert re.search(r" k +\| integer +\|", table) and re.search(r" v +\| vector\(f32\)\[3\] +\| not null", table), table
    assert re.search(r" name +\| text +\| +\| 'x'", table), table
    assert "PRIMARY KEY (k)" in table and "by_name (name)" in table
    script("CREATE VIEW x AS SELECT k, k * 1.5 AS h, name, sum(v) + 1 AS u, array_agg(v ORDER BY k) AS a FROM t GROUP BY k")
    assert "SELECT k FROM t;" in script("\\d w").stdout
    assert re.findall(r" (\S+) +\| (\S.*)\n", script("\\d x").stdout) == [
        ("k", "integer"), ("h", "double precision"), ("name", "text"), ("u", "vector(f32)[3]"), ("a", "matrix(f32)[1][3]")]
    versions = script("\\d p").stdout
    assert "p[i:1...] AS SELECT x + 1 AS x FROM p[i-1];" in versions and "p[3]" in versions, versions
    refused = script("\\d tt")
    assert refused.exit_code == 1 and "there is no table or view tt; did you mean 't'?" in refused.stderr, refused.describe()


def types_of(script, *tables):
    """The types of the columns of tables, in order."""
    text = "".join(script(f"\\d {table}").stdout for table in tables)
    return [line.split("|")[1].strip() for line in text.splitlines() if "|" in line and "Column" not in line]


def test_dtypes_of_columns_and_tensors(script):
    script("CREATE TABLE t(k int, x double precision, w vector(i64)[2], b vector(i8)[2], f vector(f32)[2]);"
           "CREATE TABLE made AS SELECT w + k AS a, b * k AS b, f * k AS c, w * x AS d, b * 2 AS e, w + k * 2 AS f, w - (k > 1) AS g FROM t")
    assert types_of(script, "made") == ["vector(i64)[2]", "vector(i64)[2]", "vector(f32)[2]", "vector[2]", "vector(i64)[2]", "vector(i64)[2]",
                                        "vector(i64)[2]"]


def test_types_of_no_rows(script):
    script("CREATE TABLE t(k int, x real, s text, q boolean, d date, v vector[2]); CREATE TABLE made AS SELECT k, x * k AS x, s || 'a' AS s, q, d, "
           "count(*) AS n, avg(k) AS m, sum(v) AS v FROM t GROUP BY k, x, s, q, d; CREATE TABLE scalars AS SELECT t.k + 1 AS a, y.s, y.x FROM t, t y")
    assert types_of(script, "made", "scalars") == [
        "integer", "double precision", "text", "boolean", "date", "integer", "double precision", "vector[2]", "integer", "text", "double precision"]


def test_commands_describe_functions(script):
    assert re.search(r" matmul\(a, b\) +\| the product of two matrices", script("\\df").stdout)
    assert "the product of two matrices" in script("\\df matmul").stdout
    assert "exp" in script("\\df exp").stdout


def test_every_command_is_listed(script):
    text = script("\\?").stdout
    for command in ("\\d", "\\dt", "\\dv", "\\df", "\\timing", "\\x", "\\i", "\\copy", "\\?", "\\q"):
        assert f"\n{command} " in "\n" + text, command


def test_commands_between_statements(script, tmp_path):
    (tmp_path / "inner.sql").write_text("SELECT 'inner' AS a;\n\\q\nSELECT 'never' AS a;\n")
    (tmp_path / "outer.sql").write_text(f"\\timing on\nSELECT '\n\\not a command' AS a;\n\\timing\n\\i {tmp_path}/inner.sql\nSELECT 'never' AS b;\n")
    done = TESSERA.call("sql", tmp_path / "db", "-f", tmp_path / "outer.sql", "--csv")
    assert done.exit_code == 0 and done.stdout == 'a\n"\n\\not a command"\na\ninner\n', done.describe()
    assert len(re.findall(r"Time: [\d.]+ ms", done.stderr)) == 1


def test_a_script_that_runs_itself(script, tmp_path):
    (tmp_path / "own.sql").write_text(f"\\i {tmp_path}/own.sql\n")
    done = script(f"\\i {tmp_path}/own.sql")
    assert done.exit_code == 1 and "files run each other" in done.stderr, done.describe()


def test_copy_as_a_command(script, tmp_path):
    script(f"CREATE TABLE t(k int, v vector[2]); INSERT INTO t VALUES (1, '{{3,4}}')")
    assert script(f"\\copy t TO '{tmp_path}/t.csv'").exit_code == 0
    assert (tmp_path / "t.csv").read_text() == '1,"{3,4}"\n'
    assert "COPY 1" in script(f"\\copy t FROM '{tmp_path}/t.csv'").stderr


def test_expanded_rows(script):
    assert script("\\x\n SELECT 1 AS a, 'text' AS name").stdout == "-[ RECORD 1 ]-\na    | 1\nname | text\n\n"


def test_a_pipe_ends_at_the_first_error(tmp_path):
    done = subprocess.run([TESSERA.path, "sql", tmp_path / "db", "--csv"], input="SELECT 1 AS a;\n\\x\nSELECT 2 AS b;\n",
                          capture_output=True, text=True)
    assert done.returncode == 1 and done.stdout == "a\n1\n" and "/dev/stdin:2:1: error" in done.stderr, done


def test_an_error_keeps_what_would_help(script):
    script("CREATE TABLE t(m matrix[50][50]); INSERT INTO t SELECT " + "ARRAY" + str([[1] * 50] * 50))
    done = script("SELECT matmul(m, m) FROM t", "--memory=16KiB", "--pieces=1")
    assert done.exit_code == 1 and "53000: " in done.stderr and "help: " in done.stderr and "--memory" in done.stderr, done.describe()
