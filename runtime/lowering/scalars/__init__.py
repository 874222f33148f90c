"""What ops mean on scalars, and elementary functions composed of what machines compute."""
