// Attachments: which fields contain them, how many and how large they may be, and their names.
import { describe, expect, test } from "vitest";
import {
  checkAttachmentCount,
  checkAttachmentPlace,
  checkAttachmentSize,
  parseAttachmentPlace,
  toAttachmentMediaType,
  toAttachmentName,
} from "../../../src/chat/rules/attachment.ts";

test.each([
  ["attachment_0", 0],
  ["attachment_9", 9],
  ["attachment_10", 10],
  ["attachment_01", null],
  ["attachment_", null],
  ["attachment_-1", null],
  ["attachment_1x", null],
  ["xattachment_1", null],
  ["content", null],
])("the field %s has the file at index %s", (name, place) => {
  expect(parseAttachmentPlace(name)).toBe(place);
});

test("ten files are accepted, and no more", () => {
  expect(checkAttachmentPlace(9)).toBeNull();
  expect(checkAttachmentPlace(10)?.code).toBe("BAD_REQUEST");
});

test("a file of 10,485,760 bytes is accepted, and no larger one; the refusal names it", () => {
  expect(checkAttachmentSize("a.png", 10_485_760)).toBeNull();
  expect(checkAttachmentSize("a.png", 10_485_761)).toEqual({
    code: "BAD_REQUEST",
    message: expect.stringContaining("a.png"),
  });
});

test.each([
  ["2", 2, null],
  ["0", 0, null],
  [undefined, 0, null],
  ["1", 2, "BAD_REQUEST"],
  ["3", 2, "BAD_REQUEST"],
  [undefined, 2, null],
  ["", 0, "VALIDATION_ERROR"],
  ["two", 2, "VALIDATION_ERROR"],
  ["-1", 0, "VALIDATION_ERROR"],
  ["1.5", 1, "VALIDATION_ERROR"],
])("attachmentCount %s with %d files results in %s", (claimed, sent, code) => {
  expect(checkAttachmentCount(claimed, sent)?.code ?? null).toBe(code);
});

describe("a file's name", () => {
  test.each([
    ["plan.pdf", "plan.pdf"],
    ["../../etc/passwd", "passwd"],
    ["C:\\Users\\mia\\plan.pdf", "plan.pdf"],
    ["a\r\nb\0c\x7f.txt", "abc.txt"],
    ["  größe 日本.txt ", "größe 日本.txt"],
    ["..", "attachment"],
    [".", "attachment"],
    ["", "attachment"],
    ["folder/", "attachment"],
    [".env", ".env"],
    ["a".repeat(300), "a".repeat(255)],
    [`${"a".repeat(254)}🎈`, `${"a".repeat(254)}🎈`],
    [`${"a".repeat(254)}🎈🎈`, `${"a".repeat(254)}🎈`],
  ])("%j becomes %j", (sent, name) => {
    expect(toAttachmentName(sent)).toBe(name);
  });
});

test.each([
  ["image/png", "image/png"],
  ["text/plain; charset=utf-8", "text/plain; charset=utf-8"],
  ["application/vnd.api+json", "application/vnd.api+json"],
  [null, "application/octet-stream"],
  ["", "application/octet-stream"],
  ["png", "application/octet-stream"],
  ["image/png\r\nx-evil: 1", "application/octet-stream"],
  ["image/png, text/html", "application/octet-stream"],
])("the media type %j becomes %s", (sent, kept) => {
  expect(toAttachmentMediaType(sent)).toBe(kept);
});
