// The API keys of the person, each with the time when it stops.
import { useQuery } from "@tanstack/react-query";
import { queryClient, service } from "../api.ts";
import { Select } from "../ui/field.tsx";
import { useKeptChoice } from "../ui/kept-text.ts";
import { KeyList } from "../ui/key-list.tsx";
import { Ago } from "../ui/time.tsx";
import { apiKeysQuery } from "./queries.ts";

const lifetimes: [days: string, word: string][] = [
  ["", "Does not expire"],
  ["30", "Expires in 30 days"],
  ["90", "Expires in 90 days"],
  ["365", "Expires in a year"],
];
const dayMs = 86_400_000;

const refresh = () => queryClient.invalidateQueries({ queryKey: apiKeysQuery.queryKey });

export function ApiKeys() {
  const { data: keys, error } = useQuery(apiKeysQuery);
  const [days, setDays] = useKeptChoice("new-api-key-lifetime");

  async function make(name: string) {
    const expiresAt = days === "" ? null : new Date(Date.now() + Number(days) * dayMs).toISOString();
    return await service.request("POST /api/user/api-keys", { body: { name, expiresAt } }).finally(refresh);
  }

  return (
    <KeyList
      keptAs="new-api-key"
      keys={keys}
      error={error}
      empty="You have no keys."
      warning="Programs that use this key lose access immediately."
      fields={
        <Select aria-label="Expiry" value={days} onChange={({ target }) => setDays(target.value)}>
          {lifetimes.map(([value, word]) => (
            <option key={value} value={value}>
              {word}
            </option>
          ))}
        </Select>
      }
      describe={({ lastUsedAt, expiresAt }) => (
        <>
          <span>
            {lastUsedAt === null ? (
              "never used"
            ) : (
              <>
                used <Ago at={lastUsedAt} />
              </>
            )}
          </span>
          {expiresAt !== null && (
            <span>
              expires <Ago at={expiresAt} />
            </span>
          )}
        </>
      )}
      onMake={make}
      onRevoke={(keyId) => service.request("DELETE /api/user/api-keys/{keyId}", { path: { keyId } }).finally(refresh)}
    />
  );
}
