"""Edit distance: nested loops fill a table, the Levenshtein distance of two words at its end.

The recurrence is that of R. A. Wagner and M. J. Fischer, The string-to-string correction problem,
1974. With an open length in the signature one graph serves words of any two lengths above one.
"""

import numpy as np

import autograph as ag

WORD = ag.TensorSpec([None], "int64")


@ag.convert(input_signature=[WORD, WORD])
def distance(a, b):
    table = np.zeros((len(a) + 1, len(b) + 1), dtype=np.int64)
    for i in range(len(a) + 1):
        table[i, 0] = i
    for j in range(len(b) + 1):
        table[0, j] = j
    for i in range(len(a)):
        for j in range(len(b)):
            replaced = table[i, j]
            if a[i] != b[j]:
                replaced += 1
            inserted = table[i + 1, j] + 1
            deleted = table[i, j + 1] + 1
            table[i + 1, j + 1] = min(replaced, inserted, deleted)
    return table[len(a), len(b)]


def letters(word):
    return np.array([ord(letter) for letter in word])


def main():
    found = distance(letters("kitten"), letters("sitting"))
    print(f"kitten to sitting: {found}")

    assert found == 3
    assert distance(letters("intention"), letters("execution")) == 5
    assert distance(letters("same"), letters("same")) == 0
    assert distance.trace_count == 1


def plot(axes):
    words = ["kitten", "sitting", "mitten", "knitting", "smitten", "kitchen"]
    between = [[distance(letters(a), letters(b)) for b in words] for a in words]
    axes.imshow(between, cmap="Blues")
    axes.set_xticks(range(len(words)), words, rotation=45)
    axes.set_yticks(range(len(words)), words)
    for row, found in enumerate(between):
        for column, edits in enumerate(found):
            axes.text(column, row, edits, ha="center", va="center", color=_ink(edits / 6))


def _ink(shade):
    return "white" if shade > 0.5 else "black"


if __name__ == "__main__":
    main()
