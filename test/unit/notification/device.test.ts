import { expect, test } from "vitest";
import {
  bundleIdPattern,
  deviceTokenPattern,
  findInstallationMistake,
  toStoredToken,
} from "../../../src/notification/rules/device.ts";

const digits = (count: number) => "a".repeat(count);

test.each<[form: string, token: string, isToken: boolean]>([
  ["32 digits", digits(32), true],
  ["200 digits", digits(200), true],
  ["digits of both cases", "0123456789ABCDEFabcdef0123456789", true],
  ["30 digits", digits(30), false],
  ["202 digits", digits(202), false],
  ["an odd number of digits", digits(33), false],
  ["a digit that is none", `${digits(31)}g`, false],
  ["a line end behind it", `${digits(32)}\n`, false],
  ["spaces around it", ` ${digits(30)} `, false],
  ["nothing", "", false],
])("a device token of %s", (_, token, isToken) => {
  expect(deviceTokenPattern.test(token)).toBe(isToken);
});

test("upper and lower case of a token are the same device", () => {
  expect(toStoredToken("AbCdEf")).toBe("abcdef");
});

test.each<[bundleId: string, isOne: boolean]>([
  ["com.example.app", true],
  ["com.example.App-2.watchkitapp", true],
  ["app", true],
  ["", false],
  ["com..example", false],
  ["com.example.", false],
  ["com.example.app\r\nx: y", false],
  ["com/example", false],
])("%j as a bundle id", (bundleId, isOne) => {
  expect(bundleIdPattern.test(bundleId)).toBe(isOne);
});

test.each<
  [platform: "ios" | "watchos", fields: Parameters<typeof findInstallationMistake>[1], path: string | undefined]
>([
  ["ios", {}, undefined],
  ["ios", { installationId: "i" }, "installationId"],
  ["ios", { generation: 0 }, "generation"],
  ["ios", { installationId: "i", generation: 1 }, "installationId"],
  ["watchos", { installationId: "i", generation: 0 }, undefined],
  ["watchos", { installationId: "i" }, "generation"],
  ["watchos", { generation: 1 }, "installationId"],
  ["watchos", {}, "installationId"],
])("%s with %j", (platform, fields, path) => {
  expect(findInstallationMistake(platform, fields)?.path).toBe(path);
});
