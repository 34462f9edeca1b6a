// The pages of a sign-in at the practice provider: approval, code, device, and outcome.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { html, type Markup } from "../../markup.ts";

const style: Markup = { html: readFileSync(join(import.meta.dirname, "../../../src/pages/base.css"), "utf8") };

export const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
};

/** Asks a person to approve. The form repeats the parameters of the service. */
export function renderApprovePage(
  provider: string,
  path: string,
  sentAlong: Iterable<[name: string, value: string]>,
): string {
  const hidden = [...sentAlong].map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);
  return page(
    "Sign in",
    html`<p>Switchyard wants to use your ${provider} account. This provider is for practice and takes no password.</p>
<form method="post" action="${path}">${hidden}
<p><label>Your address, if you want a certain one <input name="email" autocomplete="off"></label></p>
${buttons}</form>`,
  );
}

/** Asks a person for the code of their device, and to approve it. */
export function renderDevicePage(provider: string, path: string, userCode: string, mistake = ""): string {
  return page(
    "Connect a device",
    html`<p>Type the code that Switchyard shows you, for your ${provider} account. This provider is for practice.</p>
${mistake === "" ? null : html`<p role="alert">${mistake}</p>`}<form method="post" action="${path}">
<p><label>Code <input name="user_code" value="${userCode}" autocomplete="off" required></label></p>
<p><label>Your address, if you want a certain one <input name="email" autocomplete="off"></label></p>
${buttons}</form>`,
  );
}

const buttons = html`<p><button>Approve</button> <button name="deny" value="yes">Deny</button></p>`;

/** Shows the code, which the person takes back to the service. */
export function renderCodePage(code: string, state: string): string {
  return page("Your code", html`<p>Copy it into Switchyard:</p><p><code>${code}#${state}</code></p>`);
}

export function renderDonePage(title: string, text: string): string {
  return page(title, html`<p>${text}</p>`);
}

function page(title: string, content: Markup): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Practice provider</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`.html;
}
