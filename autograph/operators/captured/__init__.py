"""What a trace takes from outside of itself: captured names and values, and guards on them."""
