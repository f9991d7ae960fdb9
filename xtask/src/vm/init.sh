#!/bin/bash
# The first process of a virtual machine: shows the directories of the disk that it is given at their
# places, runs `/vm/run`, and sends back the files in /tmp/out.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev 2>/dev/null
mkdir -p /dev/pts /dev/shm
mount -t devpts devpts /dev/pts
mount -t tmpfs tmpfs /dev/shm
mount -t tmpfs -o size=70% tmpfs /tmp
mount -t tmpfs tmpfs /run
ip link set lo up
ln -sfn /proc/self/fd /dev/fd
ln -sfn fd/0 /dev/stdin
ln -sfn fd/1 /dev/stdout
ln -sfn fd/2 /dev/stderr
mkdir /tmp/out
modprobe -a virtio_pci virtio_blk virtio_console

# Prints the device of the port with this name, which takes a moment to appear.
port() {
    local directory
    for _ in {1..100}; do
        for directory in /sys/class/virtio-ports/*; do
            if [[ $(cat "$directory/name" 2>/dev/null) == "$1" ]]; then
                echo "/dev/${directory##*/}"
                return
            fi
        done
        sleep 0.1
    done
}

for _ in {1..100}; do
    [[ -b /dev/vda ]] && break
    sleep 0.1
done
mkdir -p /given /vm
mount -o noinit_itable /dev/vda /given
mount --bind /given/vm /vm
while read -r place; do
    mkdir -p "$place"
    mount --bind "/given$place" "$place"
done </vm/places
output=$(port output)
/bin/sh /vm/run </dev/null >"$output" 2>&1
echo $? >/tmp/out/exit
tar -C /tmp/out -cf - . >"$(port results)"
sync
echo o >/proc/sysrq-trigger
sleep 60
