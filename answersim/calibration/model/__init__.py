"""What a calibration is: a curve, thresholds, provenance, measurements, and the revisions that it is valid for."""

__all__ = ()
