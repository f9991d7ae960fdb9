# Prints each word of a text with the number of its occurrences.
{
    for (i = 1; i <= NF; i++) {
        count[tolower($i)]++
    }
}
END {
    for (word in count) {
        print word, count[word]
    }
}
