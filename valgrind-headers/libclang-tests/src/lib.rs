//! Compares the table of requests with what libclang reads in Valgrind's headers, see `tests`.
