#!/bin/sh
# Leaves root for good, and then starts the sandbox program as the user `program`. The program keeps
# two capabilities: it gives commands the agent's user, and each turn and service a group.
leaving="setpriv --reuid=program --regid=program --clear-groups --inh-caps=-all,+setuid,+setgid --ambient-caps=-all,+setuid,+setgid --"
if [ "$(id -u)" = 0 ] && $leaving true 2> /dev/null; then
  exec $leaving sh "$0" "$@"
fi
setpriv --reuid=agent --regid=agent --clear-groups true 2> /dev/null || {
  echo "The sandbox program may not change users. Start the container as root with the capabilities SETUID and SETGID." >&2
  exit 1
}
# Where a project lists hosts or has secrets for hosts, the platform opens https, and puts its
# certificate here shortly after the start. Without it, every request to such a host would fail.
if [ "${SANDBOX_OPENS_HTTPS:-}" = 1 ] || [ "${SANDBOX_NETWORK:-}" = hosts ]; then
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
exec "$@"
