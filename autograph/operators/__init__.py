"""What generated code calls as `ag__`: each operator with its Python and its graph meaning."""

from autograph.operators.access import (
    delitem,
    getitem,
    iadd,
    iand,
    ifloordiv,
    ilshift,
    imatmul,
    imod,
    imul,
    ior,
    ipow,
    irshift,
    isub,
    iterate,
    itruediv,
    ixor,
    setitem,
    slice_,
    unpack,
    unpack_ex,
)
from autograph.operators.attributes import delattr_, getattr_, setattr_
from autograph.operators.calls import (
    autograph_artifact,
    converted_call,
    converted_lambda,
    frame_call,
)
from autograph.operators.conditionals import if_exp, if_stmt
from autograph.operators.contexts import context
from autograph.operators.exceptions import assert_stmt, try_body, try_stmt
from autograph.operators.generators import GeneratorScope
from autograph.operators.logical import and_, compare, in_, not_, not_in, or_, truth
from autograph.operators.loops import for_stmt, while_stmt
from autograph.operators.printing import print_
from autograph.operators.scope import ConversionOptions, FunctionScope, note_names
from autograph.operators.templates import fstring, percent
from autograph.operators.variables import (
    Undefined,
    UndefinedReturnValue,
    is_none,
    is_not_none,
    is_undefined,
    ld,
    ld_free,
    read_or_undefined,
)
from runtime.errors import StagingError
from runtime.journal import fresh

__all__ = [
    "ConversionOptions",
    "FunctionScope",
    "GeneratorScope",
    "StagingError",
    "Undefined",
    "UndefinedReturnValue",
    "and_",
    "assert_stmt",
    "autograph_artifact",
    "compare",
    "context",
    "converted_call",
    "converted_lambda",
    "delattr_",
    "delitem",
    "for_stmt",
    "frame_call",
    "fresh",
    "fstring",
    "getattr_",
    "getitem",
    "iadd",
    "iand",
    "if_exp",
    "if_stmt",
    "ifloordiv",
    "ilshift",
    "imatmul",
    "imod",
    "imul",
    "in_",
    "ior",
    "ipow",
    "irshift",
    "is_none",
    "is_not_none",
    "is_undefined",
    "isub",
    "iterate",
    "itruediv",
    "ixor",
    "ld",
    "ld_free",
    "not_",
    "not_in",
    "note_names",
    "or_",
    "percent",
    "print_",
    "read_or_undefined",
    "setattr_",
    "setitem",
    "slice_",
    "truth",
    "try_body",
    "try_stmt",
    "unpack",
    "unpack_ex",
    "while_stmt",
]
