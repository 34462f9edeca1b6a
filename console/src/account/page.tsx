// The first part of the account: profile, API keys, connected agents, the code host, this browser.
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { queryClient, service } from "../api.ts";
import { profileQuery } from "../shell/profile.ts";
import { useTitle } from "../shell/title.ts";
import { Button } from "../ui/button.tsx";
import { Check } from "../ui/check.tsx";
import { Field, Select, TextInput } from "../ui/field.tsx";
import { type FieldChecks, isFlag, isText, useKeptChanges } from "../ui/kept-changes.ts";
import { Refusal } from "../ui/refusal.tsx";
import { Section } from "../ui/section.tsx";
import { useAct } from "../ui/use-act.ts";
import { ApiKeys } from "./api-keys.tsx";
import { Appearance } from "./appearance.tsx";
import { CodeHost } from "./code-host.tsx";
import { ConnectedAgents } from "./connected-agents.tsx";
import { SignOut } from "./sign-out.tsx";
import { Workspaces } from "./workspaces.tsx";

export function AccountPage() {
  useTitle("Account");
  const { data: me } = useQuery(profileQuery);
  return (
    <>
      {me && <ProfileForm key={me.id} profile={me} />}
      <Section title="Workspaces" text="Each has its own projects, members, credentials and keys.">
        <Workspaces />
      </Section>
      <Section
        title="API keys"
        text="A program with a key may do what you may do. A key is shown once, when you make it."
      >
        <ApiKeys />
      </Section>
      <Section
        title="Connected agents"
        text="Agents elsewhere that you connected without a key. They work with sessions, and never merge."
      >
        <ConnectedAgents />
      </Section>
      <Section
        title="Code host"
        text="You add projects with your account at the code host, and your commits have its name."
      >
        <CodeHost />
      </Section>
      <Section title="This browser" text="Drafts of this browser are deleted when you sign out.">
        <Appearance />
        <SignOut />
      </Section>
    </>
  );
}

type Profile = Awaited<ReturnType<NonNullable<typeof profileQuery.queryFn>>>;
type Fields = Pick<Profile, "name" | "replyStyle" | "autoCommit" | "marketingEmails">;

const styles: [value: Profile["replyStyle"], word: string][] = [
  ["standard", "For an engineer"],
  ["simplified", "Simply"],
  ["not_tech", "Without technical words"],
];

const checks: FieldChecks<Fields> = {
  name: isText,
  replyStyle: (value): value is Profile["replyStyle"] => styles.some(([style]) => style === value),
  autoCommit: isFlag,
  marketingEmails: isFlag,
};

function ProfileForm({ profile }: { profile: Profile }) {
  const { changes, change: keep, forget } = useKeptChanges<Fields>(`profile:${profile.id}`, checks, profile);
  const [isSaved, setIsSaved] = useState(false);
  const { act, error, isBusy, clearError } = useAct();
  const shown = { ...profile, ...changes };
  const isChanged = Object.keys(changes).length > 0;
  const change = (changed: Partial<Fields>) => {
    keep(changed);
    setIsSaved(false);
  };

  function discard(): void {
    clearError();
    forget();
  }

  async function save(event: FormEvent): Promise<void> {
    event.preventDefault();
    const done = await act(async () => {
      const body = { ...changes, ...(changes.name === undefined ? {} : { name: changes.name.trim() }) };
      await service.request("PUT /api/user/profile", { body });
      queryClient.setQueryData(profileQuery.queryKey, (before) => before && { ...before, ...body });
      forget();
    });
    setIsSaved(done);
  }

  return (
    <Section title="Profile" text="How others see you, and how the agent works for you.">
      <form onSubmit={save} className="space-y-4">
        <Field label="Name">
          <TextInput
            value={shown.name}
            onChange={({ target }) => change({ name: target.value })}
            autoComplete="name"
            dir="auto"
            required
          />
        </Field>
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="Style of replies">
            <Select
              className="w-full"
              value={shown.replyStyle}
              onChange={({ target }) => change({ replyStyle: target.value as Profile["replyStyle"] })}
            >
              {styles.map(([value, word]) => (
                <option key={value} value={value}>
                  {word}
                </option>
              ))}
            </Select>
          </Field>
          <Field label="Commits">
            <Select
              className="w-full"
              value={shown.autoCommit ? "automatic" : "manual"}
              onChange={({ target }) => change({ autoCommit: target.value === "automatic" })}
            >
              <option value="automatic">Automatic, after each turn</option>
              <option value="manual">Manual, when you say so</option>
            </Select>
          </Field>
        </div>
        <Check checked={shown.marketingEmails} onChange={(isOn) => change({ marketingEmails: isOn })}>
          Emails about the product
        </Check>
        {error !== null && <Refusal error={error} />}
        <div className="flex items-center gap-3">
          <Button type="submit" kind="main" disabled={!isChanged || isBusy || shown.name.trim() === ""}>
            {isBusy ? "Saving…" : "Save"}
          </Button>
          {isChanged && !isBusy && (
            <Button kind="bare" onClick={discard}>
              Discard
            </Button>
          )}
          <span role="status" className="text-quiet">
            {isSaved && !isChanged ? "Saved" : ""}
          </span>
        </div>
      </form>
    </Section>
  );
}
