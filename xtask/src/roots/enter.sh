#!/bin/sh
# Runs a command in the root $1 and the directory $2, with the directories up to `--` at their paths. In namespaces of its own,
# without a network.
set -eu
root=$1
directory=$2
shift 2
ip link set lo up
mount --bind "$root" "$root"
cd "$root"
mount -t tmpfs tmpfs tmp
chmod 1777 tmp
mount --rbind /dev dev
mount --rbind /sys sys
mount -t proc proc proc
while [ "$1" != -- ]; do
    mkdir -p ".$1"
    mount --rbind "$1" ".$1"
    shift
done
shift
exec chroot . /usr/bin/env --chdir="$directory" "$@"
