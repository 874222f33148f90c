"""Functions that read and write the names that a staged statement carries."""

from tests.autograph.converters.running import assert_same, converted_by, converted_text

WALK = "names, assignments, branches"


def test_before_and_after():
    made = converted_by(WALK, "if x: y = x\ny")
    assert "def get_state():\n    return (y,)" in made
    assert "def set_state(vars_):\n    nonlocal y\n    y, = vars_" in made
    assert "get_state, set_state, ('y',)" in made


def test_a_statement_that_carries_nothing_has_empty_accessors():
    made = converted_by(WALK, "if x: z = x")
    assert "return ()" in made and "def set_state(vars_):\n    pass" in made


def test_names_of_other_scopes_are_read_with_care_and_never_bound_to_the_mark():
    made = converted_text("def f(x):\n    global g\n    if x: g = 1\n")
    assert "ag__.read_or_undefined(lambda: g, 'g')" in made
    assert "global g" in made and "ag__.is_undefined(value_)" in made
    assert "del g" in made


def test_two_statements_have_accessors_of_their_own():
    made = converted_by(WALK, "if x: y = 1\nif y: y = 2")
    assert "get_state_1" in made and "set_state_1" in made


def test_a_global_that_no_path_bound_stays_unbound():
    assert_same(
        """
        def f(x):
            global never_bound_here
            if x:
                never_bound_here = x
            try:
                return never_bound_here
            except NameError as error:
                return str(error)
        """,
        (0,),
        (3,),
    )


def test_a_nonlocal_is_written_where_it_is_at_home():
    assert_same(
        """
        def f(x):
            total = 0
            def add(k):
                nonlocal total
                if k > 1:
                    total = total + k
            for k in x:
                add(k)
            return total
        """,
        ([1, 2, 3],),
        ([],),
    )
