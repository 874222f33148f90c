from ours import *
import traceback
ds=make('mem',('window','window'))
try:
    for x in ds: print(x.shape)
except Exception as e:
    while e: print(type(e), str(e)[:600]); e=e.__cause__ or e.__context__
