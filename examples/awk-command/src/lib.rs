//! The subject of the benchmark is `word_count.awk`.
