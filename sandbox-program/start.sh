#!/bin/sh
# Starts the sandbox program in the image, as the user `program`, with the two capabilities that it
# needs to give commands the agent's user, and each family a group. They come with a copy of setpriv
# that only the program's group may run. Started as root, it leaves root for good.
changing="/opt/sandbox/setpriv --reuid=program --regid=program --clear-groups"
able="$changing --inh-caps=-all,+setuid,+setgid --ambient-caps=-all,+setuid,+setgid --"
$able true || {
  echo "The sandbox program may not change users. Start the container with the capabilities SETUID and SETGID and without no-new-privileges, or as root." >&2
  exit 1
}
exec $able "$@"
