// The command line that the service serves: a script that installs it, and its program.
import type { Env } from "../env.ts";
import { toRefusalResponse } from "../http/response.ts";
import { refuse } from "../rules/refusal.ts";
import { programKey } from "./program-key.ts";

const notServed = refuse(
  "NOT_FOUND",
  "This service does not serve the command line. Build it from the source: docs/guide/command-line.md says how.",
);

/** Sends the script. It changes nothing but one file. */
export async function sendInstallScript(env: Env): Promise<Response> {
  if ((await env.STORE.head(programKey)) === null) return toRefusalResponse(notServed);
  const { origin } = new URL(env.PUBLIC_URL);
  const script = `#!/bin/sh
# Installs sy, the command line of Switchyard, into SY_FOLDER, by default ~/.local/bin.
set -eu
folder="\${SY_FOLDER:-$HOME/.local/bin}"
node -e 'if (Number(process.versions.node.split(".")[0]) < 20) process.exit(1)' 2> /dev/null || {
  echo "sy needs Node 20.19 or newer: https://nodejs.org" >&2
  exit 1
}
mkdir -p "$folder"
curl -fsS "${origin}/cli/sy.js" -o "$folder/.sy.new"
chmod 755 "$folder/.sy.new"
mv "$folder/.sy.new" "$folder/sy"
echo "sy $("$folder/sy" --version) is at $folder/sy. Sign in: sy login ${origin}"
case ":$PATH:" in
  *":$folder:"*) ;;
  *) echo "Add it to your PATH: export PATH=\\"$folder:\\$PATH\\"" ;;
esac
`;
  return new Response(script, { headers: { "content-type": "text/x-shellscript; charset=utf-8" } });
}

/** Sends the program. */
export async function sendProgram(env: Env): Promise<Response> {
  const program = await env.STORE.get(programKey);
  if (program === null) return toRefusalResponse(notServed);
  return new Response(program.body, { headers: { "content-type": "text/javascript; charset=utf-8" } });
}
