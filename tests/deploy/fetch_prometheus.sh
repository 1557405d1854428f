#!/usr/bin/env bash
# Puts Debian's prometheus and promtool into a folder, for the tests of deploy/; nothing is
# installed on the system. Where there is no apt-get it says so, and those tests say it again.
set -euo pipefail
folder=$1
if [ -x "$folder/usr/bin/promtool" ] || { command -v prometheus && command -v promtool; } > /dev/null; then
    exit 0
fi
if ! command -v apt-get > /dev/null || ! command -v dpkg-deb > /dev/null; then
    echo "no Debian here: install prometheus and promtool yourself to run all tests of deploy/" >&2
    exit 0
fi
drop=$(mktemp -d)
trap 'rm -rf "$drop"' EXIT
fetch() (cd "$drop" && apt-get -qq download prometheus 2> /dev/null)
if fetch || { apt-get -qq update && fetch; }; then
    mkdir -p "$folder"
    dpkg-deb --extract "$drop"/prometheus_*.deb "$folder"
else
    echo "Debian's prometheus cannot be had: install prometheus and promtool yourself" >&2
fi
