#!/bin/sh
# Makes the kernel and the first file system of an arm64 machine in the directory $1, with the first process in init.sh.
# They are the files of Debian's packages. None of their scripts runs, so that neither rights nor emulation are needed.
set -eu
# Valgrind finds the functions of the C library by the symbols in libc6-dbg
packages=base-files,bash,coreutils,dash,diffutils,findutils,grep,iproute2,libc6-dbg,libgcc-s1,mawk,mount,perl,procps
packages=$packages,python3-minimal,sed,tar,util-linux,valgrind,linux-image-cloud-arm64
mkdir -p "$1/root"
mmdebstrap --quiet --variant=extract --architectures=arm64 --include=$packages trixie - http://deb.debian.org/debian |
    tar -x -C "$1/root" --exclude='./dev/*' --exclude='./usr/lib/modules' --exclude='./usr/share/doc' \
        --exclude='./usr/share/locale' --exclude='./usr/share/man' --exclude='./usr/share/i18n'
cd "$1/root"
mv boot/vmlinuz-* ../kernel
rm -r boot
cp ../init.sh init
chmod 755 init
# Debian's alternatives are set by scripts
ln -sf mawk usr/bin/awk
echo root:x:0:0:root:/root:/bin/sh >etc/passwd
find . | cpio --quiet -o -H newc -R 0:0 >../files
cd ..
rm -r root
