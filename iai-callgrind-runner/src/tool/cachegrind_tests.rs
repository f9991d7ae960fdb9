//! Reads real files, and damaged ones.
