"""Functions of C as files: source, header, and a program that runs the first of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from runtime.export.c.expressions import HELPERS
from runtime.export.c.programs import Argument, Function

__all__ = ["Exported", "header", "main", "source"]

_RESERVE = """\
/* Room for so many elements, and for as many again: so growing is cheap. */
static bool reserve(void **memory, int64_t *room, int64_t count, size_t each) {
    const int64_t more = count > 2 * *room ? count : 2 * *room;
    if (more > (int64_t)(PTRDIFF_MAX / each)) return false;
    void *found = realloc(*memory, (more > 8 ? more : 8) * each);
    if (!found) return false;
    *memory = found;
    *room = more > 8 ? more : 8;
    return true;
}
"""
_ROOM = """\
/* Memory for so many elements; NULL where there is none. */
static void *room_for(int64_t count, size_t each) {
    if (count > (int64_t)(PTRDIFF_MAX / each)) return NULL;
    return malloc(count > 0 ? count * each : each);
}
"""
_TAKEN = """\
static void *taken(size_t size, int64_t count) {
    void *memory = calloc(count, size);
    if (count && (!memory || fread(memory, size, count, stdin) != (size_t)count)) {
        fprintf(stderr, "the input ends too early, or is too large\\n");
        exit(2);
    }
    return memory;
}
"""
_SIZE = """\
static int64_t size_of(const char *text) {
    char *end;
    const long long size = strtoll(text, &end, 10);
    if (end == text || *end || size < 0) {
        fprintf(stderr, "a size is a number from 0 on, not `%s`\\n", text);
        exit(2);
    }
    return size;
}
"""
_BEGIN = """\
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* What was written as a product and a sum is not to be one operation. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("fp-contract=off")
#else
#pragma STDC FP_CONTRACT OFF
#endif
"""


class Exported(NamedTuple):
    """One function of a file: its name, what it takes, the names of its results, and its text."""

    name: str
    arguments: Sequence[Argument]
    results: Sequence[str]
    function: Function
    about: str

    @property
    def prototype(self) -> str:
        """Its declaration."""
        return f"{self.function.text.splitlines()[0].removesuffix(' {')};"


def source(stem: str, functions: Sequence[Exported], arrays: Sequence[str]) -> str:
    """The source: constants, state, functions."""
    helpers = {name for f in functions for name in f.function.helpers}
    parts = [f'/* See {stem}.h. */\n#include "{stem}.h"\n\n{_BEGIN}']
    parts += [text for name, text in HELPERS.items() if name in helpers]
    parts += [_ROOM] if any("room_for(" in f.function.text for f in functions) else []
    parts += [_RESERVE] if "reserve" in helpers else []
    parts += arrays
    for f in functions:
        parts += [*f.function.constants, _free(f), f.function.text, _error(f)]
    return "\n".join(parts)


def header(stem: str, functions: Sequence[Exported]) -> str:
    """The header: what each function takes and gives."""
    guard = "".join(c if c.isalnum() else "_" for c in f"{stem.upper()}_H")
    parts = [
        f"#ifndef {guard}\n#define {guard}\n\n#include <stdbool.h>\n#include <stdint.h>\n",
        "/* Functions give 0, or a status that `..._error` tells in words; then there are no\n"
        " * results. Arrays lie in C order; those of results are freed by `..._free`. */\n",
    ]
    for f in functions:
        about = f.about.replace("*/", "* /")
        parts.append(f"/* {about} */\ntypedef struct {{\n{_fields(f)}}} {f.name}_results;\n")
        parts.append(
            f"{f.prototype}\nvoid {f.name}_free({f.name}_results *results);\n"
            f"const char *{f.name}_error(int status);\n"
        )
    return "\n".join([*parts, "#endif\n"])


def _fields(f: Exported) -> str:
    rows = []
    for name, (type_, rank) in zip(f.results, f.function.results, strict=True):
        if rank is None:
            rows.append(f"    {type_} {name};\n")
        else:
            rows.append(f"    {type_} *{name};\n    int64_t {name}_shape[{max(rank, 1)}];\n")
    return "".join(rows) or "    char none;\n"


def _free(f: Exported) -> str:
    rows = zip(f.results, f.function.results, strict=True)
    lines = [
        f"    free(results->{name});\n    results->{name} = NULL;\n"
        for name, (_, rank) in rows
        if rank is not None
    ]
    body = "".join(lines) or "    (void)results;\n"
    return f"void {f.name}_free({f.name}_results *results) {{\n{body}}}\n"


def _error(f: Exported) -> str:
    """The function that tells a status in words."""
    told = [*enumerate(f.function.checks, 1)]
    told += [(-2 - k, text) for k, text in enumerate(f.function.demands)]
    cases = [f"    case {status}: return {_quoted(text)};\n" for status, text in told]
    return (
        f"const char *{f.name}_error(int status) {{\n    switch (status) {{\n"
        '    case 0: return "";\n'
        '    case -1: return "no memory";\n'
        f'{"".join(cases)}    default: return "an error of no known kind";\n    }}\n}}\n'
    )


def _quoted(text: str) -> str:
    # Octal digits are three at most; those of other escapes go on with what follows.
    plain = {code: chr(code) for code in range(32, 127) if chr(code) not in '"\\?'}
    return '"' + "".join(plain.get(byte, f"\\{byte:03o}") for byte in text.encode()) + '"'


# ---- a program -----------------------------------------------------------------------------------


def main(stem: str, f: Exported) -> str:
    """A program that reads the arguments from its input and writes the results to its output."""
    given = [a for a in f.arguments if a.content is None]
    sizes = [
        (f"{a.name}_size{axis}", number)
        for number, (a, axis) in enumerate(
            (a, axis) for a in given for axis, n in enumerate(a.shape or ()) if n is None
        )
    ]
    names = " ".join(name for name, _ in sizes)
    lines = [
        f"/* Runs {f.name}: the numbers of its arguments come from the input, one array after the\n"
        f" * other, those of its results go to the output: {stem} {names} < in > out */",
        f'#include "{stem}.h"\n\n#include <stdio.h>\n#include <stdlib.h>\n',
        _TAKEN,
        *([_SIZE] if sizes else []),
        "int main(int argc, char **argv) {",
        f"    if (argc != {len(sizes) + 1}) {{",
        f'        fprintf(stderr, "usage: %s {names} < in > out\\n", argv[0]);',
        "        return 2;\n    }",
    ]
    lines += [f"    const int64_t {n} = size_of(argv[{k + 1}]);" for n, k in sizes]
    passed = []
    for a in given:
        counts = [f"{a.name}_size{k}" if n is None else str(n) for k, n in enumerate(a.shape or ())]
        total = " * ".join(counts) or "1"
        lines.append(f"    {a.type} *{a.name} = taken(sizeof({a.type}), {total});")
        opened = [c for c, n in zip(counts, a.shape or (), strict=True) if n is None]
        passed += [f"*{a.name}" if a.shape is None else a.name, *opened]
    freed = [f"    free({a.name});" for a in given]
    lines.append("    if (getchar() != EOF) {")
    lines += [f"    {line}" for line in freed]
    lines.append('        fprintf(stderr, "the input is longer than the arguments\\n");')
    lines.append("        return 2;\n    }")
    lines.append(f"    {f.name}_results results;")
    lines.append(f"    const int status = {f.name}({', '.join([*passed, '&results'])});")
    lines += [*freed, "    if (status) {"]
    lines.append(
        f'        fprintf(stderr, "%s\\n", {f.name}_error(status));\n        return 1;\n    }}'
    )
    for name, (type_, rank) in zip(f.results, f.function.results, strict=True):
        where = f"&results.{name}" if rank is None else f"results.{name}"
        counts = [f"results.{name}_shape[{k}]" for k in range(rank or 0)]
        lines.append(f"    fwrite({where}, sizeof({type_}), {' * '.join(counts) or '1'}, stdout);")
    lines.append(f"    {f.name}_free(&results);")
    lines.append("    if (fflush(stdout) || ferror(stdout)) {")
    lines.append('        perror("results");\n        return 2;\n    }')
    return "\n".join([*lines, "    return 0;\n}\n"])
