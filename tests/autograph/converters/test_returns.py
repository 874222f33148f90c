"""A lowered `return`: its value first, then the flag."""

from tests.autograph.converters.running import assert_same, converted_text


def test_before_and_after():
    text = converted_text("def f(x):\n    if x:\n        return g(x)\n    return x\n")
    assert "retval_ = ag__.converted_call(fscope.read('g', g), (ag__.ld(x),)" in text
    at = text.index("retval_ = ag__.converted_call")
    assert text[at:].split("\n")[1].strip() == "do_return = True"


def test_a_conditional_expression_may_give_values_of_several_kinds():
    text = converted_text(
        "def f(x):\n    return (1 if x else 2 if g else 3) if x else h(4 if x else 5)\n"
    )
    assert text.count("ag__.result_exp(") == 3 and text.count("ag__.if_exp(") == 1


def test_a_value_that_raises_leaves_the_function_not_returned():
    assert_same(
        """
        def f(x):
            while True:
                try:
                    if x:
                        return 1 / x
                    return 1 / 0
                except ZeroDivisionError:
                    print("caught")
                    return "late"
        """,
        (0,),
        (2,),
    )


def test_return_in_loops_and_at_the_end():
    assert_same(
        """
        def f(xs):
            for x in xs:
                if x > 1:
                    return x
                if x < 0:
                    return
            else:
                print("through")
        """,
        ([0, 1],),
        ([0, 2, 3],),
        ([-1, 2],),
    )
