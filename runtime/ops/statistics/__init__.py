"""Averages, deviations, histograms and sets."""
