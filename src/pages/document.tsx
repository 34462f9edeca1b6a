// The HTML document and the security headers of every page of the service. Styles and scripts are
// inline under a nonce, so a page takes one request.
import { raw } from "hono/html";
import type { Child } from "hono/jsx";
import { createSecret } from "../lib/ids.ts";
import baseStyle from "./base.css";

export interface PageDocument {
  title: string;
  /** CSS in addition to that of every page. */
  style: string;
  /** Plain JavaScript. */
  script?: string;
  /** Content-Security-Policy directives and their sources, over the strict defaults. */
  policy?: Record<string, string>;
  status?: number;
  headers?: Record<string, string>;
  children: Child;
}

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32' fill='none' stroke='%230f766e' stroke-width='3' stroke-linecap='round'%3E%3Cpath d='M3 22h26M9 22c7 0 7-12 14-12h6'/%3E%3C/svg%3E";

/** Formats directives and their sources as a Content-Security-Policy. */
export function formatContentPolicy(directives: Record<string, string>): string {
  return Object.entries(directives)
    .map((directive) => directive.join(" "))
    .join("; ");
}

/** Renders a page as a response. */
export function renderPage({ title, style, script, policy, status = 200, headers, children }: PageDocument): Response {
  const nonce = createSecret();
  const document = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex, nofollow" />
        <meta name="color-scheme" content="light dark" />
        <title>{title}</title>
        <link rel="icon" href={icon} />
        <style nonce={nonce}>{raw(baseStyle + style)}</style>
      </head>
      <body>
        {children}
        {script && <script nonce={nonce}>{raw(script)}</script>}
      </body>
    </html>
  );
  return new Response(`<!doctype html>${document}`, {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "content-security-policy": formatPolicy(nonce, policy),
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      ...headers,
    },
  });
}

function formatPolicy(nonce: string, more: PageDocument["policy"]): string {
  const directives = {
    "default-src": "'none'",
    "script-src": `'nonce-${nonce}'`,
    "style-src": `'nonce-${nonce}'`,
    "img-src": "data:",
    "base-uri": "'none'",
    "form-action": "'none'",
    ...more,
  };
  return formatContentPolicy(directives);
}
