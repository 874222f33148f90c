"""What generated code calls as `ag__`: each operator with its Python and its graph meaning."""

from autograph.operators.branches.chosen_errors import cause, raised
from autograph.operators.branches.conditionals import if_exp, if_stmt, result_exp
from autograph.operators.branches.long_chains import if_exps
from autograph.operators.builtins.comprehensions import (
    dict_comp,
    generator_exp,
    list_comp,
    set_comp,
)
from autograph.operators.builtins.counting import (
    dict_display,
    difference,
    intersection,
    ior,
    symmetric_difference,
    union,
)
from autograph.operators.builtins.gathering import named, spread, unpack, unpack_ex
from autograph.operators.builtins.in_place import (
    iadd,
    iand,
    ifloordiv,
    ilshift,
    imatmul,
    imod,
    imul,
    ipow,
    irshift,
    isub,
    itruediv,
    ixor,
)
from autograph.operators.builtins.membership import compare, holds, in_, not_in
from autograph.operators.calls.calls import (
    autograph_artifact,
    converted_call,
    converted_lambda,
    frame_call,
    local_class,
)
from autograph.operators.calls.contexts import context, with_stmt
from autograph.operators.calls.decorators import decorator
from autograph.operators.captured.variables import (
    Undefined,
    UndefinedReturnValue,
    is_none,
    is_not_none,
    is_undefined,
    ld,
    ld_free,
    read_or_undefined,
)
from autograph.operators.catching.exceptions import assert_stmt, at_end, try_body, try_stmt
from autograph.operators.containers.joining import joined, repeated
from autograph.operators.containers.open_sets import display, fresh
from autograph.operators.expressions.access import delitem, getitem, iterate, setitem, slice_
from autograph.operators.expressions.attributes import delattr_, getattr_, imported, setattr_
from autograph.operators.expressions.generators import GeneratorScope
from autograph.operators.expressions.logical import (
    and_,
    asked_and,
    asked_or,
    both,
    either,
    equal,
    greater,
    greater_equal,
    is_,
    is_not,
    less,
    less_equal,
    not_,
    not_equal,
    or_,
    truth,
)
from autograph.operators.loops.loops import for_stmt, while_stmt
from autograph.operators.patterns import taken_apart
from autograph.operators.results.expanding import fstring, modulo, percent
from autograph.operators.values.printing import print_
from autograph.operators.values.scope import (
    ConversionOptions,
    FunctionScope,
    new_names,
    note_names,
)
from runtime.errors import StagingError
from runtime.process.debuggers import debugger

__all__ = [
    "ConversionOptions",
    "FunctionScope",
    "GeneratorScope",
    "StagingError",
    "Undefined",
    "UndefinedReturnValue",
    "and_",
    "asked_and",
    "asked_or",
    "assert_stmt",
    "at_end",
    "autograph_artifact",
    "both",
    "cause",
    "compare",
    "context",
    "converted_call",
    "converted_lambda",
    "debugger",
    "decorator",
    "delattr_",
    "delitem",
    "dict_comp",
    "dict_display",
    "difference",
    "display",
    "either",
    "equal",
    "for_stmt",
    "frame_call",
    "fresh",
    "fstring",
    "generator_exp",
    "getattr_",
    "getitem",
    "greater",
    "greater_equal",
    "holds",
    "iadd",
    "iand",
    "if_exp",
    "if_exps",
    "if_stmt",
    "ifloordiv",
    "ilshift",
    "imatmul",
    "imod",
    "imported",
    "imul",
    "in_",
    "intersection",
    "ior",
    "ipow",
    "irshift",
    "is_",
    "is_none",
    "is_not",
    "is_not_none",
    "is_undefined",
    "isub",
    "iterate",
    "itruediv",
    "ixor",
    "joined",
    "ld",
    "ld_free",
    "less",
    "less_equal",
    "list_comp",
    "local_class",
    "modulo",
    "named",
    "new_names",
    "not_",
    "not_equal",
    "not_in",
    "note_names",
    "or_",
    "percent",
    "print_",
    "raised",
    "read_or_undefined",
    "repeated",
    "result_exp",
    "set_comp",
    "setattr_",
    "setitem",
    "slice_",
    "spread",
    "symmetric_difference",
    "taken_apart",
    "truth",
    "try_body",
    "try_stmt",
    "union",
    "unpack",
    "unpack_ex",
    "while_stmt",
    "with_stmt",
]
