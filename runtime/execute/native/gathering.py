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
  %classes.at = getelementptr i64, ptr %table, i64 7
  %classes = load i64, ptr %classes.at
  %versions.at = getelementptr ptr, ptr %table, i64 8
  %versions = load ptr, ptr %versions.at
  %functions.at = getelementptr i64, ptr %table, i64 17
  %functions = load i64, ptr %functions.at
  %parts.at = getelementptr ptr, ptr %table, i64 18
  %parts = load ptr, ptr %parts.at
  %dicts.at = getelementptr i64, ptr %table, i64 19
  %dicts = load i64, ptr %dicts.at
  %named.at = getelementptr ptr, ptr %table, i64 20
  %named = load ptr, ptr %named.at
  br label %classes.head
classes.head:
  %class = phi i64 [ 0, %entry ], [ %class.next, %class.look ]
  %more.classes = icmp slt i64 %class, %classes
  br i1 %more.classes, label %class.look, label %functions.head
class.look:
  %class.at = getelementptr ptr, ptr %versions, i64 %class
  %class.words = load ptr, ptr %class.at
  %kind = load ptr, ptr %class.words
  %seen.at = getelementptr i64, ptr %class.words, i64 1
  %seen = load i64, ptr %seen.at
  %version.at = getelementptr i8, ptr %kind, i64 $VERSION
  %version.short = load i32, ptr %version.at
  %version = zext i32 %version.short to i64
  %is.version = icmp eq i64 %version, %seen
  %class.next = add i64 %class, 1
  br i1 %is.version, label %classes.head, label %changed
functions.head:
  %number = phi i64 [ 0, %classes.head ], [ %number.next, %function ]
  %more.functions = icmp slt i64 %number, %functions
  br i1 %more.functions, label %function, label %dicts.head
function:
  %function.at = getelementptr ptr, ptr %parts, i64 %number
  %own = load ptr, ptr %function.at
  %whose = load ptr, ptr %own
  %code.at = getelementptr i8, ptr %whose, i64 $CODE
  %code = load ptr, ptr %code.at
  %code.was.at = getelementptr ptr, ptr %own, i64 1
  %code.was = load ptr, ptr %code.was.at
  %is.code = icmp eq ptr %code, %code.was
  %defaults.at = getelementptr i8, ptr %whose, i64 $DEFAULTS
  %defaults = load ptr, ptr %defaults.at
  %defaults.was.at = getelementptr ptr, ptr %own, i64 2
  %defaults.was = load ptr, ptr %defaults.was.at
  %are.defaults = icmp eq ptr %defaults, %defaults.was
  %keywords.at = getelementptr i8, ptr %whose, i64 $KWDEFAULTS
  %keywords = load ptr, ptr %keywords.at
  %keywords.was.at = getelementptr ptr, ptr %own, i64 3
  %keywords.was = load ptr, ptr %keywords.was.at
  %are.keywords = icmp eq ptr %keywords, %keywords.was
  %are.positional = and i1 %is.code, %are.defaults
  %is.function = and i1 %are.positional, %are.keywords
  %number.next = add i64 %number, 1
  br i1 %is.function, label %functions.head, label %changed
dicts.head:
  %place = phi i64 [ 0, %functions.head ], [ %place.next, %dict ], [ %place.next, %dict.same ]
  %more.dicts = icmp slt i64 %place, %dicts
  br i1 %more.dicts, label %dict, label %unchanged
dict:
  %row = mul i64 %place, 4
  %dict.at = getelementptr ptr, ptr %named, i64 %row
  %names = load ptr, ptr %dict.at
  %tag.at = getelementptr i64, ptr %dict.at, i64 1
  %tag = load i64, ptr %tag.at
  %tag.now.at = getelementptr i8, ptr %names, i64 $DICT_VERSION
  %tag.now = load i64, ptr %tag.now.at
  %is.tag = icmp eq i64 %tag, %tag.now
  %place.next = add i64 %place, 1
  br i1 %is.tag, label %dicts.head, label %search
search:
  %count.at = getelementptr i64, ptr %dict.at, i64 2
  %count = load i64, ptr %count.at
  %pairs.at = getelementptr ptr, ptr %dict.at, i64 3
  %pairs = load ptr, ptr %pairs.at
  %find = word PyDict_GetItemWithError
  br label %names.head
names.head:
  %k = phi i64 [ 0, %search ], [ %k.next, %name.same ], [ %k.next, %absent ]
  %more.names = icmp slt i64 %k, %count
  br i1 %more.names, label %look.up, label %dict.same
look.up:
  %pair = mul i64 %k, 2
  %name.at = getelementptr ptr, ptr %pairs, i64 %pair
  %name = load ptr, ptr %name.at
  %wanted.at = getelementptr ptr, ptr %name.at, i64 1
  %wanted = load ptr, ptr %wanted.at
  %found = call ptr %find(ptr %names, ptr %name)
  %k.next = add i64 %k, 1
  %is.found = icmp eq ptr %found, %wanted
  br i1 %is.found, label %name.same, label %failed
name.same:
  %is.absent = icmp eq ptr %found, null
  br i1 %is.absent, label %absent, label %names.head
absent:
  %occurred = word PyErr_Occurred
  %error = call ptr %occurred()
  %is.fine = icmp eq ptr %error, null
  br i1 %is.fine, label %names.head, label %failed
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
  %size.at = getelementptr i8, ptr %container, i64 $LENGTH
  %size = load i64, ptr %size.at
  %is.size = icmp eq i64 %size, %count
  br i1 %is.size, label %begin, label %changed
begin:
  %own = getelementptr i8, ptr %container, i64 $ITEMS
  %layout.at = getelementptr i64, ptr %wanted, i64 1
  %layout = load i64, ptr %layout.at
  %is.list = icmp eq i64 %layout, $IN_LIST
  br i1 %is.list, label %of.list, label %head
of.list:
  %outer = load ptr, ptr %own
  br label %head
head:
  %items = phi ptr [ %own, %begin ], [ %outer, %of.list ], [ %items, %next ]
  %k = phi i64 [ 0, %begin ], [ 0, %of.list ], [ %k.next, %next ]
  %more = icmp slt i64 %k, %count
  br i1 %more, label %item, label %same
item:
  %k.next = add i64 %k, 1
  %row = mul i64 %k.next, 2
  %how.at = getelementptr i64, ptr %wanted, i64 %row
  %how = load i64, ptr %how.at
  %what.at = getelementptr ptr, ptr %how.at, i64 1
  %what = load ptr, ptr %what.at
  %item.at = getelementptr ptr, ptr %items, i64 %k
  %one = load ptr, ptr %item.at
  switch i64 %how, label %next [ i64 1, label %weak
                                 i64 2, label %kind ]
weak:
  %living = call ptr %referent(ptr %what)
  %is.dead = icmp eq ptr %living, %dead
  br i1 %is.dead, label %changed, label %next
kind:
  %type.at = getelementptr i8, ptr %one, i64 $TYPE
  %type = load ptr, ptr %type.at
  br label %next
next:
  %found = phi ptr [ %one, %item ], [ %one, %weak ], [ %type, %kind ]
  %expected = phi ptr [ %what, %item ], [ %living, %weak ], [ %what, %kind ]
  %is.same = icmp eq ptr %found, %expected
  br i1 %is.same, label %head, label %changed
same:
  ret i1 true
changed:
  ret i1 false
}

; Whether a thing is an array of a dtype, a rank and sizes, which the words are in turn.
define internal i1 @is_array_of(ptr %ctx, ptr %thing, ptr %words) {
entry:
  %dtype = load ptr, ptr %words
  %rank.at = getelementptr i64, ptr %words, i64 1
  %rank = load i64, ptr %rank.at
  %is.array = call i1 @is_array(ptr %ctx, ptr %thing, ptr %dtype, i64 %rank)
  br i1 %is.array, label %begin, label %done
begin:
  %dims.at = getelementptr i8, ptr %thing, i64 $DIMENSIONS
  %dims = load ptr, ptr %dims.at
  br label %head
head:
  %k = phi i64 [ 0, %begin ], [ %k.next, %size ]
  %more = icmp slt i64 %k, %rank
  br i1 %more, label %size, label %done
size:
  %k.next = add i64 %k, 1
  %at = getelementptr i64, ptr %dims, i64 %k
  %found = load i64, ptr %at
  %wanted.at = getelementptr i64, ptr %rank.at, i64 %k.next
  %wanted = load i64, ptr %wanted.at
  %is.size = icmp eq i64 %found, %wanted
  br i1 %is.size, label %head, label %done
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
  %rows.at = getelementptr i64, ptr %table, i64 9
  %rows = load i64, ptr %rows.at
  %places.at = getelementptr ptr, ptr %table, i64 10
  %places = load ptr, ptr %places.at
  %checks.at = getelementptr i64, ptr %table, i64 11
  %checks = load i64, ptr %checks.at
  %compared.at = getelementptr ptr, ptr %table, i64 12
  %compared = load ptr, ptr %compared.at
  %still = call i1 @is_still(ptr %ctx, ptr %table)
  br i1 %still, label %head, label %left
head:
  %number = phi i64 [ 0, %entry ], [ %number.next, %next.row ]
  %more = icmp slt i64 %number, %rows
  br i1 %more, label %place, label %compare
place:
  %row = mul i64 %number, 7
  %where.at = getelementptr i64, ptr %places, i64 %row
  %where = load i64, ptr %where.at
  %slot.at = getelementptr i64, ptr %where.at, i64 1
  %slot = load i64, ptr %slot.at
  %kept.at = getelementptr ptr, ptr %slots, i64 %slot
  %thing.at = getelementptr ptr, ptr %where.at, i64 2
  %thing = load ptr, ptr %thing.at
  %name.at = getelementptr ptr, ptr %where.at, i64 3
  %name = load ptr, ptr %name.at
  %wanted.at = getelementptr ptr, ptr %where.at, i64 4
  %wanted = load ptr, ptr %wanted.at
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
  %content.at = getelementptr i8, ptr %thing, i64 $CONTENT
  %content = load ptr, ptr %content.at
  br label %found
variable:
  %tag = load i64, ptr %tag.at
  %tag.now.at = getelementptr i8, ptr %thing, i64 $DICT_VERSION
  %tag.now = load i64, ptr %tag.now.at
  %is.unchanged = icmp eq i64 %tag, %tag.now
  br i1 %is.unchanged, label %variable.known, label %variable.find
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
  %member.at = getelementptr i8, ptr %slotted, i64 %offset
  %member = load ptr, ptr %member.at
  br label %found
in.list:
  %items.count.at = getelementptr i8, ptr %thing, i64 $LENGTH
  %items.count = load i64, ptr %items.count.at
  %position = ptrtoint ptr %name to i64
  %is.within = icmp slt i64 %position, %items.count
  br i1 %is.within, label %of.place, label %changed
of.place:
  %items.at = getelementptr i8, ptr %thing, i64 $ITEMS
  %items = load ptr, ptr %items.at
  %item.at = getelementptr ptr, ptr %items, i64 %position
  %listed = load ptr, ptr %item.at
  br label %found
; Where its dict has it not, an object may have it from its class.
in.dict:
  %holder = load ptr, ptr %owner.at
  %dict.of = word _PyObject_GetDictPtr
  %dict.at = call ptr %dict.of(ptr %holder)
  %has.dict = icmp ne ptr %dict.at, null
  br i1 %has.dict, label %of.dict, label %own
of.dict:
  %dict = load ptr, ptr %dict.at
  %is.dict = icmp ne ptr %dict, null
  br i1 %is.dict, label %look.up, label %own
look.up:
  %held.tag = load i64, ptr %tag.at
  %held.now.at = getelementptr i8, ptr %dict, i64 $DICT_VERSION
  %held.now = load i64, ptr %held.now.at
  %is.held.tag = icmp eq i64 %held.tag, %held.now
  br i1 %is.held.tag, label %held.known, label %held.find
held.known:
  %held.before = load ptr, ptr %known.at
  br label %found
held.find:
  %held.value = call ptr %find(ptr %dict, ptr %name)
  %is.in.dict = icmp ne ptr %held.value, null
  br i1 %is.in.dict, label %held.found, label %not.in.dict
held.found:
  %held.new = or i64 %held.now, $NO_DICT_VERSION
  store i64 %held.new, ptr %tag.at
  store ptr %held.value, ptr %known.at
  br label %found
not.in.dict:
  %own.occurred = word PyErr_Occurred
  %own.error = call ptr %own.occurred()
  %is.absent = icmp eq ptr %own.error, null
  br i1 %is.absent, label %own, label %changed
argument:
  %given.at = getelementptr ptr, ptr %args, i64 %index
  %given = load ptr, ptr %given.at
  br label %keep
weak:
  %referred = call ptr %referent(ptr %thing)
  %is.dead = icmp eq ptr %referred, %dead
  br i1 %is.dead, label %changed, label %keep
found:
  %borrowed = phi ptr [ %content, %cell ], [ %known, %variable.known ],
                      [ %value, %variable.find ], [ %member, %in.slot ],
                      [ %held.before, %held.known ], [ %held.value, %held.found ],
                      [ %listed, %of.place ]
  %is.there = icmp ne ptr %borrowed, null
  br i1 %is.there, label %there, label %changed
there:
  br i1 %is.kept, label %keep, label %at.once
at.once:
  %is.wanted = icmp eq ptr %borrowed, %wanted
  br i1 %is.wanted, label %next.row, label %changed
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
  %is.made = icmp ne ptr %new, null
  br i1 %is.made, label %had, label %changed
had:
  br i1 %is.kept, label %own.it, label %forgotten
own.it:
  store ptr %new, ptr %kept.at
  br label %next.row
forgotten:
  call void %release(ptr %new)
  %is.new.wanted = icmp eq ptr %new, %wanted
  br i1 %is.new.wanted, label %next.row, label %changed
absent:
  %whose = load ptr, ptr %owner.at
  %its.dict.of = word _PyObject_GetDictPtr
  %its.dict.at = call ptr %its.dict.of(ptr %whose)
  %has.its.dict = icmp ne ptr %its.dict.at, null
  br i1 %has.its.dict, label %its.dict, label %next.row
its.dict:
  %its = load ptr, ptr %its.dict.at
  %is.its = icmp ne ptr %its, null
  br i1 %is.its, label %search, label %next.row
search:
  %its.tag = load i64, ptr %tag.at
  %its.now.at = getelementptr i8, ptr %its, i64 $DICT_VERSION
  %its.now = load i64, ptr %its.now.at
  %is.its.tag = icmp eq i64 %its.tag, %its.now
  br i1 %is.its.tag, label %next.row, label %search.find
search.find:
  %hiding = call ptr %find(ptr %its, ptr %name)
  %is.free = icmp eq ptr %hiding, null
  br i1 %is.free, label %searched, label %changed
searched:
  %search.occurred = word PyErr_Occurred
  %search.error = call ptr %search.occurred()
  %is.searched = icmp eq ptr %search.error, null
  br i1 %is.searched, label %search.found, label %changed
search.found:
  %its.new = or i64 %its.now, $NO_DICT_VERSION
  store i64 %its.new, ptr %tag.at
  br label %next.row
of.kind:
  %object = load ptr, ptr %kept.at
  %type.at = getelementptr i8, ptr %object, i64 $TYPE
  %type = load ptr, ptr %type.at
  %kind.wanted = load ptr, ptr %thing
  %is.kind = icmp eq ptr %type, %kind.wanted
  br i1 %is.kind, label %next.row, label %changed
live:
  %held = load ptr, ptr %kept.at
  %living = call ptr %referent(ptr %thing)
  %is.living = icmp ne ptr %living, %dead
  %is.it = icmp eq ptr %held, %living
  %is.still = and i1 %is.living, %is.it
  br i1 %is.still, label %next.row, label %changed
of.array:
  %array = load ptr, ptr %kept.at
  %is.array = call i1 @is_array_of(ptr %ctx, ptr %array, ptr %thing)
  br i1 %is.array, label %next.row, label %changed
contents:
  %is.content = call i1 @is_content(ptr %ctx, ptr %thing, ptr %name)
  br i1 %is.content, label %next.row, label %changed
dict.names:
  %names.tag = load i64, ptr %tag.at
  %names.now.at = getelementptr i8, ptr %thing, i64 $DICT_VERSION
  %names.now = load i64, ptr %names.now.at
  %is.names.tag = icmp eq i64 %names.tag, %names.now
  br i1 %is.names.tag, label %next.row, label %names.ask
names.ask:
  %names.call = word PyObject_CallNoArgs
  %names.answer = call ptr %names.call(ptr %name)
  %is.names.answer = icmp ne ptr %names.answer, null
  br i1 %is.names.answer, label %names.answered, label %changed
names.answered:
  %names.true = word True
  call void %release(ptr %names.answer)
  %are.names = icmp eq ptr %names.answer, %names.true
  br i1 %are.names, label %names.same, label %changed
names.same:
  %names.new = or i64 %names.now, $NO_DICT_VERSION
  store i64 %names.new, ptr %tag.at
  br label %next.row
next.row:
  %number.next = add i64 %number, 1
  br label %head
compare:
  %check = phi i64 [ 0, %head ], [ %check.next, %next ]
  %going = icmp slt i64 %check, %checks
  br i1 %going, label %look, label %done
look:
  %check.row = mul i64 %check, 3
  %how.at = getelementptr i64, ptr %compared, i64 %check.row
  %how = load i64, ptr %how.at
  %own.at = getelementptr i64, ptr %how.at, i64 1
  %own.slot = load i64, ptr %own.at
  %own.place = getelementptr ptr, ptr %slots, i64 %own.slot
  %one = load ptr, ptr %own.place
  %with.at = getelementptr ptr, ptr %how.at, i64 2
  %with = load ptr, ptr %with.at
  switch i64 %how, label %slots.two [ i64 0, label %same
                                      i64 3, label %holds ]
same:
  %is.same = icmp eq ptr %one, %with
  br i1 %is.same, label %next, label %changed
slots.two:
  %other.slot = ptrtoint ptr %with to i64
  %other.at = getelementptr ptr, ptr %slots, i64 %other.slot
  %other = load ptr, ptr %other.at
  %is.one = icmp eq ptr %one, %other
  %wants.one = icmp eq i64 %how, 1
  %agrees = icmp eq i1 %is.one, %wants.one
  br i1 %agrees, label %next, label %changed
holds:
  %ask = word PyObject_CallNoArgs
  %answer = call ptr %ask(ptr %with)
  %is.answer = icmp ne ptr %answer, null
  br i1 %is.answer, label %answered, label %changed
answered:
  %true = word True
  call void %release(ptr %answer)
  %is.true = icmp eq ptr %answer, %true
  br i1 %is.true, label %next, label %changed
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
  %goes.back = icmp slt i64 %back, %gone.through
  br i1 %goes.back, label %back.row, label %released
back.row:
  %back.next = add i64 %back, 1
  %back.words = mul i64 %back, 7
  %back.at = getelementptr i64, ptr %places, i64 %back.words
  %back.where = load i64, ptr %back.at
  %back.wanted.at = getelementptr ptr, ptr %back.at, i64 4
  %back.wanted = load ptr, ptr %back.wanted.at
  %was.read = icmp slt i64 %back.where, 12
  %was.kept = icmp eq ptr %back.wanted, null
  %is.held = and i1 %was.read, %was.kept
  br i1 %is.held, label %back.one, label %back.done
back.one:
  %back.slot.at = getelementptr i64, ptr %back.at, i64 1
  %back.slot = load i64, ptr %back.slot.at
  %back.place = getelementptr ptr, ptr %slots, i64 %back.slot
  %back.thing = load ptr, ptr %back.place
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
  %is.fine = icmp eq ptr %error, null
  br i1 %is.fine, label %left, label %raised
raised:
  %matches = word PyErr_ExceptionMatches
  %usual = word Exception
  %matching = call i32 %matches(ptr %usual)
  %is.usual = icmp ne i32 %matching, 0
  br i1 %is.usual, label %clear, label %raise
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
  %missed.at = getelementptr ptr, ptr %table, i64 13
  %missed = load ptr, ptr %missed.at
  %vectorcall = word PyObject_Vectorcall
  %release = word Py_DecRef
  %check.at = getelementptr ptr, ptr %table, i64 25
  %check = load ptr, ptr %check.at
  %is.unchecked = icmp eq ptr %check, null
  br i1 %is.unchecked, label %run, label %look
look:
  %looked = call ptr %vectorcall(ptr %check, ptr %inputs, i64 %count, ptr null)
  %is.answer = icmp ne ptr %looked, null
  br i1 %is.answer, label %checked, label %failed
failed:
  ret ptr null
checked:
  call void %release(ptr %looked)
  %true = word True
  %is.fine = icmp eq ptr %looked, %true
  br i1 %is.fine, label %run, label %refused
refused:
  %hold = word Py_IncRef
  call void %hold(ptr %missed)
  ret ptr %missed
run:
  %make.at = getelementptr ptr, ptr %table, i64 24
  %make = load ptr, ptr %make.at
  %tuple = call ptr @give_all(ptr %ctx, ptr %inputs, i64 %count, ptr %missed)
  %is.made = icmp eq ptr %make, null
  %is.missed = icmp eq ptr %tuple, %missed
  %is.raised = icmp eq ptr %tuple, null
  %is.none = or i1 %is.missed, %is.raised
  %is.done = or i1 %is.made, %is.none
  br i1 %is.done, label %done, label %call
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
  %table.at = getelementptr i8, ptr %self, i64 $VALUE
  %table = load ptr, ptr %table.at
  %ctx = load ptr, ptr %table
  %arguments.at = getelementptr i64, ptr %table, i64 3
  %arguments = load i64, ptr %arguments.at
  %borrowed.at = getelementptr i64, ptr %table, i64 4
  %borrowed = load i64, ptr %borrowed.at
  %all.at = getelementptr i64, ptr %table, i64 5
  %all = load i64, ptr %all.at
  %end.at = getelementptr i64, ptr %table, i64 6
  %end = load i64, ptr %end.at
  %slots = alloca ptr, i64 %end
  %replaced.at = getelementptr ptr, ptr %table, i64 2
  %replaced = load ptr, ptr %replaced.at
  %length.at = getelementptr i8, ptr %replaced, i64 $LENGTH
  %length = load i64, ptr %length.at
  %none.replaced = icmp eq i64 %length, 0
  %is.whole = icmp eq i64 %nargs, %arguments
  %starts = and i1 %none.replaced, %is.whole
  br i1 %starts, label %ask, label %otherwise
ask:
  %asked.at = getelementptr i64, ptr %table, i64 14
  %asked = load i64, ptr %asked.at
  %wanted.at = getelementptr ptr, ptr %table, i64 15
  %wanted = load ptr, ptr %wanted.at
  br label %ask.head
ask.head:
  %k = phi i64 [ 0, %ask ], [ %k.next, %ask.same ], [ %k.next, %ask.alive ]
  %k.row = mul i64 %k, 3
  %k.next = add i64 %k, 1
  %asks = icmp slt i64 %k, %asked
  br i1 %asks, label %ask.one, label %read
ask.one:
  %how.at = getelementptr i64, ptr %wanted, i64 %k.row
  %how = load i64, ptr %how.at
  %position.at = getelementptr i64, ptr %how.at, i64 1
  %position = load i64, ptr %position.at
  %given.at = getelementptr ptr, ptr %args, i64 %position
  %argument = load ptr, ptr %given.at
  %with.at = getelementptr ptr, ptr %how.at, i64 2
  %with = load ptr, ptr %with.at
  %is.weak = icmp ne i64 %how, 0
  br i1 %is.weak, label %ask.alive, label %ask.same
ask.same:
  %is.same = icmp eq ptr %argument, %with
  br i1 %is.same, label %ask.head, label %other
ask.alive:
  %referent = word PyWeakref_GetObject
  %living = call ptr %referent(ptr %with)
  %dead = word None
  %is.living = icmp ne ptr %living, %dead
  %is.it = icmp eq ptr %argument, %living
  %is.still = and i1 %is.living, %is.it
  br i1 %is.still, label %ask.head, label %other
other:
  %miss = word miss
  %keep = word Py_IncRef
  call void %keep(ptr %miss)
  ret ptr %miss
read:
  %a = phi i64 [ 0, %ask.head ], [ %a.next, %copy ]
  %copies = icmp slt i64 %a, %borrowed
  br i1 %copies, label %copy, label %gather
copy:
  %a.from = getelementptr ptr, ptr %args, i64 %a
  %a.thing = load ptr, ptr %a.from
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
  %plain.at = getelementptr ptr, ptr %table, i64 26
  %plain = load ptr, ptr %plain.at
  %has.graph = icmp eq ptr %plain, null
  br i1 %has.graph, label %graph, label %known
known:
  %true = word True
  %answer = word Py_IncRef
  call void %answer(ptr %true)
  br label %given
graph:
  %missed.at = getelementptr ptr, ptr %table, i64 13
  %missed = load ptr, ptr %missed.at
  %is.alone = icmp eq ptr %missed, null
  br i1 %is.alone, label %alone, label %together
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
  %table.at = getelementptr i8, ptr %self, i64 $VALUE
  %table = load ptr, ptr %table.at
  %ctx = load ptr, ptr %table
  %hold = word Py_IncRef
  %all.at = getelementptr i64, ptr %table, i64 3
  %all = load i64, ptr %all.at
  %nests.at = getelementptr i64, ptr %table, i64 21
  %nests = load i64, ptr %nests.at
  %rows.at = getelementptr ptr, ptr %table, i64 22
  %rows = load ptr, ptr %rows.at
  %wanted.at = getelementptr i64, ptr %table, i64 23
  %wanted = load i64, ptr %wanted.at
  %things = alloca ptr, i64 %all
  %place = alloca i64
  %key.place = alloca ptr
  %value.place = alloca ptr
  %dict.of = word _PyObject_GetDictPtr
  %bytes = mul i64 %wanted, 8
  %is.whole = icmp eq i64 %nargs, %wanted
  br i1 %is.whole, label %copy, label %other
copy:
  call void @llvm.memcpy.p0.p0.i64(ptr %things, ptr %args, i64 %bytes, i1 false)
  br label %head
head:
  %number = phi i64 [ 0, %copy ], [ %number.next, %items.head ]
  %filled = phi i64 [ %wanted, %copy ], [ %end, %items.head ]
  %more = icmp slt i64 %number, %nests
  br i1 %more, label %nest, label %read
nest:
  %number.next = add i64 %number, 1
  %row = mul i64 %number, 5
  %position.at = getelementptr i64, ptr %rows, i64 %row
  %position = load i64, ptr %position.at
  %nest.at = getelementptr ptr, ptr %things, i64 %position
  %thing = load ptr, ptr %nest.at
  %type.at = getelementptr i8, ptr %thing, i64 $TYPE
  %type = load ptr, ptr %type.at
  %kind.at = getelementptr ptr, ptr %position.at, i64 1
  %kind = load ptr, ptr %kind.at
  %is.kind = icmp eq ptr %type, %kind
  br i1 %is.kind, label %ask, label %changed
ask:
  %length.at = getelementptr ptr, ptr %position.at, i64 2
  %length = load i64, ptr %length.at
  %end = add i64 %filled, %length
  %layout.at = getelementptr ptr, ptr %position.at, i64 3
  %layout = load i64, ptr %layout.at
  %keys.at = getelementptr ptr, ptr %position.at, i64 4
  %keys = load ptr, ptr %keys.at
  switch i64 %layout, label %count [ i64 $IN_OBJECT, label %ask.dict
                                     i64 $IN_SLOT, label %wrapper ]
wrapper:
  %inner.offset = load i64, ptr %keys
  %inner.at = getelementptr i8, ptr %thing, i64 %inner.offset
  %inner = load ptr, ptr %inner.at
  %one.at = getelementptr i64, ptr %keys, i64 1
  %one.offset = load i64, ptr %one.at
  %one.slot = getelementptr i8, ptr %thing, i64 %one.offset
  %one.held = load ptr, ptr %one.slot
  %two.at = getelementptr i64, ptr %keys, i64 2
  %two.offset = load i64, ptr %two.at
  %two.slot = getelementptr i8, ptr %thing, i64 %two.offset
  %two.held = load ptr, ptr %two.slot
  %none = word None
  %is.inner = icmp ne ptr %inner, null
  %is.one = icmp eq ptr %one.held, %none
  %is.two = icmp eq ptr %two.held, %none
  %is.first = and i1 %is.inner, %is.one
  %is.wrapper = and i1 %is.first, %is.two
  br i1 %is.wrapper, label %items.head, label %changed
ask.dict:
  %held.at = call ptr %dict.of(ptr %thing)
  %has.held = icmp ne ptr %held.at, null
  br i1 %has.held, label %held.dict, label %items.head
held.dict:
  %held = load ptr, ptr %held.at
  %is.held = icmp ne ptr %held, null
  br i1 %is.held, label %count, label %changed
count:
  %sized = phi ptr [ %thing, %ask ], [ %held, %held.dict ]
  %size.at = getelementptr i8, ptr %sized, i64 $LENGTH
  %size = load i64, ptr %size.at
  %is.length = icmp eq i64 %size, %length
  br i1 %is.length, label %ask.kind, label %changed
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
  %more.items = icmp slt i64 %k, %length
  br i1 %more.items, label %item, label %head
item:
  %k.next = add i64 %k, 1
  %to = add i64 %filled, %k
  %to.at = getelementptr ptr, ptr %things, i64 %to
  %item.at = getelementptr ptr, ptr %items, i64 %k
  %listed = load ptr, ptr %item.at
  switch i64 %layout, label %item.held [ i64 $IN_DICT, label %entry.of
                                         i64 $IN_OBJECT, label %field ]
entry.of:
  %next = word PyDict_Next
  %got = call i32 %next(ptr %thing, ptr %place, ptr %key.place, ptr %value.place)
  %is.there = icmp ne i32 %got, 0
  br i1 %is.there, label %key.of, label %changed
key.of:
  %key = load ptr, ptr %key.place
  %is.key = icmp eq ptr %key, %listed
  br i1 %is.key, label %value.of, label %changed
value.of:
  %value = load ptr, ptr %value.place
  br label %item.held
field:
  %dict.at = call ptr %dict.of(ptr %thing)
  %has.dict = icmp ne ptr %dict.at, null
  br i1 %has.dict, label %field.dict, label %field.get
field.dict:
  %dict = load ptr, ptr %dict.at
  %is.dict = icmp ne ptr %dict, null
  br i1 %is.dict, label %field.find, label %changed
field.find:
  %find = word PyDict_GetItemWithError
  %field.own = call ptr %find(ptr %dict, ptr %listed)
  %is.own = icmp ne ptr %field.own, null
  br i1 %is.own, label %field.get, label %field.none
field.get:
  %get = word PyObject_GetAttr
  %field.value = call ptr %get(ptr %thing, ptr %listed)
  %is.field = icmp ne ptr %field.value, null
  br i1 %is.field, label %field.held, label %field.none
; What a property of the user's raises is told on the long way.
field.none:
  %occurred = word PyErr_Occurred
  %error = call ptr %occurred()
  %is.fine = icmp eq ptr %error, null
  br i1 %is.fine, label %changed, label %field.error
field.error:
  %matches = word PyErr_ExceptionMatches
  %usual = word Exception
  %matching = call i32 %matches(ptr %usual)
  %is.usual = icmp ne i32 %matching, 0
  br i1 %is.usual, label %field.clear, label %release
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
  %holds = icmp slt i64 %r, %last
  br i1 %holds, label %release.one, label %done
release.one:
  %r.at = getelementptr ptr, ptr %things, i64 %r
  %r.thing = load ptr, ptr %r.at
  call void %drop(ptr %r.thing)
  %r.next = add i64 %r, 1
  br label %release.head
done:
  ret ptr %given
}

; Calls a function of the user's, in the table with the names of its last arguments, where the call
; is one that needs no graph; else gives `miss`.
define ptr @plain(ptr %self, ptr %args, i64 %nargs) {
  %table.at = getelementptr i8, ptr %self, i64 $VALUE
  %table = load ptr, ptr %table.at
  %ctx = load ptr, ptr %table
  %answer = call ptr @reading_nests(ptr %self, ptr %args, i64 %nargs)
  %true = word True
  %is.known = icmp eq ptr %answer, %true
  br i1 %is.known, label %call, label %otherwise
otherwise:
  ret ptr %answer
call:
  %release = word Py_DecRef
  call void %release(ptr %answer)
  %plain.at = getelementptr ptr, ptr %table, i64 26
  %plain = load ptr, ptr %plain.at
  %names.at = getelementptr ptr, ptr %table, i64 27
  %names = load ptr, ptr %names.at
  %vectorcall = word PyObject_Vectorcall
  %has.names = icmp ne ptr %names, null
  br i1 %has.names, label %named, label %done
named:
  %count.at = getelementptr i8, ptr %names, i64 $LENGTH
  %count = load i64, ptr %count.at
  br label %done
done:
  %last = phi i64 [ 0, %call ], [ %count, %named ]
  %first = sub i64 %nargs, %last
  %result = call ptr %vectorcall(ptr %plain, ptr %args, i64 %first, ptr %names)
  ret ptr %result
}

; As `@alone` and `@call`, of a graph that reads nothing but its arguments, where all is as it was.
define ptr @alone_still(ptr %self, ptr %args, i64 %nargs) {
  %table.at = getelementptr i8, ptr %self, i64 $VALUE
  %table = load ptr, ptr %table.at
  %ctx = load ptr, ptr %table
  %still = call i1 @is_still(ptr %ctx, ptr %table)
  br i1 %still, label %call, label %otherwise
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
  %table.at = getelementptr i8, ptr %self, i64 $VALUE
  %table = load ptr, ptr %table.at
  %ctx = load ptr, ptr %table
  %still = call i1 @is_still(ptr %ctx, ptr %table)
  br i1 %still, label %call, label %otherwise
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
  %table.at = getelementptr i8, ptr %self, i64 $VALUE
  %table = load ptr, ptr %table.at
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
  %fallback.at = getelementptr ptr, ptr %table, i64 1
  %fallback = load ptr, ptr %fallback.at
  %slow = call ptr %vectorcall(ptr %fallback, ptr %args, i64 %nargs, ptr null)
  ret ptr %slow
}

"""
