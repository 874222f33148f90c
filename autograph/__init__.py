"""Plain Python numerics, compiled: control flow becomes a graph that runs fast and differentiates.

Everything public is here, flat: `import autograph as ag`.
"""
