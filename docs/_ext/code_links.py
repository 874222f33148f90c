"""`ag.grad` in the text of any page leads to its entry of the reference."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import ReferencesResolver, SphinxPostTransform

__all__ = ["setup"]

_NAME = re.compile(r"@?(ag(?:\.\w+)+)(?:\(.*)?\Z")
_HAVE_LINKS = (nodes.title, nodes.reference, pending_xref)


class CodeLinks(SphinxPostTransform):
    """Makes a reference of each code that begins with a name of the reference."""

    default_priority = ReferencesResolver.default_priority - 1

    def run(self, **kwargs: Any) -> None:
        documented = self.env.domains.python_domain.objects
        for code in list(self.document.findall(nodes.literal)):
            found = _NAME.match(code.astext())
            if found and found[1] in documented and not isinstance(code.parent, _HAVE_LINKS):
                code.replace_self(self._reference(found[1], code))

    def _reference(self, name: str, code: nodes.literal) -> pending_xref:
        return pending_xref(
            "",
            code.deepcopy(),
            refdomain="py",
            reftype="obj",
            reftarget=name,
            refexplicit=True,
            refdoc=self.env.docname,
        )


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_post_transform(CodeLinks)
    return {"parallel_read_safe": True}
