"""Programs and checkpoints as files: zip archives of versioned JSON and raw arrays, no pickle.

What is read from a file is data: it is never imported, evaluated or executed, and a graph is
checked node by node before anything is made of it.
"""
