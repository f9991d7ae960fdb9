//! Real files of tools for the tests, and ways to damage them.
