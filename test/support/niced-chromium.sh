#!/bin/sh
# Chromium with a low priority: beside it, other tests have limits of a fraction of a second. Where
# Linux schedules by session (autogroup), only the priority of the group counts; the browser starts
# in a session of its own.
{ echo 5 >/proc/self/autogroup; } 2>/dev/null
exec nice -n 5 "${CHROMIUM:-/usr/bin/chromium}" "$@"
