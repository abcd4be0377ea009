"""What tools/new_rule.py, new_placement_rule.py, new_kernel.py and new_function.py share: a name, a skeleton and its test, written once."""
import argparse
import pathlib
import re
import string
import sys


def main(kind, suffix, files, folder=None):
    """Writes `files` ({path: text}) for the name on the command line; never over a file that exists.

    In paths and texts $name is the name (push_down) and $Type its type (PushDown). Where `folder` says what a folder of
    this kind is, $folder is the one that the option --folder names, or $name.
    """
    parser = argparse.ArgumentParser(description=f"Writes a new {kind} and its test, with the comments to fill in.")
    parser.add_argument("name", help=f"in words and underscores, without {suffix!r}" if suffix else "in words and underscores")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    if folder:
        parser.add_argument("--folder", help=f"{folder}; without it, one of the {kind}'s own name")
    options = parser.parse_args()
    options.folder = getattr(options, "folder", None) or options.name
    for word in (options.name, options.folder):
        if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", word):
            sys.exit(f"{word}: a name is lower-case words joined by underscores")

    words = {"name": options.name, "folder": options.folder,
             "Type": "".join(word.capitalize() for word in options.name.split("_"))}
    written = {options.root / string.Template(path).substitute(words): string.Template(text).substitute(words)
               for path, text in files.items()}
    for path in written:
        if path.exists():
            sys.exit(f"{path} exists already")
    for path, text in written.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        print(path.relative_to(options.root))
