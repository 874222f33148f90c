"""Calls of a function with values of Python's own, which are told by their classes alone."""

from __future__ import annotations

__all__ = ["PLAIN_VALUES"]

# No code of the user's runs while this looks at the arguments, so that nothing is held meanwhile.
PLAIN_VALUES = """
; Calls a function of the user's with its arguments, the last ones by names, where they are values
; of the first classes in the table, or lists, tuples and dicts of which what comes first is such a
; value, or nothing. Gives `miss` for others, and for long lists of values of the second classes.
define ptr @plain_values(ptr %self, ptr %args, i64 %nargs) {
entry:
  %table = field ptr %self, $VALUE
  %ctx = load ptr, ptr %table
  %function = item ptr %table, 1
  %names = item ptr %table, 2
  %few = item i64 %table, 3
  %deepest = item i64 %table, 4
  %list = item ptr %table, 5
  %tuple = item ptr %table, 6
  %dict = item ptr %table, 7
  %own.count = item i64 %table, 8
  %own = item ptr %table, 9
  %others.count = item i64 %table, 10
  %others = item ptr %table, 11
  %place = alloca i64
  %key.place = alloca ptr
  %value.place = alloca ptr
  br label %head
head:
  %k = phi i64 [ 0, %entry ], [ %k.next, %compare ], [ %k.next, %of.list ], [ %k.next, %of.tuple ],
               [ %k.next, %of.dict ]
  %more = icmp slt i64 %k, %nargs ? argument : call
argument:
  %k.next = add i64 %k, 1
  %given = item ptr %args, %k
  br label %look
look:
  %thing = phi ptr [ %given, %argument ], [ %first, %inside ]
  %depth = phi i64 [ 0, %argument ], [ %depth.next, %inside ]
  %type = field ptr %thing, $TYPE
  br label %search
search:
  %s = phi i64 [ 0, %look ], [ %s.next, %compare ]
  %searches = icmp slt i64 %s, %own.count ? compare : nest
compare:
  %s.next = add i64 %s, 1
  %kind = item ptr %own, %s
  %is.own = icmp eq ptr %type, %kind ? head : search
nest:
  %is.near = icmp slt i64 %depth, %deepest ? ask.list : missed
ask.list:
  %is.list = icmp eq ptr %type, %list ? of.list : ask.tuple
ask.tuple:
  %is.tuple = icmp eq ptr %type, %tuple ? of.tuple : ask.dict
ask.dict:
  %is.dict = icmp eq ptr %type, %dict ? of.dict : missed
of.list:
  %size = field i64 %thing, $LENGTH
  %has.items = icmp ne i64 %size, 0 ? listed : head
listed:
  %items = field ptr %thing, $ITEMS
  %item = load ptr, ptr %items
  %item.type = field ptr %item, $TYPE
  %is.long = icmp sgt i64 %size, %few
  %is.outer = icmp eq i64 %depth, 0
  %may.be.other = and i1 %is.long, %is.outer ? others.head : inside
others.head:
  %o = phi i64 [ 0, %listed ], [ %o.next, %others.one ]
  %asks = icmp slt i64 %o, %others.count ? others.one : inside
others.one:
  %o.next = add i64 %o, 1
  %other = item ptr %others, %o
  %is.other = icmp eq ptr %item.type, %other ? missed : others.head
of.tuple:
  %count = field i64 %thing, $LENGTH
  %has.parts = icmp ne i64 %count, 0 ? parts : head
parts:
  %part = field ptr %thing, $ITEMS
  br label %inside
of.dict:
  store i64 0, ptr %place
  %next = word PyDict_Next
  %got = call i32 %next(ptr %thing, ptr %place, ptr %key.place, ptr %value.place)
  %is.there = icmp ne i32 %got, 0 ? value : head
value:
  %held = load ptr, ptr %value.place
  br label %inside
inside:
  %first = phi ptr [ %item, %listed ], [ %item, %others.head ], [ %part, %parts ], [ %held, %value ]
  %depth.next = add i64 %depth, 1
  br label %look
call:
  %vectorcall = word PyObject_Vectorcall
  %has.names = icmp ne ptr %names, null ? named : done
named:
  %names.count = field i64 %names, $LENGTH
  br label %done
done:
  %last = phi i64 [ 0, %call ], [ %names.count, %named ]
  %positional = sub i64 %nargs, %last
  %result = call ptr %vectorcall(ptr %function, ptr %args, i64 %positional, ptr %names)
  ret ptr %result
missed:
  %miss = word miss
  %keep = word Py_IncRef
  call void %keep(ptr %miss)
  ret ptr %miss
}
"""
