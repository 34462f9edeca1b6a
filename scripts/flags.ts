// The flags of `npm start -- …`.

export interface StartFlags {
  /** The value of `--repo`: a folder of this machine, or `owner/name` on the code host. */
  repository: string | null;
  /** Adds the remote `switchyard` to the folder of `--repo`. */
  addsRemote: boolean;
  /** Starts with real credentials even if agents can read everything that the user can. */
  withoutWalls: boolean;
  /** Opens the service in a browser, even if it was already running. */
  opensBrowser: boolean;
  /** Runs sandboxes as containers of this machine's engine. */
  usesContainers: boolean;
  /** The value of `--public`: the address of a service for a team. */
  publicUrl: string | null;
  /** The value of `--previews`: the parent domain of the preview hosts. */
  previews: string | null;
  /** Writes a systemd unit for `--public` instead of starting. */
  installs: boolean;
  /** Prints every line of the log, not only warnings and errors. */
  printsLog: boolean;
  isHelp: boolean;
}

interface Flag {
  /** The name of the flag's value; null if it has none. */
  value: string | null;
  says: string;
}

const known: Record<string, Flag> = {
  "--repo": {
    value: "PATH",
    says: "makes a project of your own folder, or of OWNER/NAME on GitHub, next to the demo project",
  },
  "--remote": { value: null, says: "gives that folder the remote `switchyard`, which fetches what sessions push" },
  "--without-walls": { value: null, says: "starts with real credentials even though agents could read them" },
  "--containers": { value: null, says: "runs sandboxes as containers of Docker, whose socket DOCKER_HOST names" },
  "--public": {
    value: "URL",
    says: "runs a service for a team at https://HOST, behind a proxy with TLS: docs/guide/one-machine.md",
  },
  "--previews": { value: "DOMAIN", says: "is the domain of the previews of such a service" },
  "--install": { value: null, says: "writes a systemd unit that runs such a service, instead of starting it" },
  "--log": { value: null, says: "prints every line of the log, not only warnings and errors" },
  "--open": { value: null, says: "opens the console in the browser, signed in as the owner" },
  "--help": { value: null, says: "prints this list" },
};

const notPublic = ["--repo", "--without-walls", "--open"];

/** All flags, one per line. */
export function formatFlags(): string {
  const rows = Object.entries(known).map(([name, { value, says }]) => [
    value === null ? name : `${name} ${value}`,
    says,
  ]);
  const width = Math.max(...rows.map(([shown = ""]) => shown.length));
  return rows.map(([shown = "", says]) => `  ${shown.padEnd(width)}  ${says}`).join("\n");
}

/** Reads the flags. Returns a message if one is unknown or its value is missing. */
export function readStartFlags(given: readonly string[]): StartFlags | string {
  const values = new Map<string, string>();
  const rest = [...given];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const [name = "", ...behind] = word.split("=");
    const flag = Object.hasOwn(known, name) ? known[name] : undefined;
    if (!flag)
      return `npm start has no option ${JSON.stringify(word)}. Its options, after \`npm start --\`:\n${formatFlags()}`;
    if (values.has(name)) return `${name} is given twice.`;
    const inline = behind.length > 0 ? behind.join("=") : undefined;
    if (flag.value === null) {
      if (inline !== undefined) return `${name} takes no value.`;
      values.set(name, "");
      continue;
    }
    const value = inline ?? rest.shift();
    if (!value || value.startsWith("--")) return `${name} needs ${flag.value} after it.`;
    values.set(name, value);
  }
  if (values.has("--remote") && !values.has("--repo")) return "--remote works only with --repo PATH.";
  const forPublic = ["--previews", "--install"].find((name) => values.has(name));
  if (forPublic && !values.has("--public")) return `${forPublic} works only with --public https://HOST.`;
  const misplaced = notPublic.filter((name) => values.has(name));
  if (values.has("--public") && misplaced.length > 0)
    return `${misplaced.join(" and ")}: not with --public, which has no practice servers and no plain processes.`;
  return {
    repository: values.get("--repo") ?? null,
    addsRemote: values.has("--remote"),
    withoutWalls: values.has("--without-walls"),
    opensBrowser: values.has("--open"),
    usesContainers: values.has("--containers"),
    publicUrl: values.get("--public") ?? null,
    previews: values.get("--previews") ?? null,
    installs: values.has("--install"),
    printsLog: values.has("--log"),
    isHelp: values.has("--help"),
  };
}
