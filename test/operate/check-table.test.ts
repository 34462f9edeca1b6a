// The table of checks: what needs something comes first, and long cells are wrapped.
import { expect, it } from "vitest";
import { formatCheckTable } from "../../operate/lib/check-table.ts";

it("has what is wrong first, then what is missing, and counts them", () => {
  const long = "Add the domain of api.trains.test to this account, or set another one in wrangler.toml.";
  const table = formatCheckTable([
    { what: "the token reaches what it has to", state: "ok", help: "" },
    { what: "secret CODE_HOST_CLIENT_ID", state: "missing", help: "Without it nobody can sign in." },
    { what: "the account has the zone of api.trains.test, where people sign in", state: "wrong", help: long },
  ]);
  expect(table).toEqual([
    "STATE    WHAT                                          WHAT TO DO",
    "WRONG    the account has the zone of api.trains.test,  Add the domain of api.trains.test to this account, or set",
    "         where people sign in                          another one in wrangler.toml.",
    "missing  secret CODE_HOST_CLIENT_ID                    Without it nobody can sign in.",
    "ok       the token reaches what it has to",
    "",
    "1 wrong, 1 missing, 1 ok.",
  ]);
});
