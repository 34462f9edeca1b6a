// The sign-in page, where a visitor chooses a user of the code host.

import { html } from "../../markup.ts";
import type { CodeHostPerson } from "../people.ts";
import { renderPage } from "./page-frame.ts";

/** Renders the choice of users. Its form repeats the parameters of the service. */
export function signInPage(
  people: readonly CodeHostPerson[],
  sentAlong: Iterable<[name: string, value: string]>,
): string {
  const hidden = [...sentAlong].map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);
  const rows = people.map(
    ({ login, name }) => html`<li><span class="person">${name} <span class="quiet">${login}</span></span>
<button name="login" value="${login}" aria-label="Sign in as ${name}">Sign in</button></li>`,
  );
  const content = html`<h1>Who do you want to be?</h1>
<p class="quiet">Switchyard asks the code host who you are. This one is for practice and takes no password.</p>
<form method="post">${hidden}<ul class="rows">${rows}</ul>
<div class="buttons"><button class="plain" name="deny" value="yes">Deny</button></div></form>`;
  return renderPage({ title: "Sign in", content });
}

/** Renders the error for an unknown client or redirect address. */
export function renderUnknownServicePage(): string {
  const content = html`<h1>There is no such app</h1>
<p class="quiet">No app is registered here that has this client id and leads back to this address.</p>`;
  return renderPage({ title: "There is no such app", content });
}
