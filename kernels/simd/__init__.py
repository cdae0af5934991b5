"""Vector instructions with scalar twins: prefetch, compress, transpose."""
