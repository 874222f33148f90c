"""What belongs to the process: its files, forks, signals, memory, and the others beside it."""
