#!/bin/sh
# The Worker's runtime, deaf to Ctrl-C: a terminal sends that to every process of a command, and the runtime has to outlive it until what runs
# in it has saved its work. Whoever started the runtime ends it.
trap '' INT
exec "$SWITCHYARD_RUNTIME" "$@"
