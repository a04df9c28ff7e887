"""Fuzz targets: each module has one function `one(data: bytes)` that must never fail."""
