// Creating the service's GitHub App: a page on this machine submits the manifest to GitHub, and a
// person approves it there. GitHub then redirects the browser back with a code, which can be
// exchanged for the App's secrets once, within an hour.
import { randomBytes } from "node:crypto";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { withLoopbackGuard } from "../../practice/loopback-host.ts";
import type { CodeHostSettings } from "../cloudflare/settings.ts";
import { Stop } from "../lib/exit.ts";
import { answerMs, getCause } from "../lib/http.ts";
import { createAppManifest, createAppUrl } from "./manifest.ts";

export interface AppMaking {
  codeHost: CodeHostSettings;
  publicHost: string;
  name: string;
  /** The organization that owns the App; null for the person who approves. */
  organization: string | null;
  say(line: string): void;
}

interface Conversion {
  id: number;
  html_url: string;
  pem: string;
  webhook_secret: string | null;
  client_id: string;
  client_secret: string;
}

/**
 * Waits for a person's approval and returns the App's secrets by name. Throws `Stop` with GitHub's
 * message if it creates no App.
 */
export async function createApp({ codeHost, publicHost, name, organization, say }: AppMaking) {
  const state = randomBytes(24).toString("base64url");
  const { promise: code, resolve } = Promise.withResolvers<string>();
  const answer: RequestListener = (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    const send = (status: number, html: string) =>
      response
        .writeHead(status, { "content-type": "text/html; charset=utf-8", "referrer-policy": "no-referrer" })
        .end(html);
    if (pathname === "/") return void send(200, handOver());
    const given = searchParams.get("code");
    if (pathname !== "/made" || given === null || searchParams.get("state") !== state)
      return void send(400, page("<p>This is not the expected response. Open the printed address again.</p>"));
    resolve(given);
    return void send(200, page("<p>The App is made. You can close this page and go back to the terminal.</p>"));
  };
  // A foreign page whose domain resolves to this machine could read the state and submit an App of
  // its own.
  const server = createServer(withLoopbackGuard(answer));
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const here = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  function handOver(): string {
    const { withWorkflows, gitUrl } = codeHost;
    const manifest = createAppManifest({ name, publicHost, withWorkflows, madeUrl: `${here}/made` });
    const value = JSON.stringify(manifest).replaceAll("&", "&amp;").replaceAll('"', "&quot;");
    return page(`<form method="post" action="${createAppUrl(gitUrl, organization, state)}">
<input type="hidden" name="manifest" value="${value}"><button>Make the GitHub App</button></form>`);
  }

  try {
    say(`Open ${here} in a browser on this machine, and agree at GitHub. Ctrl-C cancels it.`);
    return await exchange(codeHost.apiUrl, await code, say);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function exchange(apiUrl: string, code: string, say: (line: string) => void): Promise<Record<string, string>> {
  const answer = await fetch(`${apiUrl}/app-manifests/${encodeURIComponent(code)}/conversions`, {
    method: "POST",
    headers: { accept: "application/vnd.github+json", "user-agent": "switchyard" },
    signal: AbortSignal.timeout(answerMs),
  }).catch((error: unknown) => getCause(error));
  if (typeof answer === "string") throw new Stop(`GitHub does not answer: ${answer}. Run it again.`);
  if (!answer.ok) throw new Stop(`GitHub did not return the App: it answered ${answer.status}. Run it again.`);
  const app = (await answer.json()) as Conversion;
  say(`Made: ${app.html_url}. Install it on the repositories that people are to work on.`);
  return {
    CODE_HOST_APP_ID: String(app.id),
    // GitHub sends a newline at its end.
    CODE_HOST_APP_PRIVATE_KEY: app.pem.trim(),
    CODE_HOST_CLIENT_ID: app.client_id,
    CODE_HOST_CLIENT_SECRET: app.client_secret,
    ...(app.webhook_secret && { CODE_HOST_WEBHOOK_SECRET: app.webhook_secret }),
  };
}

const page = (body: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>Switchyard</title>${body}</html>`;
