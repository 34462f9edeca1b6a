// The state of the practice provider's sign-ins. It is stored in a file, so that they survive a
// restart.
import { readFileSync, renameSync, writeFileSync } from "node:fs";

export interface Code {
  provider: string;
  address: string;
  clientId: string;
  redirectUri: string;
  /** PKCE: the hash of the verifier that the exchange must present. */
  challenge: string;
  expiresAt: number;
}

export interface Device {
  provider: string;
  userCode: string;
  answer: "pending" | "approved" | "denied";
  address: string;
  expiresAt: number;
  /** The earliest time of the next poll. */
  nextPollAt: number;
}

/** A login: the tokens of one sign-in of an account. */
export interface Login {
  provider: string;
  address: string;
  isRevoked: boolean;
}

export interface SignInState {
  codes: Record<string, Code>;
  devices: Record<string, Device>;
  logins: Record<string, Login>;
  /** The number of the newest refresh token of each refreshed login, by provider and login. */
  newest: Record<string, number>;
  /** The number of refreshes at each provider. */
  refreshes: Record<string, number>;
}

export interface SignInStore {
  state: SignInState;
  save(): void;
}

/** Opens the state of a file; without a file, it lasts as long as the process. */
export function createSignInStore(file: string | null): SignInStore {
  const state: SignInState = { codes: {}, devices: {}, logins: {}, newest: {}, refreshes: {}, ...readState(file) };
  return {
    state,
    save() {
      if (file === null) return;
      const now = Date.now();
      for (const kept of [state.codes, state.devices])
        for (const [name, { expiresAt }] of Object.entries(kept)) if (expiresAt <= now) delete kept[name];
      writeFileSync(`${file}.new`, JSON.stringify(state), { mode: 0o600 });
      renameSync(`${file}.new`, file);
    },
  };
}

function readState(file: string | null): Partial<SignInState> {
  try {
    return file === null ? {} : JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return {};
  }
}
