"""From a function's source to its converted twin, and where converted functions are kept."""
