#!/bin/sh
# Chromium with a low priority: beside it, other tests have limits of a fraction of a second.
exec nice -n 10 "${CHROMIUM:-/usr/bin/chromium}" "$@"
