#!/bin/bash
# The first process of a virtual machine. Runs the script $RUN, whose path is in the command line of the kernel, and prints
# its exit code.
export PATH=/usr/sbin:/usr/bin HOME=/root
mkdir -p /proc /sys /dev /tmp
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/pts /dev/shm
mount -t devpts devpts /dev/pts
mount -t tmpfs tmpfs /dev/shm
ln -sfn /proc/self/fd /dev/fd
ip link set lo up
/bin/sh "$RUN" </dev/null 2>&1
echo "exit code $?"
echo o >/proc/sysrq-trigger
sleep 60
