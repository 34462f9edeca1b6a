// The OpenAPI document of the built Worker, from a bucket in memory.
import { expect, test } from "vitest";
import { loadSavedDocument } from "../../../src/http/openapi/saved-document.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";

const saved: Record<string, string> = {
  "openapi/one.json": `{"info":{"title":"One"},"servers":[{"url":"https://build.test"}],"paths":{}}`,
  "openapi/two.json": `{"info":{"title":"Two"},"servers":[{"url":"https://build.test"}],"paths":{}}`,
};
const get = async (key: string) => (key in saved ? { json: async () => JSON.parse(saved[key] ?? "") } : null);
const env = { STORE: { get } };

test.each(["One", "Two"])("a Worker loads the document of its key, with its own address: %s", async (title) => {
  const document = await loadSavedDocument(env, `openapi/${title.toLowerCase()}.json`, "https://sy.test");
  const text = `{"info":{"title":"${title}"},"servers":[{"url":"https://sy.test"}],"paths":{}}`;
  expect(JSON.stringify(document)).toBe(text);
});

test("a Worker whose document is not in the bucket refuses, and takes no other document", async () => {
  const outcome = await loadSavedDocument(env, "openapi/three.json", "https://sy.test");
  expect([isRefusal(outcome), outcome]).toEqual([true, expect.objectContaining({ code: "SERVICE_UNAVAILABLE" })]);
});
