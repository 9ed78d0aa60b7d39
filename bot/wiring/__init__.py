"""Larger pieces that `bootstrap` puts together; they know no concrete adapter."""
