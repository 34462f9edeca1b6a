// Where a webhook may lead (decisions, "Webhooks").
import { expect, test } from "vitest";
import { findAddressMistake } from "../../../src/webhook/rules/address.ts";

const facts = {
  serviceHost: "switchyard.example.org",
  previewDomain: "previews.example.net:8443",
  allowsLoopback: false,
};

const figures = "names a host, not an IP address";
const inner = "names a public host, not one of a private network";
const undotted = "names a public host, with its domain";
const own = "names another service than this one";
const port = "uses port 443 or 8443";
const whole = "is a whole address, such as https://example.com/hooks";
const user = "has no user and no password; the signature proves the sender";
const spaced = "has no spaces and no control characters";
const secure = "begins with https://";
const backslash = "has no backslash";
const unknown = "names a host that can exist";
const label = "a".repeat(63);

test.each([
  ["https://example.com/hooks", null],
  ["https://example.com", null],
  ["https://EXAMPLE.com:443/a?b=c#d", null],
  ["https://hooks.example.co.uk:8443/", null],
  ["https://example.com./", null],
  ["https://xn--bcher-kva.example/", null],
  ["https://localhost.example.com/", null],
  ["https://10.example.com/", null],
  ["https://notswitchyard.example.org/", null],
  ["http://example.com/", secure],
  ["ftp://example.com/", secure],
  ["javascript:alert(1)", secure],
  ["//example.com/", whole],
  ["example.com/hooks", whole],
  ["https://", whole],
  ["https://exa mple.com/", whole],
  ["https://example.com/a\nb", spaced],
  ["https://exam\tple.com/", spaced],
  ["https://example.com/ ", spaced],
  ["https://example.com/a b", spaced],
  ["https://example.com/\u0000", spaced],
  ["https://example.com/\u0085", spaced],
  ["https:example.com", whole],
  ["https:/example.com", whole],
  ["https:///example.com/", whole],
  ["https://example.com\\@127.0.0.1/", backslash],
  ["https:\\\\example.com/", backslash],
  ["https://.example.com/", unknown],
  ["https://example..com/", unknown],
  ["https://example.com../", unknown],
  [`https://${label}.example.com/`, null],
  [`https://${label}a.example.com/`, unknown],
  [`https://${`${label}.`.repeat(4)}example.com/`, unknown],
  ["https://example.com/a@b?c=d@e", null],
  ["https://@example.com/", user],
  ["https://user@example.com/", user],
  ["https://user:pass@example.com/", user],
  ["https://:pass@example.com/", user],
  ["https://example.com@10.0.0.1/", user],
  ["https://example.com:80/", port],
  ["https://example.com:22/", port],
  ["https://example.com:8787/", port],
  ["https://127.0.0.1/", figures],
  ["https://127.1/", figures],
  ["https://2130706433/", figures],
  ["https://0x7f000001/", figures],
  ["https://0x7f.0.0.1/", figures],
  ["https://0177.0.0.1/", figures],
  ["https://10.0.0.1/", figures],
  ["https://192.168.1.1/", figures],
  ["https://169.254.169.254/latest/meta-data", figures],
  ["https://8.8.8.8/", figures],
  ["https://0/", figures],
  ["https://１２７.０.０.１/", figures],
  ["https://127.0.0.1./", figures],
  ["https://[::1]/", figures],
  ["https://[::]/", figures],
  ["https://[::ffff:127.0.0.1]/", figures],
  ["https://[fe80::1]/", figures],
  ["https://[fd00::1]/", figures],
  ["https://[2001:db8::1]:8443/", figures],
  ["https://localhost/", undotted],
  ["https://LOCALHOST:8443/", undotted],
  ["https://localhost./", undotted],
  ["https://intranet/", undotted],
  ["https://app.localhost/", inner],
  ["https://app.localhost./", inner],
  ["https://printer.local/", inner],
  ["https://localhost.localdomain/", inner],
  ["https://localhost.localdomain./", inner],
  ["https://metadata.google.internal/", inner],
  ["https://METADATA.GOOGLE.INTERNAL./", inner],
  ["https://1.0.0.127.in-addr.arpa/", inner],
  ["https://service.test/", inner],
  ["https://service.invalid/", inner],
  ["https://router.lan/", inner],
  ["https://git.corp/", inner],
  ["https://switchyard.example.org/api/webhooks/github", own],
  ["https://SWITCHYARD.example.org./", own],
  ["https://any.switchyard.example.org/", own],
  ["https://previews.example.net/", own],
  ["https://web--abc.previews.example.net:8443/", own],
  [`https://example.com/${"a".repeat(2_048)}`, "has at most 2048 characters"],
])("%s: %s", (url, mistake) => {
  expect(findAddressMistake(url, facts)).toBe(mistake);
});

test.each([
  ["http://localhost:9000/hooks", null],
  ["http://127.0.0.1:9000/", null],
  ["https://[::1]:9000/", null],
  ["http://127.9.9.9/", null],
  ["http://user@localhost/", user],
  ["ftp://localhost/", "begins with https:// or http://"],
  ["http://10.0.0.1/", secure],
  ["https://10.0.0.1/", figures],
  ["http://localhost.example.com/", secure],
])("with loopback allowed, %s: %s", (url, mistake) => {
  expect(findAddressMistake(url, { ...facts, allowsLoopback: true })).toBe(mistake);
});
