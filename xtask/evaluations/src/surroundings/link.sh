#!/bin/bash
# Takes the place of the compiler when rustc links: links the benchmark executable with each linker as well.
# $LINKERS are names for -fuse-ld, $NAME is that of the executable, and the directories $LLD and $MOLD have ld.lld and
# ld.mold.
cc "$@" || exit 1
executable=
previous=
for word in "$@"; do
    [[ $previous == -o ]] && executable=$word
    previous=$word
done
[[ $executable == */deps/$NAME-* ]] || exit 0
for linker in $LINKERS; do
    words=()
    for word in "$@"; do
        case $word in
        -fuse-ld=*) ;;
        "$executable") words+=("$word.$linker") ;;
        *) words+=("$word") ;;
        esac
    done
    cc "-B$LLD" "-B$MOLD" "${words[@]}" "-fuse-ld=$linker" || exit 1
done
