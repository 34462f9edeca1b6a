// Reads a model call as it is streamed, and checks its shape. A conversation of megabytes is
// neither held in memory nor parsed. Input that a strict parser would reject is refused, because a
// lenient parser at the provider could find other fields in it.

import type { CallFields, CallRefusal } from "../model/rules/grant.ts";
import { type CallShape, refuseMember, refuseValue, type ScalarShape } from "./rules/call-shape.ts";

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openArray, closeArray, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];
/** Longer than any listed name or value, even if each of its characters is escaped. */
const capturedMax = 400;
const depthMax = 1_000;

const isWhitespace = createTable(" \t\r\n");
/** The characters of numbers, `true`, `false` and `null`. */
const isLiteral = createTable("0123456789+-.eEtruefalsn");

/** The refusal of a call that is not a JSON object, or that parsers could interpret differently. */
export const unreadableCall: CallRefusal = {
  code: "unreadable_call",
  message: `A model call is one JSON object, uncompressed, at most ${depthMax} deep, in which no field occurs twice.`,
};

export interface CallReader {
  /** Reads the next bytes. Returns the reason once the call is refused. */
  read(bytes: Uint8Array): CallRefusal | null;
  /** The deciding fields found so far. */
  fields: CallFields;
  /** True when the whole object has been read. */
  isWhole(): boolean;
}

/** A shape with its members by name, and the bit of each in the set of members that were seen. */
interface Checked {
  scalar: ScalarShape | null;
  members: ReadonlyMap<string, Member> | null;
  /** The same members, to go through. */
  listed: readonly Member[];
  items: Checked | null;
  openTypes: readonly string[];
  /** The bits of the members of which at least one is required; 0 for none. */
  needed: number;
}

interface Member {
  name: string;
  /** The name with its closing quote. */
  bytes: Uint8Array;
  shape: Checked | null;
  bit: number;
}

const checkedShapes = new WeakMap<CallShape, Checked>();

function checkedShape(shape: CallShape): Checked {
  const known = checkedShapes.get(shape);
  if (known) return known;
  const members = Object.entries(shape.members ?? {}).map(
    ([name, member], place) =>
      [name, createMember(name, member === "anything" ? null : checkedShape(member), place)] as const,
  );
  const checked: Checked = {
    scalar: shape.scalar ?? null,
    members: shape.members ? new Map(members) : null,
    listed: members.map(([, member]) => member),
    items: shape.items ? checkedShape(shape.items) : null,
    openTypes: shape.openTypes ?? [],
    needed: members.reduce((bits, [name, { bit }]) => (shape.needsOne?.includes(name) ? bits | bit : bits), 0),
  };
  checkedShapes.set(shape, checked);
  return checked;
}

function createMember(name: string, shape: Checked | null, place: number): Member {
  return { name, bytes: new TextEncoder().encode(`${name}"`), shape, bit: 2 ** place };
}

/** An object or array whose shape is checked. */
interface Frame {
  shape: Checked;
  /** The bits of the members seen so far. */
  seen: number;
  /** The member whose value is being read. */
  name: string;
  /** The value of `type`. */
  type: string | null;
  /** A member that is not listed; null if there is none. */
  other: string | null;
}

/** The expected next token. Numbers, because they are compared at every byte outside of texts. */
const next = {
  value: 0,
  valueOrEnd: 1,
  name: 2,
  nameOrEnd: 3,
  colon: 4,
  commaOrEnd: 5,
  literal: 6,
  nothing: 7,
} as const;
type Next = (typeof next)[keyof typeof next];

/** Reads a call piece by piece. */
export function createCallReader(shape: CallShape): CallReader {
  const fields = new Map<string, string | number | boolean | null>();
  const root = checkedShape(shape);
  /** The open brackets. */
  const open = new Uint8Array(depthMax);
  let depth = 0;
  /** The outermost of the open brackets: those whose shape is checked. */
  const frames: Frame[] = [];
  let state: Next = next.value;
  /** The shape of the next value; null if it may be anything. */
  let expected: Checked | null = root;
  let inString = false;
  let isEscaped = false;
  let isName = false;
  let captured: string | null = null;
  let refusal: CallRefusal | null = null;

  const frame = () => (frames.length === depth ? frames.at(-1) : undefined);
  /** The names of the open members. An array has no name. */
  const path = (inside: readonly Frame[] = frames) => inside.map(({ name }) => name).filter((name) => name !== "");
  const pathAround = () => path(frames.slice(0, -1));
  const capture = (byte: number): null => {
    if (captured !== null && captured.length <= capturedMax) captured += String.fromCharCode(byte);
    return null;
  };

  /**
   * Starts a text or literal whose first byte was read. It is captured if only some values are
   * allowed.
   */
  function beginScalar(byte: number): CallRefusal | null {
    if (expected === null || expected.scalar === "any") return null;
    if (expected.scalar === null) return refuseValue(path(), "");
    captured = "";
    return capture(byte);
  }

  function endScalar(): CallRefusal | null {
    state = next.commaOrEnd;
    const text = captured;
    captured = null;
    const scalar = expected?.scalar ?? null;
    const inside = frames.at(-1);
    if (text === null || scalar === null || inside === undefined) return null;
    if (typeof scalar === "object" && "startsWith" in scalar) {
      return text.startsWith(`"${scalar.startsWith}`) ? null : refuseValue(path(), text.slice(0, 20));
    }
    const value = text.length > capturedMax ? undefined : parsed(text);
    if (value === undefined) return unreadableCall;
    if (typeof scalar === "object" && !scalar.oneOf.some((each) => each === value)) {
      return refuseValue(path(), String(value));
    }
    if (inside.name === "type") inside.type = String(value);
    if (scalar === "decides") fields.set(inside.name, value);
    return null;
  }

  function endName(): CallRefusal | null {
    state = next.colon;
    const raw = captured ?? "";
    captured = null;
    const inside = frame();
    if (inside === undefined) return null;
    const name = raw.includes("\\") && raw.length <= capturedMax ? parsed(raw) : raw.slice(1, -1);
    if (typeof name !== "string") return unreadableCall;
    const { members, openTypes } = inside.shape;
    const member = members?.get(name);
    if (member === undefined) {
      // Some parsers ignore case.
      if (openTypes.length === 0 || members?.has(name.toLowerCase())) return refuseMember(pathAround(), name);
      inside.other ??= name;
      [inside.name, expected] = [name, null];
      return null;
    }
    return beginMember(inside, member);
  }

  function beginMember(inside: Frame, member: Member): CallRefusal | null {
    if (inside.seen & member.bit) return unreadableCall;
    inside.seen |= member.bit;
    inside.name = member.name;
    expected = member.shape;
    return null;
  }

  /**
   * Reads a listed name whose opening quote was read, and returns the position after it; 0 if it is
   * another name, or not completely there. A call has thousands of names, and no text is made of
   * these.
   */
  function readListedName(bytes: Uint8Array, from: number): number {
    const inside = frame();
    if (inside === undefined) return 0;
    for (const member of inside.shape.listed) {
      if (!isAt(bytes, from, member.bytes)) continue;
      inString = false;
      captured = null;
      state = next.colon;
      refusal = beginMember(inside, member);
      return from + member.bytes.length;
    }
    return 0;
  }

  function beginContainer(byte: number): CallRefusal | null {
    if (depth >= depthMax) return unreadableCall;
    if (expected !== null) {
      if ((byte === openObject ? expected.members : expected.items) === null) return refuseValue(path(), "");
      frames.push({ shape: expected, seen: 0, name: "", type: null, other: null });
    }
    open[depth++] = byte;
    state = byte === openObject ? next.nameOrEnd : next.valueOrEnd;
    expected = expected?.items ?? null;
    return null;
  }

  function endContainer(byte: number): CallRefusal | null {
    const isOpen = open[depth - 1] === (byte === closeObject ? openObject : openArray);
    const mayEnd = state === next.commaOrEnd || state === (byte === closeObject ? next.nameOrEnd : next.valueOrEnd);
    if (!isOpen || !mayEnd) return unreadableCall;
    const inside = frame();
    const refused = inside && byte === closeObject ? checkMembers(inside) : null;
    if (inside) frames.pop();
    depth -= 1;
    state = depth === 0 ? next.nothing : next.commaOrEnd;
    return refused;
  }

  function checkMembers({ shape: { openTypes, needed }, seen, type, other }: Frame): CallRefusal | null {
    if (other !== null && !(type !== null && openTypes.includes(type))) return refuseMember(pathAround(), other);
    return needed === 0 || seen & needed ? null : refuseValue(pathAround(), "");
  }

  function readOutside(byte: number): CallRefusal | null {
    if (state === next.literal) {
      if (isLiteral[byte]) return capture(byte);
      const refused = endScalar();
      if (refused) return refused;
    }
    if (isWhitespace[byte]) return null;
    const isValueNext = state === next.value || state === next.valueOrEnd;
    switch (byte) {
      case quote:
        inString = true;
        isName = state === next.name || state === next.nameOrEnd;
        if (!isName) return isValueNext && depth > 0 ? beginScalar(byte) : unreadableCall;
        captured = frames.length === depth ? "" : null;
        return capture(byte);
      case openArray:
      case openObject:
        return isValueNext && (depth > 0 || byte === openObject) ? beginContainer(byte) : unreadableCall;
      case closeArray:
      case closeObject:
        return endContainer(byte);
      case comma:
        if (state !== next.commaOrEnd) return unreadableCall;
        state = open[depth - 1] === openObject ? next.name : next.value;
        expected = frame()?.shape.items ?? null;
        return null;
      case colon:
        if (state !== next.colon) return unreadableCall;
        state = next.value;
        return null;
      default:
        if (!isValueNext || depth === 0 || !isLiteral[byte]) return unreadableCall;
        state = next.literal;
        return beginScalar(byte);
    }
  }

  /**
   * Continues a string, and returns the next position. A string that is not captured is skipped up
   * to its next quote.
   */
  function readString(bytes: Uint8Array, from: number): number {
    if (!isEscaped && (captured === null || captured.length > capturedMax)) {
      const end = bytes.indexOf(quote, from);
      const stop = end < 0 ? bytes.length : end;
      let slashes = 0;
      while (stop - slashes > from && bytes[stop - slashes - 1] === backslash) slashes += 1;
      isEscaped = slashes % 2 === 1;
      if (end < 0) return stop;
      if (!isEscaped) endString();
      isEscaped = false;
      return stop + 1;
    }
    if (isName && captured === '"') {
      const end = readListedName(bytes, from);
      if (end > 0) return end;
    }
    const byte = bytes[from] ?? 0;
    capture(byte);
    if (isEscaped) isEscaped = false;
    else if (byte === backslash) isEscaped = true;
    else if (byte === quote) endString();
    return from + 1;
  }

  function endString(): void {
    inString = false;
    refusal = isName ? endName() : endScalar();
  }

  return {
    fields,
    read(bytes) {
      for (let at = 0; at < bytes.length && refusal === null; ) {
        if (inString) at = readString(bytes, at);
        else refusal = readOutside(bytes[at++] ?? 0);
      }
      return refusal;
    },
    isWhole: () => state === next.nothing && refusal === null,
  };
}

/** A text without escapes, of printable ASCII. */
const plainText = /^"[ !#-[\]-~]*"$/;

/** The scalar that a text represents in JSON; undefined if it is invalid. */
function parsed(text: string): string | number | boolean | null | undefined {
  if (plainText.test(text)) return text.slice(1, -1);
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isAt(bytes: Uint8Array, from: number, part: Uint8Array): boolean {
  for (let at = 0; at < part.length; at += 1) if (bytes[from + at] !== part[at]) return false;
  return true;
}

function createTable(characters: string): Uint8Array {
  const table = new Uint8Array(256);
  for (const character of characters) table[character.charCodeAt(0)] = 1;
  return table;
}
