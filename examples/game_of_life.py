"""The Game of Life: a `while` over whole arrays, until they stand still.

The game is John Conway's. The array is changed in place, as in NumPy: the caller's board is the
one that evolves.
"""

import numpy as np

import autograph as ag


@ag.convert
def settle(board, most):
    """Evolve `board` until nothing changes, at most `most` generations; gives their number."""
    generations = 0
    while generations < most:
        near = sum(
            np.roll(board, (down, right), (0, 1))
            for down in (-1, 0, 1)
            for right in (-1, 0, 1)
            if down != 0 or right != 0
        )
        following = np.where((near == 3) | ((board == 1) & (near == 2)), 1, 0)
        if (following == board).all():
            break
        board[:] = following
        generations += 1
    return generations


def show(board):
    return "\n".join("".join(".#"[cell] for cell in row) for row in board)


def main():
    board = np.zeros((10, 10), dtype=np.int64)
    board[4, 3:7] = 1  # four in a row become a beehive
    generations = settle(board, np.int64(100))
    print(show(board))

    assert generations == 2
    beehive = np.zeros((10, 10), dtype=np.int64)
    beehive[[3, 3, 4, 4, 5, 5], [4, 5, 3, 6, 4, 5]] = 1
    assert (board == beehive).all()


def plot(axes):
    """A soup of cells, and what is left of it after 200 generations."""
    board = (np.random.default_rng(3).random((48, 48)) < 0.3).astype(np.int64)
    before = board.copy()
    generations = settle(board, np.int64(200))
    axes.imshow(np.hstack([before, np.full((48, 2), 0.3), board]), cmap="Blues")
    axes.set_axis_off()
    axes.set_title(f"at first, and {generations} generations later")


if __name__ == "__main__":
    main()
