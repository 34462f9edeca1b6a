// The reasoning in a call on the responses wire, which is encrypted for the account that it was made under.

/** The call without its reasoning items, and without the ids of the items that were coupled to them. */
export function withoutReasoning(body: Uint8Array): Uint8Array<ArrayBuffer> {
  const call = JSON.parse(new TextDecoder().decode(body)) as { input?: unknown };
  const encoded = (value: object) => new Uint8Array(new TextEncoder().encode(JSON.stringify(value)));
  if (!Array.isArray(call.input)) return encoded(call);
  const input = call.input.filter((item) => item?.type !== "reasoning").map(({ id: _, ...item }) => item);
  return encoded({ ...call, input });
}
