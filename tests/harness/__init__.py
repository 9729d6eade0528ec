"""What tests/run.py is made of: one module for each kind of test."""
