// The failures of operations in the OpenAPI document. Each set of codes is one named response,
// which operations refer to, because the same few sets are the failures of all operations.
import { type RefusalCode, refusals } from "../../rules/refusal.ts";
import type { Endpoint } from "../endpoint.ts";
import { toHeaders } from "./operation.ts";
import type { JsonSchema } from "./schemas.ts";

interface FailureResponse {
  description: string;
  headers?: Record<string, { $ref: string }>;
  content: { "application/json": { schema: JsonSchema } };
  "x-error-codes": RefusalCode[];
}

type Reference = { $ref: string };

/**
 * The failures of operations: the responses of each, and the named responses that they refer to.
 */
export interface Failures {
  of(endpoint: Endpoint): Record<string, Reference>;
  named: Record<string, FailureResponse>;
}

/** What any operation may answer, whatever it does. They have one response without a status. */
const ofAll = ["METHOD_NOT_ALLOWED", "TOO_MANY_REQUESTS", "INTERNAL_ERROR", "SERVICE_UNAVAILABLE"] as const;
/** What is named may not exist, or not for the caller. */
const ofNames = ["FORBIDDEN", "NOT_FOUND"] as const;
/** A body may also be too large, of another type, or arrive too slowly. */
const ofBodies = ["PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"] as const;

/** Collects the failures of all operations. */
export function createFailures(endpoints: readonly Endpoint[]): Failures {
  const named: Failures["named"] = {};
  const names = new Map<string, string>();
  const refer = (codes: RefusalCode[], chosen: string): Reference => {
    const name = names.get(codes.join()) ?? chosen;
    names.set(codes.join(), name);
    named[name] ??= toResponse(codes);
    return { $ref: `#/components/responses/${name}` };
  };
  const responses = new Map(
    endpoints.map((endpoint) => {
      const byStatus = Map.groupBy(listCodes(endpoint), (code) => refusals[code].status);
      const ofStatuses = [...byStatus].map(
        ([status, codes]) => [String(status), refer(codes, getName(codes, endpoint.operation))] as const,
      );
      const others = listOthers(endpoint);
      const name = `${endpoint.access === "public" ? "Public" : ""}Failure${endpoint.method === "GET" ? "" : "OfBody"}`;
      return [endpoint, { ...Object.fromEntries(ofStatuses), default: refer(others, name) }];
    }),
  );
  return { of: (endpoint) => responses.get(endpoint) ?? {}, named };
}

/** The codes that have one response without a status. */
function listOthers({ method, access }: Pick<Endpoint, "method" | "access">): RefusalCode[] {
  return [...(access === "public" ? [] : ofNames), ...(method === "GET" ? [] : ofBodies), ...ofAll];
}

/** The codes of an operation, in the order of the table of refusals. */
function listCodes({ method, access, query, isRepeatable, refusals: own = [] }: Endpoint): RefusalCode[] {
  const codes = new Set<RefusalCode>([...own, "VALIDATION_ERROR"]);
  if (access !== "public") codes.add("UNAUTHORIZED");
  if (query || method !== "GET") codes.add("BAD_REQUEST");
  if (isRepeatable) codes.add("IDEMPOTENCY_KEY_REUSED");
  const withoutStatus = new Set(listOthers({ method, access }));
  return (Object.keys(refusals) as RefusalCode[]).filter((code) => codes.has(code) && !withoutStatus.has(code));
}

/** `NotFound`, `ConflictOrJobActive`, or for more codes `SendMessage409`. */
function getName(codes: RefusalCode[], operation: string): string {
  const [code] = codes;
  // Nearly all operations refer to these two.
  if (codes.join() === "VALIDATION_ERROR,BAD_REQUEST") return "Invalid";
  if (code && codes.length > 2) return `${operation[0]?.toUpperCase()}${operation.slice(1)}${refusals[code].status}`;
  const words = codes.map((one) => one.toLowerCase().replace(/(?:^|_)(\w)/g, (_, letter) => letter.toUpperCase()));
  return words.join("Or");
}

/** Codes with their messages, or many codes only by their names. */
function describeCodes(codes: RefusalCode[]): string {
  const names = Map.groupBy(codes, (code) => refusals[code].status);
  if (codes.length > 2) return [...names].map(([status, ofStatus]) => `${status}: ${ofStatus.join(", ")}.`).join("\n");
  return codes.map((code) => `${refusals[code].status} ${code}: ${refusals[code].message}`).join("\n");
}

function toResponse(codes: RefusalCode[]): FailureResponse {
  const statuses = new Set<number>(codes.map((one) => refusals[one].status));
  const headers = [
    ...(statuses.has(refusals.METHOD_NOT_ALLOWED.status) ? ["Allow"] : []),
    ...(statuses.has(refusals.TOO_MANY_REQUESTS.status) || statuses.has(refusals.SERVICE_UNAVAILABLE.status)
      ? ["Retry-After"]
      : []),
  ];
  return {
    description: describeCodes(codes),
    ...(headers.length > 0 && { headers: toHeaders(...headers) }),
    // The schema has the example.
    content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
    "x-error-codes": codes,
  };
}
