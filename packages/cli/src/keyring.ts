// Keys in the keyring of the operating system, through the program that comes with it. The key goes
// over pipes: arguments are shown in the list of processes.
import { spawnSync } from "node:child_process";

/** A call of the program of a keyring. */
interface Call {
  args: string[];
  input?: string;
}

interface Ring {
  program: string;
  /** Where the program comes from. */
  source: string;
  save(url: string, key: string): Call;
  read(url: string): Call;
  delete(url: string): Call;
}

/** Why a keyring does not do what was asked, in a sentence. */
export class KeyringError extends Error {
  override readonly name = "KeyringError";
}

/** A locked keyring asks the person for its password, and waits this long. */
const waitMs = 120_000;

const linuxNames = (url: string) => ["service", "switchyard", "host", url];
const macNames = (url: string) => ["-s", "switchyard", "-a", url];
const rings: Partial<Record<NodeJS.Platform, Ring>> = {
  linux: {
    program: "secret-tool",
    source: "the package libsecret-tools",
    save: (url, key) => ({ args: ["store", "--label", `Switchyard ${url}`, ...linuxNames(url)], input: key }),
    read: (url) => ({ args: ["lookup", ...linuxNames(url)] }),
    delete: (url) => ({ args: ["clear", ...linuxNames(url)] }),
  },
  darwin: {
    program: "security",
    source: "macOS",
    save: (url, key) => ({ args: ["-i"], input: `add-generic-password -U ${macNames(url).join(" ")} -w ${key}\n` }),
    read: (url) => ({ args: ["find-generic-password", ...macNames(url), "-w"] }),
    delete: (url) => ({ args: ["delete-generic-password", ...macNames(url)] }),
  },
};

/** Returns the keyring of a system. Its functions throw `KeyringError` if they did nothing. */
export function getKeyring(platform: NodeJS.Platform = process.platform) {
  function run(find: (ring: Ring) => Call): string {
    const ring = rings[platform];
    if (!ring) throw new KeyringError("sy knows no keyring of this system.");
    const { program, source } = ring;
    const { args, input = "" } = find(ring);
    const { error, status, stdout, stderr } = spawnSync(program, args, { input, encoding: "utf8", timeout: waitMs });
    const code = error && "code" in error ? error.code : undefined;
    if (code === "ENOENT") throw new KeyringError(`There is no \`${program}\` here, which comes with ${source}.`);
    // A program that refuses early does not read its input. What it says counts.
    if (status !== 0 || (error && code !== "EPIPE")) {
      const [why = ""] = (stderr.trim() || (error?.message ?? "")).split("\n");
      throw new KeyringError(
        `The keyring is locked or has no key${why === "" ? "" : `: \`${program}\` says "${why}"`}.`,
      );
    }
    return stdout.trim();
  }
  return {
    read: (url: string): string => run((ring) => ring.read(url)),
    delete: (url: string): void => {
      run((ring) => ring.delete(url));
    },
    save(url: string, key: string): void {
      if (!/^[\w.~+/=-]+$/.test(key)) throw new KeyringError("A keyring takes no key with such characters.");
      run((ring) => ring.save(url, key));
      // Some programs succeed although the person did not unlock the keyring.
      if (run((ring) => ring.read(url)) !== key) throw new KeyringError("The keyring did not keep the key.");
    },
  };
}
