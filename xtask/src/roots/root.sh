#!/bin/sh
# Makes a root in the directory $1 with the files of Debian's packages of the release $2. None of their scripts runs, so that
# no rights are needed.
set -eu
# Valgrind finds the functions of the C library by the symbols in libc6-dbg
packages=base-files,bash,coreutils,dash,diffutils,findutils,g++,gcc,git,grep,gzip,hostname,iproute2,libc-bin,libc6-dbg,libc6-dev
packages=$packages,make,mawk,mount,perl,procps,python3-minimal,sed,tar,util-linux,valgrind
mkdir "$1/root"
# A mirror can be older than the time for which the list of an unstable release is valid. The archive is no pipe, in which
# what is missing at its end would not be seen
mmdebstrap --quiet --variant=extract --aptopt='Acquire::Check-Valid-Until "false"' --include=$packages "$2" "$1/root.tar" \
    http://deb.debian.org/debian
tar -x -f "$1/root.tar" -C "$1/root" --no-same-owner --exclude='./dev/*' --exclude='./usr/share/doc' \
    --exclude='./usr/share/locale' --exclude='./usr/share/man'
rm "$1/root.tar"
cd "$1/root"
# Debian's alternatives are set by scripts
ln -sf gcc usr/bin/cc
ln -sf g++ usr/bin/c++
ln -sf mawk usr/bin/awk
echo root:x:0:0:root:/root:/bin/sh >etc/passwd
echo root:x:0: >etc/group
echo 127.0.0.1 localhost >etc/hosts
