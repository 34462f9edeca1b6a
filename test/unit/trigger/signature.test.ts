// The signature of a request to an HTTP trigger, as its headers have it.
import { expect, test } from "vitest";
import { readSignature } from "../../../src/trigger/rules/signature.ts";

const now = 1_764_000_000_000;
const seconds = now / 1_000;
const one = `v1,${"A".repeat(43)}=`;
const read = (headers: Record<string, string>) =>
  readSignature(
    new Headers({
      "webhook-id": "msg_1",
      "webhook-timestamp": String(seconds),
      "webhook-signature": one,
      ...headers,
    }),
    now,
  );

test.each<[string, Record<string, string>]>([
  ["without an id", { "webhook-id": "" }],
  ["with a dot in the id, so that id and time could change places", { "webhook-id": "msg.1" }],
  ["with a space in the id", { "webhook-id": "msg 1" }],
  ["with an id of 201 characters", { "webhook-id": "a".repeat(201) }],
  ["without a time", { "webhook-timestamp": "" }],
  ["with a time that is no number", { "webhook-timestamp": "NaN" }],
  ["with a fraction", { "webhook-timestamp": `${seconds}.5` }],
  ["with a sign", { "webhook-timestamp": `+${seconds}` }],
  ["with milliseconds", { "webhook-timestamp": String(now) }],
  ["more than five minutes ago", { "webhook-timestamp": String(seconds - 301) }],
  ["more than five minutes ahead", { "webhook-timestamp": String(seconds + 301) }],
  ["without a signature", { "webhook-signature": "" }],
  ["with a signature of another version alone", { "webhook-signature": `v1a,${"A".repeat(43)}=` }],
  ["with a signature without its version", { "webhook-signature": one.slice(3) }],
  ["with a short signature", { "webhook-signature": "v1,AAAA" }],
])("a request %s has none", (_, headers) => {
  expect(read(headers)).toBeNull();
});

test("those of version 1 are read, up to five minutes before and after", () => {
  const signatures = [one, `v1,${"B".repeat(43)}=`];
  const header = { "webhook-signature": `v2,xx ${signatures.join(" ")}` };
  for (const timestamp of [seconds - 300, seconds, seconds + 300].map(String))
    expect(read({ ...header, "webhook-timestamp": timestamp })).toEqual({ id: "msg_1", timestamp, signatures });
});
