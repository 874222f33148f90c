"""How the entry reads what a graph takes from outside, after the table of `reading`, as LLVM IR."""

from __future__ import annotations

__all__ = ["GATHERING"]

GATHERING = """
; ---- what is read from outside ------------------------------------------------------------------

; Whether classes have the versions that were seen (class, version), functions the code and defaults
; (function, code, defaults, those of keywords), and dicts the names (dict, its version, how many
; names, where: name, what it is or null). None of the user's code runs.
define internal i1 @is_still(ptr %ctx, ptr %table) {
entry:
  %classes = item i64 %table, 7
  %versions = item ptr %table, 8
  %functions = item i64 %table, 17
  %parts = item ptr %table, 18
  %dicts = item i64 %table, 19
  %named = item ptr %table, 20
  br label %classes.head
classes.head:
  %class = phi i64 [ 0, %entry ], [ %class.next, %class.look ]
  %more.classes = icmp slt i64 %class, %classes ? class.look : functions.head
class.look:
  %class.words = item ptr %versions, %class
  %kind = load ptr, ptr %class.words
  %seen = item i64 %class.words, 1
  %version.short = field i32 %kind, $VERSION
  %version = zext i32 %version.short to i64
  %is.version = icmp eq i64 %version, %seen
  %class.next = add i64 %class, 1
  br i1 %is.version, label %classes.head, label %changed
functions.head:
  %number = phi i64 [ 0, %classes.head ], [ %number.next, %function ]
  %more.functions = icmp slt i64 %number, %functions ? function : dicts.head
function:
  %own = item ptr %parts, %number
  %whose = load ptr, ptr %own
  %code = field ptr %whose, $CODE
  %code.was = item ptr %own, 1
  %is.code = icmp eq ptr %code, %code.was
  %defaults = field ptr %whose, $DEFAULTS
  %defaults.was = item ptr %own, 2
  %are.defaults = icmp eq ptr %defaults, %defaults.was
  %keywords = field ptr %whose, $KWDEFAULTS
  %keywords.was = item ptr %own, 3
  %are.keywords = icmp eq ptr %keywords, %keywords.was
  %are.positional = and i1 %is.code, %are.defaults
  %is.function = and i1 %are.positional, %are.keywords
  %number.next = add i64 %number, 1
  br i1 %is.function, label %functions.head, label %changed
dicts.head:
  %place = phi i64 [ 0, %functions.head ], [ %place.next, %dict ], [ %place.next, %dict.same ]
  %more.dicts = icmp slt i64 %place, %dicts ? dict : unchanged
dict:
  %row = mul i64 %place, 4
  %dict.at = getelementptr ptr, ptr %named, i64 %row
  %names = load ptr, ptr %dict.at
  %tag = item i64 %dict.at, 1
  %tag.now = field i64 %names, $DICT_VERSION
  %is.tag = icmp eq i64 %tag, %tag.now
  %place.next = add i64 %place, 1
  br i1 %is.tag, label %dicts.head, label %search
search:
  %count = item i64 %dict.at, 2
  %pairs = item ptr %dict.at, 3
  %find = word PyDict_GetItemWithError
  br label %names.head
names.head:
  %k = phi i64 [ 0, %search ], [ %k.next, %name.same ], [ %k.next, %absent ]
  %more.names = icmp slt i64 %k, %count ? look.up : dict.same
look.up:
  %pair = mul i64 %k, 2
  %name = item ptr %pairs, %pair
  %wanted = item ptr %name.at, 1
  %found = call ptr %find(ptr %names, ptr %name)
  %k.next = add i64 %k, 1
  %is.found = icmp eq ptr %found, %wanted ? name.same : failed
name.same:
  %is.absent = icmp eq ptr %found, null ? absent : names.head
absent:
  %occurred = word PyErr_Occurred
  %error = call ptr %occurred()
  %is.fine = icmp eq ptr %error, null ? names.head : failed
failed:
  %clear = word PyErr_Clear
  call void %clear()
  br label %changed
dict.same:
  %tag.new = or i64 %tag.now, $NO_DICT_VERSION
  store i64 %tag.new, ptr %tag.at
  br label %dicts.head
unchanged:
  ret i1 true
changed:
  ret i1 false
}

; Whether a list or tuple holds what is wanted: how many, where they lie; of each, how and what: the
; object itself, a weak reference to it, or the class that it is of. No code of the user's runs.
define internal i1 @is_content(ptr %ctx, ptr %container, ptr %wanted) {
entry:
  %referent = word PyWeakref_GetObject
  %dead = word None
  %count = load i64, ptr %wanted
  %size = field i64 %container, $LENGTH
  %is.size = icmp eq i64 %size, %count ? begin : changed
begin:
  %own = getelementptr i8, ptr %container, i64 $ITEMS
  %layout = item i64 %wanted, 1
  %is.list = icmp eq i64 %layout, $IN_LIST ? of.list : head
of.list:
  %outer = load ptr, ptr %own
  br label %head
head:
  %items = phi ptr [ %own, %begin ], [ %outer, %of.list ], [ %items, %next ]
  %k = phi i64 [ 0, %begin ], [ 0, %of.list ], [ %k.next, %next ]
  %more = icmp slt i64 %k, %count ? item : same
item:
  %k.next = add i64 %k, 1
  %row = mul i64 %k.next, 2
  %how = item i64 %wanted, %row
  %what = item ptr %how.at, 1
  %one = item ptr %items, %k
  switch i64 %how, label %next [ i64 1, label %weak
                                 i64 2, label %kind ]
weak:
  %living = call ptr %referent(ptr %what)
  %is.dead = icmp eq ptr %living, %dead ? changed : next
kind:
  %type = field ptr %one, $TYPE
  br label %next
next:
  %found = phi ptr [ %one, %item ], [ %one, %weak ], [ %type, %kind ]
  %expected = phi ptr [ %what, %item ], [ %living, %weak ], [ %what, %kind ]
  %is.same = icmp eq ptr %found, %expected ? head : changed
same:
  ret i1 true
changed:
  ret i1 false
}

; Whether a thing is an array of a dtype, a rank and sizes, which the words are in turn.
define internal i1 @is_array_of(ptr %ctx, ptr %thing, ptr %words) {
entry:
  %dtype = load ptr, ptr %words
  %rank = item i64 %words, 1
  %is.array = call i1 @is_array(ptr %ctx, ptr %thing, ptr %dtype, i64 %rank)
  br i1 %is.array, label %begin, label %done
begin:
  %dims = field ptr %thing, $DIMENSIONS
  br label %head
head:
  %k = phi i64 [ 0, %begin ], [ %k.next, %size ]
  %more = icmp slt i64 %k, %rank ? size : done
size:
  %k.next = add i64 %k, 1
  %found = item i64 %dims, %k
  %wanted = item i64 %rank.at, %k.next
  %is.size = icmp eq i64 %found, %wanted ? head : done
done:
  %result = phi i1 [ false, %entry ], [ true, %head ], [ false, %size ]
  ret i1 %result
}

; Fills the row of what a call reads, each thing held: what looks at a name may run code that binds
; others anew. The rows are (where, slot, thing or slot, name, what it is), and what is compared
; when all is read (how, slot, with). A dict of the version that it had is not searched again: the
; last words of a row are that version, and what was found. 1 where all is as it was, 0 where
; something is not, -1 where an exception is to be raised: then nothing is held. What a row names
; besides is compared at once, and not held: it is of no other use.
define internal i64 @gather(ptr %ctx, ptr %table, ptr %slots, ptr %args) {
entry:
  %find = word PyDict_GetItemWithError
  %hold = word Py_IncRef
  %release = word Py_DecRef
  %referent = word PyWeakref_GetObject
  %dead = word None
  %rows = item i64 %table, 9
  %places = item ptr %table, 10
  %checks = item i64 %table, 11
  %compared = item ptr %table, 12
  %still = call i1 @is_still(ptr %ctx, ptr %table) ? head : left
head:
  %number = phi i64 [ 0, %entry ], [ %number.next, %next.row ]
  %more = icmp slt i64 %number, %rows ? place : compare
place:
  %row = mul i64 %number, 7
  %where = item i64 %places, %row
  %slot = item i64 %where.at, 1
  %kept.at = getelementptr ptr, ptr %slots, i64 %slot
  %thing = item ptr %where.at, 2
  %name = item ptr %where.at, 3
  %wanted = item ptr %where.at, 4
  %is.kept = icmp eq ptr %wanted, null
  %tag.at = getelementptr i64, ptr %where.at, i64 5
  %known.at = getelementptr ptr, ptr %where.at, i64 6
  %index = ptrtoint ptr %thing to i64
  %owner.at = getelementptr ptr, ptr %slots, i64 %index
  switch i64 %where, label %keep [ i64 0, label %cell
                                   i64 1, label %variable
                                   i64 3, label %argument
                                   i64 4, label %weak
                                   i64 5, label %own
                                   i64 6, label %attribute
                                   i64 7, label %item
                                   i64 8, label %fetched
                                   i64 9, label %in.dict
                                   i64 10, label %in.slot
                                   i64 11, label %in.list
                                   i64 12, label %of.kind
                                   i64 13, label %live
                                   i64 14, label %absent
                                   i64 15, label %contents
                                   i64 16, label %dict.names
                                   i64 17, label %of.array ]
cell:
  %content = field ptr %thing, $CONTENT
  br label %found
variable:
  %tag = load i64, ptr %tag.at
  %tag.now = field i64 %thing, $DICT_VERSION
  %is.unchanged = icmp eq i64 %tag, %tag.now ? variable.known : variable.find
variable.known:
  %known = load ptr, ptr %known.at
  br label %found
variable.find:
  %value = call ptr %find(ptr %thing, ptr %name)
  %tag.new = or i64 %tag.now, $NO_DICT_VERSION
  store i64 %tag.new, ptr %tag.at
  store ptr %value, ptr %known.at
  br label %found
in.slot:
  %slotted = load ptr, ptr %owner.at
  %offset = ptrtoint ptr %name to i64
  %member = field ptr %slotted, %offset
  br label %found
in.list:
  %items.count = field i64 %thing, $LENGTH
  %position = ptrtoint ptr %name to i64
  %is.within = icmp slt i64 %position, %items.count ? of.place : changed
of.place:
  %items = field ptr %thing, $ITEMS
  %listed = item ptr %items, %position
  br label %found
; Where its dict has it not, an object may have it from its class.
in.dict:
  %holder = load ptr, ptr %owner.at
  %dict.of = word _PyObject_GetDictPtr
  %dict.at = call ptr %dict.of(ptr %holder)
  %has.dict = icmp ne ptr %dict.at, null ? of.dict : own
of.dict:
  %dict = load ptr, ptr %dict.at
  %is.dict = icmp ne ptr %dict, null ? look.up : own
look.up:
  %held.tag = load i64, ptr %tag.at
  %held.now = field i64 %dict, $DICT_VERSION
  %is.held.tag = icmp eq i64 %held.tag, %held.now ? held.known : held.find
held.known:
  %held.before = load ptr, ptr %known.at
  br label %found
held.find:
  %held.value = call ptr %find(ptr %dict, ptr %name)
  %is.in.dict = icmp ne ptr %held.value, null ? held.found : not.in.dict
held.found:
  %held.new = or i64 %held.now, $NO_DICT_VERSION
  store i64 %held.new, ptr %tag.at
  store ptr %held.value, ptr %known.at
  br label %found
not.in.dict:
  %own.occurred = word PyErr_Occurred
  %own.error = call ptr %own.occurred()
  %is.absent = icmp eq ptr %own.error, null ? own : changed
argument:
  %given = item ptr %args, %index
  br label %keep
weak:
  %referred = call ptr %referent(ptr %thing)
  %is.dead = icmp eq ptr %referred, %dead ? changed : keep
found:
  %borrowed = phi ptr [ %content, %cell ], [ %known, %variable.known ],
                      [ %value, %variable.find ], [ %member, %in.slot ],
                      [ %held.before, %held.known ], [ %held.value, %held.found ],
                      [ %listed, %of.place ]
  %is.there = icmp ne ptr %borrowed, null ? there : changed
there:
  br i1 %is.kept, label %keep, label %at.once
at.once:
  %is.wanted = icmp eq ptr %borrowed, %wanted ? next.row : changed
keep:
  %kept = phi ptr [ %thing, %place ], [ %given, %argument ], [ %referred, %weak ],
                  [ %borrowed, %there ]
  store ptr %kept, ptr %kept.at
  call void %hold(ptr %kept)
  br label %next.row
own:
  %own.owner = load ptr, ptr %owner.at
  %get.own = word PyObject_GenericGetAttr
  %own.value = call ptr %get.own(ptr %own.owner, ptr %name)
  br label %made
attribute:
  %owner = load ptr, ptr %owner.at
  %get = word PyObject_GetAttr
  %attribute.value = call ptr %get(ptr %owner, ptr %name)
  br label %made
item:
  %get.item = word PyObject_GetItem
  %item.value = call ptr %get.item(ptr %thing, ptr %name)
  br label %made
fetched:
  %call = word PyObject_CallNoArgs
  %fetched.value = call ptr %call(ptr %thing)
  br label %made
made:
  %new = phi ptr [ %own.value, %own ], [ %attribute.value, %attribute ], [ %item.value, %item ],
                 [ %fetched.value, %fetched ]
  %is.made = icmp ne ptr %new, null ? had : changed
had:
  br i1 %is.kept, label %own.it, label %forgotten
own.it:
  store ptr %new, ptr %kept.at
  br label %next.row
forgotten:
  call void %release(ptr %new)
  %is.new.wanted = icmp eq ptr %new, %wanted ? next.row : changed
absent:
  %whose = load ptr, ptr %owner.at
  %its.dict.of = word _PyObject_GetDictPtr
  %its.dict.at = call ptr %its.dict.of(ptr %whose)
  %has.its.dict = icmp ne ptr %its.dict.at, null ? its.dict : next.row
its.dict:
  %its = load ptr, ptr %its.dict.at
  %is.its = icmp ne ptr %its, null ? search : next.row
search:
  %its.tag = load i64, ptr %tag.at
  %its.now = field i64 %its, $DICT_VERSION
  %is.its.tag = icmp eq i64 %its.tag, %its.now ? next.row : search.find
search.find:
  %hiding = call ptr %find(ptr %its, ptr %name)
  %is.free = icmp eq ptr %hiding, null ? searched : changed
searched:
  %search.occurred = word PyErr_Occurred
  %search.error = call ptr %search.occurred()
  %is.searched = icmp eq ptr %search.error, null ? search.found : changed
search.found:
  %its.new = or i64 %its.now, $NO_DICT_VERSION
  store i64 %its.new, ptr %tag.at
  br label %next.row
of.kind:
  %object = load ptr, ptr %kept.at
  %type = field ptr %object, $TYPE
  %kind.wanted = load ptr, ptr %thing
  %is.kind = icmp eq ptr %type, %kind.wanted ? next.row : changed
live:
  %held = load ptr, ptr %kept.at
  %living = call ptr %referent(ptr %thing)
  %is.living = icmp ne ptr %living, %dead
  %is.it = icmp eq ptr %held, %living
  %is.still = and i1 %is.living, %is.it ? next.row : changed
of.array:
  %array = load ptr, ptr %kept.at
  %is.array = call i1 @is_array_of(ptr %ctx, ptr %array, ptr %thing)
  br i1 %is.array, label %next.row, label %changed
contents:
  %is.content = call i1 @is_content(ptr %ctx, ptr %thing, ptr %name)
  br i1 %is.content, label %next.row, label %changed
dict.names:
  %names.tag = load i64, ptr %tag.at
  %names.now = field i64 %thing, $DICT_VERSION
  %is.names.tag = icmp eq i64 %names.tag, %names.now ? next.row : names.ask
names.ask:
  %names.call = word PyObject_CallNoArgs
  %names.answer = call ptr %names.call(ptr %name)
  %is.names.answer = icmp ne ptr %names.answer, null ? names.answered : changed
names.answered:
  %names.true = word True
  call void %release(ptr %names.answer)
  %are.names = icmp eq ptr %names.answer, %names.true ? names.same : changed
names.same:
  %names.new = or i64 %names.now, $NO_DICT_VERSION
  store i64 %names.new, ptr %tag.at
  br label %next.row
next.row:
  %number.next = add i64 %number, 1
  br label %head
compare:
  %check = phi i64 [ 0, %head ], [ %check.next, %next ]
  %going = icmp slt i64 %check, %checks ? look : done
look:
  %check.row = mul i64 %check, 3
  %how = item i64 %compared, %check.row
  %own.slot = item i64 %how.at, 1
  %one = item ptr %slots, %own.slot
  %with = item ptr %how.at, 2
  switch i64 %how, label %slots.two [ i64 0, label %same
                                      i64 3, label %holds ]
same:
  %is.same = icmp eq ptr %one, %with ? next : changed
slots.two:
  %other.slot = ptrtoint ptr %with to i64
  %other = item ptr %slots, %other.slot
  %is.one = icmp eq ptr %one, %other
  %wants.one = icmp eq i64 %how, 1
  %agrees = icmp eq i1 %is.one, %wants.one ? next : changed
holds:
  %ask = word PyObject_CallNoArgs
  %answer = call ptr %ask(ptr %with)
  %is.answer = icmp ne ptr %answer, null ? answered : changed
answered:
  %true = word True
  call void %release(ptr %answer)
  %is.true = icmp eq ptr %answer, %true ? next : changed
next:
  %check.next = add i64 %check, 1
  br label %compare
done:
  ret i64 1
; What was held is released, by the rows that were gone through.
changed:
  %gone.through = phi i64 [ %number, %weak ], [ %number, %found ], [ %number, %at.once ],
                          [ %number, %not.in.dict ], [ %number, %made ], [ %number, %forgotten ],
                          [ %number, %search.find ], [ %number, %searched ], [ %number, %of.kind ],
                          [ %number, %live ], [ %number, %in.list ], [ %number, %contents ],
                          [ %number, %names.ask ], [ %number, %names.answered ],
                          [ %number, %of.array ],
                          [ %rows, %same ], [ %rows, %slots.two ], [ %rows, %holds ],
                          [ %rows, %answered ]
  %fetch = word PyErr_Fetch
  %restore = word PyErr_Restore
  %error.place = alloca [3 x ptr]
  %error.value = getelementptr ptr, ptr %error.place, i64 1
  %error.trace = getelementptr ptr, ptr %error.place, i64 2
  call void %fetch(ptr %error.place, ptr %error.value, ptr %error.trace)
  br label %back.head
back.head:
  %back = phi i64 [ 0, %changed ], [ %back.next, %back.done ]
  %goes.back = icmp slt i64 %back, %gone.through ? back.row : released
back.row:
  %back.next = add i64 %back, 1
  %back.words = mul i64 %back, 7
  %back.at = getelementptr i64, ptr %places, i64 %back.words
  %back.where = load i64, ptr %back.at
  %back.wanted = item ptr %back.at, 4
  %was.read = icmp slt i64 %back.where, 12
  %was.kept = icmp eq ptr %back.wanted, null
  %is.held = and i1 %was.read, %was.kept ? back.one : back.done
back.one:
  %back.slot = item i64 %back.at, 1
  %back.thing = item ptr %slots, %back.slot
  call void %release(ptr %back.thing)
  br label %back.done
back.done:
  br label %back.head
released:
  %error.kind = load ptr, ptr %error.place
  %error.value.was = load ptr, ptr %error.value
  %error.trace.was = load ptr, ptr %error.trace
  call void %restore(ptr %error.kind, ptr %error.value.was, ptr %error.trace.was)
  %occurred = word PyErr_Occurred
  %error = call ptr %occurred()
  %is.fine = icmp eq ptr %error, null ? left : raised
raised:
  %matches = word PyErr_ExceptionMatches
  %usual = word Exception
  %matching = call i32 %matches(ptr %usual)
  %is.usual = icmp ne i32 %matching, 0 ? clear : raise
clear:
  %forget = word PyErr_Clear
  call void %forget()
  ret i64 0
left:
  ret i64 0
raise:
  ret i64 -1
}

; The tuple of results, or what the function of the table makes of it; where the table has one that
; looks at the inputs first, they are given to both. That says whether they may be given at all.
define internal ptr @give_made(ptr %ctx, ptr %table, ptr %inputs, i64 %count) {
entry:
  %missed = item ptr %table, 13
  %vectorcall = word PyObject_Vectorcall
  %release = word Py_DecRef
  %check = item ptr %table, 25
  %is.unchecked = icmp eq ptr %check, null ? run : look
look:
  %looked = call ptr %vectorcall(ptr %check, ptr %inputs, i64 %count, ptr null)
  %is.answer = icmp ne ptr %looked, null ? checked : failed
failed:
  ret ptr null
checked:
  call void %release(ptr %looked)
  %true = word True
  %is.fine = icmp eq ptr %looked, %true ? run : refused
refused:
  %hold = word Py_IncRef
  call void %hold(ptr %missed)
  ret ptr %missed
run:
  %make = item ptr %table, 24
  %tuple = call ptr @give_all(ptr %ctx, ptr %inputs, i64 %count, ptr %missed)
  %is.made = icmp eq ptr %make, null
  %is.missed = icmp eq ptr %tuple, %missed
  %is.raised = icmp eq ptr %tuple, null
  %is.none = or i1 %is.missed, %is.raised
  %is.done = or i1 %is.made, %is.none ? done : call
done:
  ret ptr %tuple
call:
  %given.inputs = select i1 %is.unchecked, i64 0, i64 %count
  %given = add i64 %given.inputs, 1
  %things = alloca ptr, i64 %given
  store ptr %tuple, ptr %things
  %behind = getelementptr ptr, ptr %things, i64 1
  %bytes = mul i64 %given.inputs, 8
  call void @llvm.memcpy.p0.p0.i64(ptr %behind, ptr %inputs, i64 %bytes, i1 false)
  %result = call ptr %vectorcall(ptr %make, ptr %things, i64 %given, ptr null)
  call void %release(ptr %tuple)
  ret ptr %result
}

define ptr @reading(ptr %self, ptr %args, i64 %nargs) {
entry:
  %table = field ptr %self, $VALUE
  %ctx = load ptr, ptr %table
  %arguments = item i64 %table, 3
  %borrowed = item i64 %table, 4
  %all = item i64 %table, 5
  %end = item i64 %table, 6
  %slots = alloca ptr, i64 %end
  %replaced = item ptr %table, 2
  %length = field i64 %replaced, $LENGTH
  %none.replaced = icmp eq i64 %length, 0
  %is.whole = icmp eq i64 %nargs, %arguments
  %starts = and i1 %none.replaced, %is.whole ? ask : otherwise
ask:
  %asked = item i64 %table, 14
  %wanted = item ptr %table, 15
  br label %ask.head
ask.head:
  %k = phi i64 [ 0, %ask ], [ %k.next, %ask.same ], [ %k.next, %ask.alive ]
  %k.row = mul i64 %k, 3
  %k.next = add i64 %k, 1
  %asks = icmp slt i64 %k, %asked ? ask.one : read
ask.one:
  %how = item i64 %wanted, %k.row
  %position = item i64 %how.at, 1
  %argument = item ptr %args, %position
  %with = item ptr %how.at, 2
  %is.weak = icmp ne i64 %how, 0 ? ask.alive : ask.same
ask.same:
  %is.same = icmp eq ptr %argument, %with ? ask.head : other
ask.alive:
  %referent = word PyWeakref_GetObject
  %living = call ptr %referent(ptr %with)
  %dead = word None
  %is.living = icmp ne ptr %living, %dead
  %is.it = icmp eq ptr %argument, %living
  %is.still = and i1 %is.living, %is.it ? ask.head : other
other:
  %miss = word miss
  %keep = word Py_IncRef
  call void %keep(ptr %miss)
  ret ptr %miss
read:
  %a = phi i64 [ 0, %ask.head ], [ %a.next, %copy ]
  %copies = icmp slt i64 %a, %borrowed ? copy : gather
copy:
  %a.thing = item ptr %args, %a
  %a.to = getelementptr ptr, ptr %slots, i64 %a
  store ptr %a.thing, ptr %a.to
  %a.next = add i64 %a, 1
  br label %read
gather:
  %outer = getelementptr ptr, ptr %slots, i64 %borrowed
  %outer.count = sub i64 %end, %borrowed
  %holds = call i64 @gather(ptr %ctx, ptr %table, ptr %slots, ptr %args)
  switch i64 %holds, label %raised [ i64 0, label %otherwise
                                     i64 1, label %call ]
call:
  %called.at = getelementptr i64, ptr %table, i64 16
  store i64 1, ptr %called.at
  %plain = item ptr %table, 26
  %has.graph = icmp eq ptr %plain, null ? graph : known
known:
  %true = word True
  %answer = word Py_IncRef
  call void %answer(ptr %true)
  br label %given
graph:
  %missed = item ptr %table, 13
  %is.alone = icmp eq ptr %missed, null ? alone : together
alone:
  %one = call ptr @give(ptr %ctx, ptr %slots, i64 %all)
  br label %given
together:
  %made = call ptr @give_made(ptr %ctx, ptr %table, ptr %slots, i64 %all)
  br label %given
given:
  %result = phi ptr [ %one, %alone ], [ %made, %together ], [ %true, %known ]
  call void @drop(ptr %ctx, ptr %outer, i64 %outer.count)
  ret ptr %result
raised:
  ret ptr null
otherwise:
  %slow = call ptr @changed(ptr %ctx, ptr %table, ptr %args, i64 %nargs)
  ret ptr %slow
}

; As `@reading`, of the arguments and the items of those that are nests: lists, tuples, dicts and
; objects of the forms in the table (where, class, how many items, where these are, the keys of a
; dict, names of fields or offsets of three slots). Gives `miss` for others. The items are held
; until the call has ended: a list may be changed meanwhile, and reading a field may run code of the
; user's.
define ptr @reading_nests(ptr %self, ptr %args, i64 %nargs) {
entry:
  %table = field ptr %self, $VALUE
  %ctx = load ptr, ptr %table
  %hold = word Py_IncRef
  %all = item i64 %table, 3
  %nests = item i64 %table, 21
  %rows = item ptr %table, 22
  %wanted = item i64 %table, 23
  %things = alloca ptr, i64 %all
  %place = alloca i64
  %key.place = alloca ptr
  %value.place = alloca ptr
  %dict.of = word _PyObject_GetDictPtr
  %bytes = mul i64 %wanted, 8
  %is.whole = icmp eq i64 %nargs, %wanted ? copy : other
copy:
  call void @llvm.memcpy.p0.p0.i64(ptr %things, ptr %args, i64 %bytes, i1 false)
  br label %head
head:
  %number = phi i64 [ 0, %copy ], [ %number.next, %items.head ]
  %filled = phi i64 [ %wanted, %copy ], [ %end, %items.head ]
  %more = icmp slt i64 %number, %nests ? nest : read
nest:
  %number.next = add i64 %number, 1
  %row = mul i64 %number, 5
  %position = item i64 %rows, %row
  %thing = item ptr %things, %position
  %type = field ptr %thing, $TYPE
  %kind = item ptr %position.at, 1
  %is.kind = icmp eq ptr %type, %kind ? ask : changed
ask:
  %length = item i64 %position.at, 2
  %end = add i64 %filled, %length
  %layout = item i64 %position.at, 3
  %keys = item ptr %position.at, 4
  switch i64 %layout, label %count [ i64 $IN_OBJECT, label %ask.dict
                                     i64 $IN_SLOT, label %wrapper ]
wrapper:
  %inner.offset = load i64, ptr %keys
  %inner = field ptr %thing, %inner.offset
  %one.offset = item i64 %keys, 1
  %one.held = field ptr %thing, %one.offset
  %two.offset = item i64 %keys, 2
  %two.held = field ptr %thing, %two.offset
  %none = word None
  %is.inner = icmp ne ptr %inner, null
  %is.one = icmp eq ptr %one.held, %none
  %is.two = icmp eq ptr %two.held, %none
  %is.first = and i1 %is.inner, %is.one
  %is.wrapper = and i1 %is.first, %is.two ? items.head : changed
ask.dict:
  %held.at = call ptr %dict.of(ptr %thing)
  %has.held = icmp ne ptr %held.at, null ? held.dict : items.head
held.dict:
  %held = load ptr, ptr %held.at
  %is.held = icmp ne ptr %held, null ? count : changed
count:
  %sized = phi ptr [ %thing, %ask ], [ %held, %held.dict ]
  %size = field i64 %sized, $LENGTH
  %is.length = icmp eq i64 %size, %length ? ask.kind : changed
ask.kind:
  %own = getelementptr i8, ptr %thing, i64 $ITEMS
  store i64 0, ptr %place
  switch i64 %layout, label %items.head [ i64 $IN_LIST, label %of.list
                                          i64 $IN_TUPLE, label %of.tuple ]
of.list:
  %outer = load ptr, ptr %own
  br label %items.head
of.tuple:
  br label %items.head
items.head:
  %items = phi ptr [ %outer, %of.list ], [ %own, %of.tuple ], [ %keys, %ask.kind ],
                   [ %keys, %ask.dict ], [ %inner.at, %wrapper ], [ %items, %item.held ],
                   [ %items, %field.held ]
  %k = phi i64 [ 0, %of.list ], [ 0, %of.tuple ], [ 0, %ask.kind ], [ 0, %ask.dict ],
               [ 0, %wrapper ], [ %k.next, %item.held ], [ %k.next, %field.held ]
  %more.items = icmp slt i64 %k, %length ? item : head
item:
  %k.next = add i64 %k, 1
  %to = add i64 %filled, %k
  %to.at = getelementptr ptr, ptr %things, i64 %to
  %listed = item ptr %items, %k
  switch i64 %layout, label %item.held [ i64 $IN_DICT, label %entry.of
                                         i64 $IN_OBJECT, label %field ]
entry.of:
  %next = word PyDict_Next
  %got = call i32 %next(ptr %thing, ptr %place, ptr %key.place, ptr %value.place)
  %is.there = icmp ne i32 %got, 0 ? key.of : changed
key.of:
  %key = load ptr, ptr %key.place
  %is.key = icmp eq ptr %key, %listed ? value.of : changed
value.of:
  %value = load ptr, ptr %value.place
  br label %item.held
field:
  %dict.at = call ptr %dict.of(ptr %thing)
  %has.dict = icmp ne ptr %dict.at, null ? field.dict : field.get
field.dict:
  %dict = load ptr, ptr %dict.at
  %is.dict = icmp ne ptr %dict, null ? field.find : changed
field.find:
  %find = word PyDict_GetItemWithError
  %field.own = call ptr %find(ptr %dict, ptr %listed)
  %is.own = icmp ne ptr %field.own, null ? field.get : field.none
field.get:
  %get = word PyObject_GetAttr
  %field.value = call ptr %get(ptr %thing, ptr %listed)
  %is.field = icmp ne ptr %field.value, null ? field.held : field.none
; What a property of the user's raises is told on the long way.
field.none:
  %occurred = word PyErr_Occurred
  %error = call ptr %occurred()
  %is.fine = icmp eq ptr %error, null ? changed : field.error
field.error:
  %matches = word PyErr_ExceptionMatches
  %usual = word Exception
  %matching = call i32 %matches(ptr %usual)
  %is.usual = icmp ne i32 %matching, 0 ? field.clear : release
field.clear:
  %clear = word PyErr_Clear
  call void %clear()
  br label %changed
field.held:
  store ptr %field.value, ptr %to.at
  br label %items.head
item.held:
  %one = phi ptr [ %listed, %item ], [ %value, %value.of ]
  store ptr %one, ptr %to.at
  call void %hold(ptr %one)
  br label %items.head
read:
  %result = call ptr @reading(ptr %self, ptr %things, i64 %all)
  br label %release
changed:
  %got.to = phi i64 [ %filled, %nest ], [ %filled, %held.dict ], [ %filled, %count ],
                    [ %filled, %wrapper ],
                    [ %to, %entry.of ], [ %to, %key.of ], [ %to, %field.dict ],
                    [ %to, %field.none ], [ %to, %field.clear ]
  br label %other
other:
  %held.to = phi i64 [ %wanted, %entry ], [ %got.to, %changed ]
  %miss = word miss
  call void %hold(ptr %miss)
  br label %release
release:
  %given = phi ptr [ %result, %read ], [ %miss, %other ], [ null, %field.error ]
  %last = phi i64 [ %all, %read ], [ %held.to, %other ], [ %to, %field.error ]
  %drop = word Py_DecRef
  br label %release.head
release.head:
  %r = phi i64 [ %wanted, %release ], [ %r.next, %release.one ]
  %holds = icmp slt i64 %r, %last ? release.one : done
release.one:
  %r.thing = item ptr %things, %r
  call void %drop(ptr %r.thing)
  %r.next = add i64 %r, 1
  br label %release.head
done:
  ret ptr %given
}

; Calls a function of the user's, in the table with the names of its last arguments, where the call
; is one that needs no graph; else gives `miss`.
define ptr @plain(ptr %self, ptr %args, i64 %nargs) {
  %table = field ptr %self, $VALUE
  %ctx = load ptr, ptr %table
  %answer = call ptr @reading_nests(ptr %self, ptr %args, i64 %nargs)
  %true = word True
  %is.known = icmp eq ptr %answer, %true ? call : otherwise
otherwise:
  ret ptr %answer
call:
  %release = word Py_DecRef
  call void %release(ptr %answer)
  %plain = item ptr %table, 26
  %names = item ptr %table, 27
  %vectorcall = word PyObject_Vectorcall
  %has.names = icmp ne ptr %names, null ? named : done
named:
  %count = field i64 %names, $LENGTH
  br label %done
done:
  %last = phi i64 [ 0, %call ], [ %count, %named ]
  %first = sub i64 %nargs, %last
  %result = call ptr %vectorcall(ptr %plain, ptr %args, i64 %first, ptr %names)
  ret ptr %result
}

; As `@alone` and `@call`, of a graph that reads nothing but its arguments, where all is as it was.
define ptr @alone_still(ptr %self, ptr %args, i64 %nargs) {
  %table = field ptr %self, $VALUE
  %ctx = load ptr, ptr %table
  %still = call i1 @is_still(ptr %ctx, ptr %table) ? call : otherwise
call:
  %called.at = getelementptr i64, ptr %table, i64 16
  store i64 1, ptr %called.at
  %result = call ptr @give(ptr %ctx, ptr %args, i64 %nargs)
  ret ptr %result
otherwise:
  %slow = call ptr @changed(ptr %ctx, ptr %table, ptr %args, i64 %nargs)
  ret ptr %slow
}

define ptr @together_still(ptr %self, ptr %args, i64 %nargs) {
  %table = field ptr %self, $VALUE
  %ctx = load ptr, ptr %table
  %still = call i1 @is_still(ptr %ctx, ptr %table) ? call : otherwise
call:
  %called.at = getelementptr i64, ptr %table, i64 16
  store i64 1, ptr %called.at
  %result = call ptr @give_made(ptr %ctx, ptr %table, ptr %args, i64 %nargs)
  ret ptr %result
otherwise:
  %slow = call ptr @changed(ptr %ctx, ptr %table, ptr %args, i64 %nargs)
  ret ptr %slow
}

; Whether all is as it was, for code that is not native.
define ptr @still(ptr %self, ptr %args, i64 %nargs) {
  %table = field ptr %self, $VALUE
  %ctx = load ptr, ptr %table
  %still = call i1 @is_still(ptr %ctx, ptr %table)
  %true = word True
  %false = word False
  %thing = select i1 %still, ptr %true, ptr %false
  %keep = word Py_IncRef
  call void %keep(ptr %thing)
  ret ptr %thing
}

define internal ptr @changed(ptr %ctx, ptr %table, ptr %args, i64 %nargs) {
  %vectorcall = word PyObject_Vectorcall
  %fallback = item ptr %table, 1
  %slow = call ptr %vectorcall(ptr %fallback, ptr %args, i64 %nargs, ptr null)
  ret ptr %slow
}

"""
