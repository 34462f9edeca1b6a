// The page on which a person approves a sign-in from a terminal. The person types the code that the
// terminal shows, so that no link can carry it. It works without scripts.
import type { User } from "../../access/rules/membership.ts";
import type { Env } from "../../env.ts";
import { recordCall } from "../../http/audited-call.ts";
import { readText } from "../../http/body.ts";
import { checkDeviceCodeLimit, getClientAddress } from "../../http/rate-limit.ts";
import { toRefusalResponse } from "../../http/response.ts";
import {
  type BrowserCaller,
  Fact,
  findBrowserCaller,
  renderApproval,
  SignInLink,
  Warning,
} from "../../pages/approval.tsx";
import { deviceKeyMs, keysMax } from "../../rules/limits.ts";
import { isRefusal } from "../../rules/refusal.ts";
import { type DeviceSignIn, findOpenDevice, updateDeviceOutcome } from "../queries/device-sign-ins.ts";
import { listApiKeys } from "../queries/keys.ts";
import { parseUserCode } from "../rules/device-sign-in.ts";
import { devicePath } from "../wire/device.ts";

type DeviceView =
  | { type: "signed-out" }
  | { type: "ask"; problem: string | null }
  | { type: "decide"; signIn: DeviceSignIn; user: User; isElsewhere: boolean }
  | { type: "approved" }
  | { type: "denied" };

const dayMs = 86_400_000;
const lifetimes: [days: string, word: string][] = [
  ["30", "30 days"],
  ["90", "90 days"],
  ["365", "a year"],
  ["never", "until you revoke it"],
];

const unknownCode =
  "There is no open sign-in with this code. Compare it with the terminal. A code is valid for 15 minutes, and once.";
const tooMany = "You have typed many codes. Wait a minute, and try again.";
const full = `You have ${keysMax} API keys. Revoke one that you do not need on the page of your account.`;

/** Renders the page for a state of the sign-in. */
function devicePage(view: DeviceView): Response {
  switch (view.type) {
    case "signed-out": {
      const text = "Sign in first. Then type the code that the terminal shows.";
      return renderApproval({ tone: "resting", heading: "Sign in from a terminal", text }, [
        <SignInLink returnTo={devicePath} />,
      ]);
    }
    case "ask": {
      const text = "Type the code that your terminal shows. Use no code that somebody sent you.";
      return renderApproval({ tone: "resting", heading: "Sign in from a terminal", text }, [
        view.problem !== null && <Warning>{view.problem}</Warning>,
        <form method="post" action={devicePath}>
          <input
            class="code"
            name="code"
            aria-label="The code of the terminal"
            placeholder="XXXX-XXXX"
            maxlength={20}
            autocomplete="off"
            autocapitalize="characters"
            spellcheck={false}
            required
          />
          <button type="submit">Continue</button>
        </form>,
      ]);
    }
    case "decide":
      return renderDecision(view);
    case "approved": {
      const text = "Return to your terminal. The key is in the list of your account, where you can revoke it.";
      return renderApproval({ tone: "coming", heading: "The terminal is signed in", text }, [
        <a class="button" href="/account">
          Your account
        </a>,
      ]);
    }
    case "denied": {
      const text = "The terminal gets no key. If you did not start this sign-in, you have nothing more to do.";
      return renderApproval({ tone: "ended", heading: "The sign-in is denied", text }, []);
    }
  }
}

function renderDecision({ signIn, user, isElsewhere }: Extract<DeviceView, { type: "decide" }>): Response {
  const { userCode, client, name, address, createdAt } = signIn;
  const text = `A program asks for an API key. With it, the program may do what you may do. You are signed in as ${user.name}, ${user.email}.`;
  const startedAt = `${new Date(createdAt).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  return renderApproval({ tone: "resting", heading: "Sign this terminal in?", text }, [
    <dl>
      <Fact term="Program">{client}</Fact>
      <Fact term="Name of the key">{name}</Fact>
      <Fact term="Address">{address ?? "unknown"}</Fact>
      <Fact term="Started">{startedAt}</Fact>
      <Fact term="Code">{userCode}</Fact>
    </dl>,
    isElsewhere && (
      <Warning>
        The address of the terminal is not the address of this browser. Approve only if you started the sign-in
        yourself, on another machine.
      </Warning>
    ),
    <form method="post" action={devicePath}>
      <input type="hidden" name="code" value={userCode} />
      <label>
        The key is valid for{" "}
        <select name="days">
          {lifetimes.map(([days, word]) => (
            <option value={days} selected={Number(days) * dayMs === deviceKeyMs}>
              {word}
            </option>
          ))}
        </select>
      </label>
      <div class="choice">
        <button type="submit" name="decision" value="approve">
          Approve
        </button>
        <button type="submit" name="decision" value="deny" class="quiet">
          Deny
        </button>
      </div>
    </form>,
  ]);
}

/** The form has three short fields. */
const formBytes = 1_024;

/** Handles `GET /device`. */
export async function renderDevice(request: Request, env: Env): Promise<Response> {
  const caller = await findBrowserCaller(request, env);
  return devicePage(caller === null ? { type: "signed-out" } : { type: "ask", problem: null });
}

/** Handles `POST /device`: shows the sign-in of a code, or records the decision. */
export async function handleDevice(request: Request, env: Env): Promise<Response> {
  const caller = await findBrowserCaller(request, env);
  if (caller === null) return devicePage({ type: "signed-out" });
  const sent = await readText(request, formBytes);
  if (isRefusal(sent)) return toRefusalResponse(sent);
  return devicePage(await decide(request, env, caller, new URLSearchParams(sent)));
}

async function decide(request: Request, env: Env, caller: BrowserCaller, fields: URLSearchParams): Promise<DeviceView> {
  const now = Date.now();
  const { user } = caller;
  const ask = (problem: string) => ({ type: "ask", problem }) as const;
  if (await checkDeviceCodeLimit(env, user.id, now)) return ask(tooMany);
  const code = parseUserCode(fields.get("code") ?? "");
  if (code === null) return ask(unknownCode);
  switch (fields.get("decision")) {
    case "approve": {
      if ((await listApiKeys(env.DB, user.id)).length >= keysMax) return ask(full);
      const keyLifetimeMs = parseLifetime(fields.get("days"));
      const approved = { outcome: "approved", userId: user.id, keyLifetimeMs } as const;
      const signIn = await updateDeviceOutcome(env.DB, code, approved, now);
      if (signIn === null) return ask(unknownCode);
      await recordCall(env, request, {
        ...{ operation: "approveDeviceSignIn", at: now, caller, workspaceId: null },
        target: { client: signIn.client, name: signIn.name },
      });
      return { type: "approved" };
    }
    case "deny": {
      const denied = { outcome: "denied", userId: user.id, keyLifetimeMs: null } as const;
      return (await updateDeviceOutcome(env.DB, code, denied, now)) ? { type: "denied" } : ask(unknownCode);
    }
    default: {
      const signIn = await findOpenDevice(env.DB, code, now);
      return signIn === null
        ? ask(unknownCode)
        : { type: "decide", signIn, user, ...compareAddresses(request, signIn) };
    }
  }
}

function parseLifetime(chosen: string | null): number | null {
  if (chosen === "never") return null;
  return lifetimes.some(([days]) => days === chosen) ? Number(chosen) * dayMs : deviceKeyMs;
}

/** IPv6 addresses are compared by their network, because one client has all addresses of it. */
function compareAddresses({ headers }: Request, { address }: DeviceSignIn): { isElsewhere: boolean } {
  const ofTerminal = getClientAddress(new Headers(address === null ? {} : { "cf-connecting-ip": address }));
  return { isElsewhere: ofTerminal !== getClientAddress(headers) };
}
