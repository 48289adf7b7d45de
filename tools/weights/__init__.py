"""Builders of the weights, calibrations and data that ship."""
