"""Objects of which data decides how many there are: trees, chains and lists that grow by data."""

from __future__ import annotations

import copy
import heapq
from dataclasses import dataclass

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import Samples, check, graph_of, refuse

X = np.array([5.0, 2.0, 8.0, 1.0, 9.0, 3.0])
Y = np.array([1.5, -2.0, 3.0, 3.0, -0.5, 2.5])
Z = np.array([-1.0, -2.0, -0.5, -4.0, -3.0, -2.0])
samples = Samples()


class Node:
    def __init__(self, key):
        self.key = key
        self.left = None
        self.right = None


def insert(root, key):
    cur = root
    while True:
        if key < cur.key:
            if cur.left is None:
                cur.left = Node(key)
                return
            cur = cur.left
        else:
            if cur.right is None:
                cur.right = Node(key)
                return
            cur = cur.right


def inorder(root):
    out, stack, cur = [], [], root
    while cur is not None or stack:
        while cur is not None:
            stack.append(cur)
            cur = cur.left
        cur = stack.pop()
        out.append(cur.key)
        cur = cur.right
    return out


@samples("E2", (X,), (Y,), (Z,), joined=True)
def tree_sort(x):
    root = Node(x[0])
    for v in x[1:]:
        insert(root, v)
    return inorder(root)


def height(node):
    if node is None:
        return 0
    return 1 + max(height(node.left), height(node.right))


@samples("E2", (X,), (Y,), (Z,), joined=True)
def tree_height(x):
    root = None
    for v in x:
        if root is None:
            root = Node(v)
        else:
            insert(root, v)
    return height(root)


@samples("E2", (X,), (Y,), (Z,), joined=True)
def tree_given(x):
    root = Node(x[0])
    for v in x[1:]:
        insert(root, v)
    return root


class BST:
    def __init__(self):
        self.root = None
        self.size = 0

    def insert(self, key):
        if self.root is None:
            self.root = Node(key)
            self.size += 1
            return True
        cur = self.root
        while cur is not None:
            if key == cur.key:
                return False
            parent = cur
            cur = cur.left if key < cur.key else cur.right
        if key < parent.key:
            parent.left = Node(key)
        else:
            parent.right = Node(key)
        self.size += 1
        return True

    def contains(self, key):
        cur = self.root
        while cur is not None and cur.key != key:
            cur = cur.left if key < cur.key else cur.right
        return cur is not None

    def min(self):
        cur = self.root
        while cur.left is not None:
            cur = cur.left
        return cur.key


@samples("E2", (X, 3.0), (Y, 4.0), joined=True)
def with_class(x, q):
    t = BST()
    added = 0
    for v in x:
        if t.insert(v):
            added += 1
    return added, t.size, t.contains(q), t.min()


class Link:
    def __init__(self, value, next=None):
        self.value = value
        self.next = next


@samples("E2", (X,), (Y,), (Z,), joined=True)
def stack_sum(x):
    head = None
    for v in x:
        if v > 0:
            head = Link(v, head)
    total = 0.0
    while head:
        total = total * 0.5 + head.value
        head = head.next
    return total


@samples("E2", (X,), (Y,), (Z,), joined=True)
def append_tail(x):
    head = tail = None
    for v in x:
        if v < 0:
            continue
        node = Link(v * 2)
        if head is None:
            head = tail = node
        else:
            tail.next = node
            tail = node
    out = []
    cur = head
    while cur is not None:
        out.append(cur.value)
        cur = cur.next
    return out


@samples("E2", (X,), (Y,), (Z,), joined=True)
def reverse_list(x):
    head = None
    for v in x:
        if v > 0:
            head = Link(v, head)
    prev = None
    while head is not None:
        nxt = head.next
        head.next = prev
        prev = head
        head = nxt
    out = []
    while prev is not None:
        out.append(prev.value)
        prev = prev.next
    return np.array(out)


@samples("E2", (X,), (Y,), (Z,), joined=True)
def list_given(x):
    head = None
    for v in x:
        if v > 0:
            head = Link(v, head)
    return head


class Item:
    def __init__(self, value, label):
        self.value = value
        self.label = label
        self.count = 0


@samples("E2", (X,), (Y,), (Z,), joined=True)
def items_appended(x):
    out = []
    for i, v in enumerate(x):
        if v > 0:
            out.append(Item(v, "pos"))
        elif v < -1:
            out.append(Item(-v, "neg"))
    for item in out:
        if item.label == "pos":
            item.count += 2
            item.value *= 2
    return sum(item.value for item in out), [item.count for item in out], len(out)


@dataclass
class Event:
    time: float
    kind: str
    follow: Event | None = None


@samples("E2", (X,), (Y,), (Z,), joined=True)
def events(x):
    log = []
    last = None
    for t, v in enumerate(x):
        if v > 1:
            e = Event(t, "up")
            if last is not None:
                last.follow = e
            log.append(e)
            last = e
    gaps = []
    for e in log:
        if e.follow is not None:
            gaps.append(e.follow.time - e.time)
    return gaps, [e.kind for e in log]


@samples("E2", (X,), (Y,), (Z,), joined=True)
def dedupe(x):
    head = None
    for v in sorted(x.tolist(), reverse=True):
        head = Link(v, head)
    cur = head
    while cur is not None and cur.next is not None:
        if cur.next.value == cur.value:
            cur.next = cur.next.next
        else:
            cur = cur.next
    n = 0
    cur = head
    while cur is not None:
        n += 1
        cur = cur.next
    return n


@samples("E2", (X, 2), (Y, 2), joined=True)
def queue_sim(x, limit):
    class_ = Link
    head = Link(0.0)
    tail = head
    waiting = 0
    served = 0.0
    for v in x:
        tail.next = class_(v)
        tail = tail.next
        waiting += 1
        while waiting > limit:
            head = head.next
            served += head.value
            waiting -= 1
    return served, waiting, tail.value


class Particle:
    def __init__(self, x, v):
        self.x, self.v = x, v

    def move(self, dt):
        self.x += self.v * dt

    @property
    def energy(self):
        return 0.5 * self.v**2


@samples("E2", (X, np.int64(5)), (Y, np.int64(9)), joined=True)
def spawn(x, n):
    ps = []
    t = 0
    while t < n:
        if t % 2 == 0:
            ps.append(Particle(x[t % len(x)], 1.0))
        for p in ps:
            p.move(0.5)
        ps = [p for p in ps if p.x < 6]
        t += 1
    return [p.x for p in ps], sum(p.energy for p in ps)


@samples("E2", (X,), (Y,), joined=True)
def tie(x):
    heap = []
    for v in x:
        if v > 0:
            heapq.heappush(heap, (v, Link(v)))
    t = 0.0
    while heap:
        a, b = heapq.heappop(heap)
        b.value += 1
        t = t * 2 + b.value
    return t


@samples("E2", (X,), (Y,), joined=True)
def sort_by(x):
    out = []
    for v in x:
        if v > 0:
            out.append(Item(v, "a"))
    for o in out:
        o.value += 1
    out.sort(key=lambda o: -o.value)
    return [o.value for o in out]


@samples("E2", (X,), (Y,), joined=True)
def best(x):
    out = []
    for v in x:
        if v > 0:
            out.append(Link(v))
    for o in out:
        o.value += 1
    b = max(out, key=lambda o: o.value)
    b.value = -1.0
    return [o.value for o in out], b is out[0]


@samples("E2", (X,), (Y,), joined=True)
def types(x):
    h = Link(0.0)
    for v in x:
        if v > 0:
            h = Link(v, h)
    return (
        type(h) is Link,
        isinstance(h, tuple),
        isinstance(h, Link),
        type(h).__name__,
        h.__class__ is Link,
        hasattr(h, "count"),
        hasattr(h, "value"),
        getattr(h, "index", 5),
    )


@samples("E2", (X,), (Y,), joined=True)
def self_loop(x):
    h = None
    for v in x:
        if v > 0:
            n = Link(v)
            n.next = n if h is None else h
            h = n
    return h.next.next is h.next, h is h.next


@samples("E2", (X,), (Y,), joined=True)
def alias(x):
    a = Link(1.0)
    b = a
    for v in x:
        if v > 0:
            b = Link(v, b)
    c = b
    c.value = -5.0
    return a.value, b.value, a is b, b.next is a


@samples("E2", (X,), (Y,), joined=True)
def swap(x):
    a, b = Link(1.0), Link(2.0)
    for v in x:
        a, b = b, a
        if v > 0:
            a = Link(v, b)
    a.value += 10
    return a.value, b.value


class Slot:
    __slots__ = ("v", "n")

    def __init__(self, v, n=None):
        self.v = v
        self.n = n

    def double(self):
        self.v *= 2
        return self
        self.v *= 2
        return self


@samples("E2", (X,), (Y,), joined=True)
def slots(x):
    h = None
    for v in x:
        if v > 0:
            h = Slot(v, h).double()
    t = 0.0
    while h is not None:
        t = t * 3 + h.v
        h = h.n
    return t


def slots_given(x):
    h = None
    for v in x:
        if v > 0:
            h = Slot(v, h).double()
    return h, h


class Base:
    def __init__(self, v):
        self.v = v

    def area(self):
        return self.v


class Sq(Base):
    def __init__(self, v):
        super().__init__(v)
        self.k = 2

    def area(self):
        return super().area() ** self.k


@samples("E2", (X,), (Y,), joined=True)
def supers(x):
    out = []
    for v in x:
        if v > 0:
            out.append(Sq(v))
    for o in out:
        o.v += 1
    return sum(o.area() for o in out)


@samples("E2", (X,), (Y,), joined=True)
def two_names(x):
    out = []
    for v in x:
        if v > 0:
            it = Item(v, "p")
            out.append(it)
            if len(out) == 1:
                first = it
    first.value = 100.0
    return [o.value for o in out], out, first


class Vec:
    def __init__(self, p):
        self.p = p


@samples("E2", (X,), (Y,), joined=True)
def vecs(x):
    out = []
    for v in x:
        if v > 0:
            out.append(Vec(np.array([v, 0.0])))
    for o in out:
        o.p = o.p + 1
    return [o.p for o in out]


class Cnt:
    made = 0

    def __init__(self, v):
        Cnt.made += 1
        self.v = v
        self.n = Cnt.made


@samples("E2", (X,), (Y,), joined=True)
def counted(x):
    Cnt.made = 0
    out = []
    for v in x:
        if v > 0:
            out.append(Cnt(v))
    for o in out:
        o.v += o.n
    return [o.v for o in out], Cnt.made


@samples("E2", (np.int64(5),), (np.int64(0),))
def whiled(n):
    h = None
    i = 0
    while i < n:
        h = Link(i, h)
        i += 1
    s = 0
    while h is not None:
        s += h.value
        h = h.next
    return s


@samples("E2", (X,), (Y,), joined=True)
def raises(x):
    h = None
    for v in x:
        if v > 0:
            h = Link(v, h)
    return h.next.next.next.next.next.value


test_sample = samples.test()


def one_object_in_two_places(x):
    head, found = None, []
    for v in x:
        if v > 2:
            head = Link(v, head)
            found.append(head)
    return head, found


def test_an_object_in_two_places_of_a_result_is_one_object():
    head, found = ag.convert(one_object_in_two_places)(X)
    assert found[-1] is head and head.next is found[-2]
    assert type(head) is Link and list(vars(head)) == ["value", "next"]
    head.value = -1.0
    assert found[-1].value == -1.0


def weighted(x, w):
    head = None
    for v in x:
        if v > 0:
            head = Link(v * w, head)
    total = 0.0
    while head is not None:
        head.value = head.value * head.value
        total = total + head.value * w
        head = head.next
    return total


def test_gradients_flow_through_attributes():
    for x in (X, Y):
        w = 1.5
        positive = x[x > 0]
        np.testing.assert_allclose(
            ag.grad(weighted, argnums=1)(x, w), 3 * w**2 * np.sum(positive**2)
        )
        np.testing.assert_allclose(ag.grad(weighted)(x, w), np.where(x > 0, 2 * w**3 * x, 0.0))


# ---- refused -----------------------------------------------------------------------------------


class Kept:
    def __init__(self, value, everyone):
        self.value = value
        everyone.append(self)


def kept_by_init(x):
    everyone, found = [], []
    for v in x:
        if v > 0:  # refused
            found.append(Kept(v, everyone))
    return everyone[0] is found[0]


@dataclass
class Pair:
    left: float
    right: float = 0.0


def compared_by_content(x):
    found = []
    for v in x:
        if v > 0:
            found.append(Pair(v))
    for pair in found:
        pair.right += pair.left  # refused
    return found[0] == found[1]


def copied(x):
    found = []
    for v in x:
        if v > 0:  # refused
            found.append(Link(v))
    more = copy.deepcopy(found)
    return more[0].value


def as_array(x):
    found = []
    for v in x:
        if v > 0:  # refused
            found.append(Link(v))
    return np.array(found).shape


def sorted_beside_numbers(x):
    found = []
    for v in x:
        if v > 0:
            found.append((v, Link(v)))
    return [link.value for _, link in sorted(found)]


def shared_array(x):
    found, base = [], np.zeros(2)
    for v in x:
        if v > 0:  # refused
            found.append(Vec(base))
    for vec in found:
        vec.p += 1
    return base


class Counted:
    def __init__(self, value):
        self.value = value

    def __len__(self):
        return 3


def with_a_length(x):
    found = []
    for v in x:
        if v > 0:  # refused
            found.append(Counted(v))
    return len(found[0])


def as_a_key(x):
    found, head = {}, None
    for v in x:
        if v > 0:  # refused
            head = Link(v, head)
            found[head] = v
    return found[head]


def test_an_object_of_a_branch_as_a_key_comes_to_an_end():
    refuse(as_a_key, X, match="a dict")


class Bounded:
    def __init__(self, value):
        self._value = value

    @property
    def value(self):
        return self._value

    @value.setter
    def value(self, new):
        self._value = min(new, 4.0)

    @property
    def fixed(self):
        return 1.0


def by_property(x):
    found = []
    for v in x:
        if v > 0:
            found.append(Bounded(v))
    for one in found:
        one.value += 1.0
    return [one.value for one in found]


def by_property_without_setter(x):
    found = []
    for v in x:
        if v > 0:
            found.append(Bounded(v))
    for one in found:
        one.fixed = 2.0
    return len(found)


def test_properties_are_those_of_the_class():
    check(by_property, (X,), (Y,), (Z,), joined=True)
    with pytest.raises(AttributeError, match="property 'fixed' of 'Bounded' object has no setter"):
        ag.convert(by_property_without_setter)(X)


@ag.do_not_convert
def looked_at_plainly(link):
    return link.value


def given_to_plain_python(x):
    found = []
    for v in x:
        if v > 0:  # refused
            found.append(Link(v))
    for link in found:
        link.value += 1.0
    return looked_at_plainly(found[0])


def test_plain_python_sees_no_reference():
    refuse(given_to_plain_python, X, match="an item of it is a Link")


def sought(x):
    kept, found = [], None
    for v in x:
        hit = None
        for item in kept:
            if item.value == v:
                hit = item
        if hit is None:
            kept.append(Item(v, "new"))
        else:
            hit.count += 1
            kept.remove(hit)
            kept.append(hit)
        if v > 2:
            found = hit
    return [(item.value, item.count) for item in kept], found in kept


def test_what_may_be_none_is_sought_among_what_may_be_none():
    check(sought, (X,), (Y,), (Z,), joined=True)


def of_a_class_of_each_call(x):
    class Own:
        def __init__(self, value):
            self.value = value

    found = []
    for v in x:
        if v > 0:  # refused
            found.append(Own(v))
    return len(found)


REFUSED = (
    of_a_class_of_each_call,
    kept_by_init, copied, as_array, shared_array,
    with_a_length,
)  # fmt: skip


@pytest.mark.parametrize("sample", REFUSED, ids=lambda f: f.__name__)
def test_what_references_cannot_do_is_refused(sample):
    refuse(sample, X, match="the length of a list depends on data, and an item of it is a ")


def test_objects_are_sorted_by_the_numbers_before_them_if_these_differ():
    different = np.array([3.0, -1, 2, 0.5])
    check(sorted_beside_numbers, (different,), (-different,))
    with pytest.raises(ValueError, match="equal numbers or texts before a list or another"):
        ag.convert(sorted_beside_numbers)(np.array([3.0, 1, 3, 2]))


def test_comparing_by_content_what_is_written_is_refused():
    refuse(compared_by_content, X, match="a Pair is an item of a list .* and it is written here")


store = {}


def stored(x):
    found = []
    for v in x:
        if v > 0:  # refused
            found.append(Link(v))
    store["found"] = found
    return len(found)


def test_a_store_into_what_is_older_is_refused():
    refuse(stored, X, match="Link")


def saved(x):
    head = None
    for v in x:
        if v > 0:
            head = Link(v, head)
    return head


def test_a_result_with_such_objects_cannot_be_saved(tmp_path):
    function = ag.convert(saved)
    function(X)
    with pytest.raises(ag.UnsavableError, match="objects that data makes"):
        ag.save(function, tmp_path / "saved")


def test_objects_with_slots_are_given_back():
    one, other = ag.convert(slots_given)(Y)
    assert type(one) is Slot and one is other
    values = []
    while one is not None:
        values.append(one.v)
        one = one.n
    assert values == [5.0, 6.0, 6.0, 3.0]


def test_a_class_of_which_python_has_copied_an_object_is_served():
    copy.copy(Link(1.0))  # leaves a name in the class
    assert "__slotnames__" in vars(Link)
    assert ag.convert(stack_sum)(Y) == stack_sum(Y)


def test_each_call_makes_objects_of_its_own():
    function = ag.convert(saved)
    first, second = function(X), function(X)
    assert first is not second and first.next is not second.next
    assert function.trace_count == 1 and graph_of(function).nodes


def test_what_was_made_is_of_the_class_of_the_user():
    checked = check(saved, (X,), (Y,))
    assert type(checked.outcomes[0].value) is Link


class Holder:
    def __init__(self, first):
        self.first = first


def renewed(held, limit):
    if held.first["k"] > limit:
        held.first = {"k": limit + 0.5, "m": 9.0}
    held.first["m"] = 3.0


def first_item(table, done):
    return table["m"]


def read_before_it_is_written(n):
    held, total = Holder({"k": 4.0, "m": 5.0}), 0.0
    for _ in range(n):
        total = total + first_item(held.first, renewed(held, 4))  # refused
    return total


def test_a_dict_that_no_name_holds_is_not_left_out_of_a_write():
    words = "`Holder.first` is a dict of 2 items before the loop"
    refuse(read_before_it_is_written, np.int64(2), match=words)
