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
# Where a project lists hosts, the platform opens https, and puts its certificate here shortly after
# the start. Without it, every request to a listed host would fail.
if [ "${SANDBOX_NETWORK:-}" = hosts ]; then
  certificates=/opt/sandbox/certificates
  own=/etc/cloudflare/certs/cloudflare-containers-ca.crt
  looks=0
  until [ -s "$own" ]; do
    looks=$((looks + 1))
    [ "$looks" -le 100 ] || {
      echo "The certificate with which the platform opens https did not come within ten seconds: $own." >&2
      exit 1
    }
    sleep 0.1
  done
  cat "$certificates/system.crt" "$own" > "$certificates/all.crt" || exit 1
  export NODE_EXTRA_CA_CERTS="$certificates/all.crt"
fi
exec $able "$@"
