"""Random programs with dicts, sets, deques, counters and lists that loops left early fill by data.

As graphs they are right, or refused. `break`, `continue` and `return` stand inside of loops, and
exceptions within `try`, so that bodies are traced more than once, with containers that are opened
on the way.
"""

from __future__ import annotations

import random

import numpy as np

from tests.random_programs.blocks import blocks_of
from tests.random_programs.outcomes import is_answered, one_backend

HEAD = "from collections import Counter, defaultdict, deque\n\nimport numpy as np\n\n\n"

# By the letter of a container: how it begins, and with items; what is done with it; what is asked;
# what is gone through. `#` stands for an int, `~` for a float, `?` for a name of an int.
# All that counts is kept small: ints of the graph have 64 bits, and loops in loops end.
CONTAINERS = {
    "L": (
        ("[]", "[0.5, 1.5]"),
        """L.append(~); L.append(~); if L: s += L.pop(); if len(L) > 1: L[-1] = ~; L = L[1:]
        L.extend([x, t]); L.reverse(); L = [v * 2 for v in L if v > 0.5]; L += [s]; t = sum(L)
        if L: L.insert(0, x); if len(L) > 3: del L[0]; L.clear(); L = sorted(L)""",
        "L; len(L) > 2; not L",
        "for x in L[:4]:; for x in list(L)[-3:]:; for x in reversed(L[:4]):",
    ),
    "D": (
        ("{}", "{0: 1, 1: 2}"),
        """D[?] = # % 50; D[k] = D.get(k, 0) + 1; m = D.get(m, 1); if k in D: del D[k]; D.update({k: m})
        m = D.pop(k, 0); m += D.setdefault(k, 2) % 9; m = sum(D.values()) % 9; m = max(D) if D else 0
        if k in D: D[k] += 2; D = {q: w + 1 for q, w in D.items() if w < 9}""",
        "? in D; k not in D; not D",
        "for k in sorted(D)[:4]:; for k, m in list(D.items())[:4]:; for k in list(D)[:4]:",
    ),
    "S": (
        ("set()", "{1, 2}"),
        """S.add(?); S.add(#); S.discard(k); m = len(S); if k in S: S.remove(k); S.update((k, m))
        S |= {k}; S -= {m}; S &= {k, m, 1}; m = min(S) if S else 3""",
        "? in S; m not in S; S",
        "for k in sorted(S)[:4]:",
    ),
    "Q": (
        ("deque()", "deque([0.5])"),
        """Q.append(~); Q.appendleft(s); if Q: t = Q.popleft(); if Q: t += Q.pop()
        if len(Q) > 2: Q.rotate(1); t = sum(Q)""",
        "Q; len(Q) < 3",
        "",
    ),
    "C": (
        ("Counter()", "Counter([0, 1])"),
        "C[k % 3] += 1; C[m % 3] -= 1; C.update([k % 3]); m = sum(C.values())",
        "C[k % 3] > 1",
        "",
    ),
    "T": (
        ("defaultdict(int)", "defaultdict(int, {0: 3})"),
        "T[k % 4] += m; T[m % 4] += 1; m = T[k % 4] % 9",
        "T[m % 4] > 2; len(T) > 1",
        "",
    ),
    "F": (
        ("{}", "{0: 0.5}"),
        """F[k] = ~; F[k] = F.get(k, 0.0) + x; s += F.pop(k, 0.0); if F: s = F[min(F)]
        t = max(F.values()) if F else 0.0""",
        "k in F; not F",
        "for k, x in list(F.items())[:4]:; for x in list(F.values())[:4]:",
    ),
    "P": (
        ("[]", "[(1, 0.5)]"),
        """P.append((k, s)); P.append((m, x)); if P: k, s = P.pop(); t = sum(v for _, v in P)
        P = [(q, v) for q, v in P if q > 1]; P.sort()""",
        "P; len(P) > 1",
        "for k, x in list(P)[:4]:",
    ),
    "R": (
        ("[]", "[[0.5], [0.5, 1.5]]"),
        """R.append([~]); R.append([~, ~]); R.append([]); if R: s = sum(R[-1]); R.reverse()
        if R: R[0] = R[0] + [~]; m = sum(len(q) for q in R) % 9; R = [q for q in R if len(q) > 1]
        if R: s += sum(R.pop()); if len(R) > 3: del R[0]; R += [[x]]; R.insert(0, [s, t])
        R = [q + [t] for q in R[:3]]; q = [~]; R.append(q); if R: q = R[0]; R[0] = [~]; s += len(q)
        R.append([v for v in a if v > x]); if R: t = max(R, key=len)[0]; R = R[1:]; R.append(R[0][1:])
        R = sorted(R, key=len); q = [~]; q.append(~); R.append(q); R.append(q); q.append(~)""",
        "R; len(R) > 2; not R; R[0] == R[-1]",
        "for q in R[:3]:; for x in (R[0] if R else [])[:3]:; for k, q in enumerate(R[-2:]):",
    ),
    "G": (
        ("{}", "{0: [0.5]}"),
        """G[k] = G.get(k, []) + [~]; G[m % 3] = [x, s]; if k in G: s = sum(G[k]); if k in G: del G[k]
        m = sum(map(len, G.values())) % 9; G = {k: v + [t] for k, v in G.items() if len(v) < 4}
        G[k] = [v for v in a if v < t]; G.setdefault(m, []); t = sum(G.pop(k, [1.0]))
        if k in G: G[k] = G[k][1:]; if k in G: G[m] = G[k]; G[k] += [x]""",
        "k in G; len(G) > 1; not G",
        "for k, q in list(G.items())[:3]:; for q in list(G.values())[:3]:",
    ),
}
INTS = ("k", "k", "m", "n", "2", "3", "0", "1", "len(a)")
FLOATS = ("s", "t", "x", "a[0]", "a[1]", "0.5", "1.25")
FAILING = {
    "D": "m = D[k]", "L": "t = L[k]", "F": "s = F[m]", "S": "S.remove(m)", "P": "k, s = P.pop()",
}  # fmt: skip
PLAIN = "s = ~; t = ~; s += ~; k = # % 7; m = # % 7; s, t = t, s; k, m = m, k; k, m = m + 1, k"

LOOPS = """for x in a:; for x in a:; for k in range(n):; for k in range(1, 4):; for k in (0, 1, 2):
for k in (2, 0, 1):; for k, x in enumerate(a):"""


class Writer:
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.used = self.draw.sample(sorted(CONTAINERS), self.draw.choice((1, 2, 2, 3)))

    def filled(self, text: str, depth: int = 1) -> str:
        """A text with something for each placeholder."""
        out = ""
        for sign in text:
            out += {"#": self.int, "~": self.float, "?": self.name}.get(sign, lambda _: sign)(depth)
        return out

    def one_of(self, table: str) -> str:
        return self.draw.choice([part.strip() for part in table.replace("\n", ";").split(";")])

    def name(self, depth: int) -> str:
        return self.draw.choice("kmn")

    def int(self, depth: int) -> str:
        if depth and self.draw.random() < 0.5:
            form = self.draw.choice(("(# + #)", "(# * 2)", "(# - #)", "(# % 4)", "int(~ % 8)", "@"))
            form = form.replace("@", f"len({self.draw.choice(self.used)})")
            return self.filled(form, depth - 1)
        return self.draw.choice(INTS)

    def float(self, depth: int) -> str:
        if depth and self.draw.random() < 0.5:
            form = self.draw.choice(
                ("(~ + ~)", "(~ * ~)", "(~ - ~)", "abs(~)", "(~ if # < # else ~)")
            )
            return self.filled(form, depth - 1)
        return self.draw.choice(FLOATS)

    def test(self) -> str:
        asked = [CONTAINERS[name][2] for name in self.used]
        return self.filled(self.one_of("; ".join(["~ < ~; ~ >= ~; # < #; # == #; # != #", *asked])))

    def block(self, depth: int, loops: int, indent: str) -> list[str]:
        """Lines of up to three statements."""
        lines = []
        for _ in range(self.draw.randint(1, 3)):
            lines += [indent + line for line in self.statement(depth, loops)]
        return lines

    def statement(self, depth: int, loops: int) -> list[str]:
        way = self.draw.random()
        if loops and way < 0.15:
            return [self.exit()]
        if not depth or way < 0.5:
            table = CONTAINERS[self.draw.choice(self.used)][1] if way < 0.38 else PLAIN
            return [self.filled(self.one_of(table))]
        if way < 0.66:
            lines = [f"if {self.test()}:", *self.block(depth - 1, loops, "    ")]
            if self.draw.random() < 0.5:
                lines += ["else:", *self.block(depth - 1, loops, "    ")]
            return lines
        if way < 0.74:
            return self.attempt(depth, loops)
        return self.loop(depth, loops)

    def loop(self, depth: int, loops: int) -> list[str]:
        """A loop, which data often leaves."""
        through = [CONTAINERS[name][3] for name in self.used]
        head = self.one_of("; ".join([LOOPS, *filter(None, through)]))
        lines = [head, *self.block(depth - 1, loops + 1, "    ")]
        if self.draw.random() < 0.7:
            lines += [f"    {self.exit()}", *self.block(depth - 1, loops + 1, "    ")]
        return [*lines, "else:", "    t += 0.5"] if self.draw.random() < 0.12 else lines

    def exit(self) -> str:
        """What leaves a loop, or a round of it."""
        word = self.draw.choice(("break", "break", "continue", self.returned()))
        return f"if {self.test()}: {word}"

    def attempt(self, depth: int, loops: int) -> list[str]:
        fails = [FAILING[name] for name in self.used if name in FAILING]
        fails += ["m = 7 // m", "if s > 2.0: raise ValueError(k)"]
        kinds = self.draw.choice(("Exception", "(LookupError, ZeroDivisionError, ValueError)"))
        body = [*self.block(depth - 1, loops, "    "), f"    {self.draw.choice(fails)}"]
        return ["try:", *body, f"except {kinds}:", f"    {self.filled(self.one_of(PLAIN))}"]

    def returned(self) -> str:
        return f"return s, t, k, m, {', '.join(self.used)}"

    def program(self) -> str:
        """The text of a function of an array, a float and an int."""
        starts = [f"{name} = {self.draw.choice(CONTAINERS[name][0])}" for name in self.used]
        lines = [*starts, "s, t, x = 0.0, y, 0.5", "k, m = 1, 2"]
        lines += [*self.block(1, 0, ""), *self.loop(2, 0), "for x in a:", *self.block(3, 1, "    ")]
        lines += [*self.loop(2, 0), *self.block(1, 0, ""), self.returned()]
        return f"{HEAD}def f(a, y, n):\n" + "".join(f"    {line}\n" for line in lines)

    def arguments(self) -> tuple[np.ndarray, float, int]:
        numbers = [self.draw.randrange(-8, 12) / 4 for _ in range(5)]
        return np.array(numbers[:4]), numbers[4], 3


def is_answered_of(seed):
    """Whether a program is answered, as Python does."""
    writer = Writer(seed)
    text = writer.program()
    return is_answered(text, [writer.arguments() for _ in range(4)], one_backend(seed), seed)


test_containers_of_data, test_containers_of_data_at_length = blocks_of(
    is_answered_of, step=12, many=2000, share=0.6
)
