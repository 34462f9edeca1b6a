// What the service's GitHub App may do, and what its owner or the owner of an installation has to
// agree to. GitHub sends nothing for a permission that is not granted.
import { asApp } from "../../src/code-host/github/app.ts";
import { createGithubCall, readPages } from "../../src/code-host/github/call.ts";
import { isRefusal } from "../../src/rules/refusal.ts";
import type { Check } from "../cloudflare/checks.ts";
import { appEvents, appPermissions } from "./manifest.ts";

interface App {
  permissions: Record<string, string>;
  events: string[];
  slug: string;
  html_url: string;
  owner: { login: string; type?: string } | null;
}
interface Installation {
  permissions: Record<string, string>;
  account: { login?: string } | null;
  html_url: string;
  suspended_at: string | null;
}

/** An installation of an organization does not list those of people. */
const needed = Object.entries(appPermissions).filter(([name]) => name !== "emails" && name !== "metadata");
const answerMs = 20_000;
const shownMax = 3;
const ofApp = "the GitHub App has what triggers need";
const ofInstallations = "each installation of the GitHub App has agreed to it";

/**
 * Compares the App and its installations with what the service needs. Lists no check for a service
 * without an App. `held` has the names of the secrets of the service.
 */
export async function checkGithubApp(
  apiUrl: string,
  given: Readonly<Record<string, string>>,
  held: readonly string[],
): Promise<Check[]> {
  const { CODE_HOST_APP_ID: appId, CODE_HOST_APP_PRIVATE_KEY: privateKey } = given;
  if (!appId || !privateKey)
    return held.includes("CODE_HOST_APP_ID")
      ? [missing(ofApp, "Not checked: give CODE_HOST_APP_ID and CODE_HOST_APP_PRIVATE_KEY to this command.")]
      : [];
  const call = createGithubCall({ apiUrl, credential: asApp({ appId, privateKey }) });
  const signal = AbortSignal.timeout(answerMs);
  const app = await call<App>({ method: "GET", path: "/app" }, signal);
  if (isRefusal(app)) return [missing(ofApp, `Not checked: ${app.message}`)];
  const installations = await readPages<Installation[], Installation>(call, "/app/installations", (all) => all, signal);
  const unsent = appEvents.filter((event) => !app.events.includes(event));
  const lacking = [...listLacking(app.permissions), ...unsent.map((event) => `the event ${toTitle(event)}`)];
  const first = check(
    ofApp,
    lacking.length === 0 ? null : `Tick ${lacking.join(", ")} at ${getSettingsUrl(app)}, and save it.`,
  );
  if (isRefusal(installations)) return [first, missing(ofInstallations, `Not checked: ${installations.message}`)];
  const behind = installations
    .filter(({ suspended_at }) => suspended_at === null)
    .map((one) => ({ ...one, lacking: listLacking(one.permissions).filter((name) => !lacking.includes(name)) }))
    .filter((one) => one.lacking.length > 0);
  const shown = behind.slice(0, shownMax).map(describeInstallation);
  const more = behind.length > shownMax ? [`And ${behind.length - shownMax} more.`] : [];
  return [first, check(ofInstallations, behind.length === 0 ? null : [...shown, ...more].join(" "))];
}

/** The permissions that are lacking, in the words of GitHub's page: “Issues: Read and write”. */
function listLacking(permissions: Record<string, string>): string[] {
  return needed.flatMap(([name, level]) =>
    permissions[name] === level || permissions[name] === "write"
      ? []
      : [`${toTitle(name)}: ${level === "write" ? "Read and write" : "Read-only"}`],
  );
}

function toTitle(name: string): string {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function describeInstallation({ account, html_url, lacking }: Installation & { lacking: string[] }): string {
  return `${account?.login ?? "An account"} has to agree to ${lacking.join(", ")} at ${html_url}.`;
}

function getSettingsUrl({ slug, html_url, owner }: App): string {
  const organization = owner?.type === "Organization" ? `/organizations/${owner.login}` : "";
  return `${new URL(html_url).origin}${organization}/settings/apps/${slug}/permissions`;
}

const missing = (what: string, help: string): Check => ({ what, state: "missing", help });

function check(what: string, help: string | null): Check {
  return help === null ? { what, state: "ok", help: "" } : missing(what, help);
}
