// The fields of one trigger: when it sends, what it sends, and how often at most.

import { useQuery } from "@tanstack/react-query";
import { ChevronRight, Trash2 } from "lucide-react";
import { useState } from "react";
import { ModelOptions } from "../composer/model-options.tsx";
import { modelsQuery } from "../composer/queries.ts";
import { priorities, priorityWords } from "../sessions/moves.ts";
import { Button } from "../ui/button.tsx";
import { Check } from "../ui/check.tsx";
import { Field, Select, TextInput } from "../ui/field.tsx";
import { Name } from "../ui/visible-text.tsx";
import {
  associationWords,
  describeLacks,
  type EditedTrigger,
  events,
  getUsualAnswer,
  hasAttempts,
  hasAuthor,
  hasBranches,
  hasComment,
  isBeginning,
  isOfPlace,
  reviewWords,
  usualSessionUsd,
} from "./trigger-form.ts";
import { HttpFields } from "./trigger-http.tsx";
import { area, Patterns } from "./trigger-patterns.tsx";

interface TriggerFieldsProps {
  trigger: EditedTrigger;
  isAdded: boolean;
  isReadOnly: boolean;
  onChange: (changed: Partial<EditedTrigger>) => void;
  onDelete: () => void;
}

export function TriggerFields({ trigger, isAdded, isReadOnly, onChange, onDelete }: TriggerFieldsProps) {
  const { name, enabled, on, prompt, underReview, perDay, attempts } = trigger;
  const lacking = describeLacks(trigger.lacks);
  return (
    <div className="space-y-4">
      <div className="flex items-center justify-between gap-2">
        <label className="flex min-h-9 min-w-0 flex-1 items-center gap-2 font-bold pointer-coarse:min-h-11">
          <input
            type="checkbox"
            className="size-4 shrink-0 accent-accent"
            checked={enabled}
            onChange={({ target }) => onChange({ enabled: target.checked })}
          />
          <Name className="min-w-0 truncate">{name || "A new trigger"}</Name>
          <span className="font-normal text-meta text-quiet">{enabled ? "on" : "off"}</span>
        </label>
        {!isReadOnly && (
          <Button kind="bare" onClick={onDelete}>
            <Trash2 className="size-4" aria-hidden="true" /> Delete<span className="sr-only"> {name}</span>
          </Button>
        )}
      </div>
      {lacking !== null && (
        <p className="text-red-ink">
          {lacking} The owner of the app adds it in its settings at GitHub, and the owner of the installation agrees.
        </p>
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Name of the trigger">
          <TextInput
            autoFocus={isAdded}
            value={name}
            onChange={({ target }) => onChange({ name: target.value })}
            maxLength={100}
            autoComplete="off"
            dir="auto"
          />
        </Field>
        <Field label="When">
          <Select
            className="w-full"
            value={on}
            onChange={({ target }) => {
              const next = target.value as EditedTrigger["on"];
              const answer = trigger.answer === getUsualAnswer(on) ? getUsualAnswer(next) : trigger.answer;
              // What another event lacks is known once it is saved.
              onChange({ on: next, answer, lacks: [] });
            }}
          >
            {events.map(([one, word]) => (
              <option key={one} value={one}>
                {word}
              </option>
            ))}
          </Select>
        </Field>
      </div>
      <Field label="A session Under Review">
        <Select
          className="w-full"
          value={underReview}
          onChange={({ target }) => onChange({ underReview: target.value as EditedTrigger["underReview"] })}
        >
          <option value="notice">Works again only if a member asks</option>
          <option value="resume">Works again, and goes back Under Review</option>
        </Select>
      </Field>
      {on === "checks_failed" && (
        <Check checked={trigger.answer !== "none"} onChange={(isOn) => onChange({ answer: isOn ? "link" : "none" })}>
          Comment when the last attempt has failed
        </Check>
      )}
      {isBeginning(on) && (
        <Field label="What it does">
          <Select
            className="w-full"
            value={trigger.action}
            onChange={({ target }) => onChange({ action: target.value as EditedTrigger["action"] })}
          >
            <option value="start">Starts a session</option>
            <option value="file">Puts a session into the Backlog</option>
            {on === "mention" && <option value="send">Only writes to the existing session</option>}
          </Select>
        </Field>
      )}
      {isBeginning(on) && (
        <Field label="Assignee of a new session">
          <Select
            className="w-full"
            value={on === "http" && trigger.assignee === "author" ? "" : (trigger.assignee ?? "")}
            onChange={({ target }) =>
              onChange({ assignee: target.value === "" ? null : (target.value as EditedTrigger["assignee"]) })
            }
          >
            <option value="">Nobody</option>
            {on !== "http" && <option value="author">The member who asked</option>}
            <option value="service">The service</option>
          </Select>
        </Field>
      )}
      {isBeginning(on) && (
        <Field label="Priority of a new session">
          <Select
            className="w-full"
            value={trigger.priority ?? "none"}
            onChange={({ target }) => onChange({ priority: target.value as EditedTrigger["priority"] & string })}
          >
            {priorities.map((priority) => (
              <option key={priority} value={priority}>
                {priorityWords[priority]}
              </option>
            ))}
          </Select>
        </Field>
      )}
      {on === "mention" && <MentionFields trigger={trigger} onChange={onChange} />}
      {hasComment(on) && <CommentFields trigger={trigger} onChange={onChange} />}
      {on === "http" && <HttpFields trigger={trigger} isReadOnly={isReadOnly} onChange={onChange} />}
      <Field label="Prompt" hint="Empty: resolve the cause, commit and push.">
        <textarea
          value={prompt}
          rows={2}
          dir="auto"
          onChange={({ target }) => onChange({ prompt: target.value })}
          className={area}
        />
      </Field>
      <ModelField trigger={trigger} onChange={onChange} />
      {on !== "http" && <Filters trigger={trigger} onChange={onChange} />}
      <div className="grid gap-4 sm:grid-cols-2">
        {hasAttempts(on) && (
          <Field label="Attempts" hint="Messages to one session until a person writes to it or reviews it.">
            <TextInput
              inputMode="numeric"
              value={attempts}
              onChange={({ target }) => onChange({ attempts: target.value })}
            />
          </Field>
        )}
        <Field label="Messages per day" hint="The maximum in 24 hours.">
          <TextInput inputMode="numeric" value={perDay} onChange={({ target }) => onChange({ perDay: target.value })} />
        </Field>
        {isBeginning(on) && <Limits trigger={trigger} onChange={onChange} />}
      </div>
    </div>
  );
}

function ModelField({ trigger: { model = null }, onChange }: Pick<TriggerFieldsProps, "trigger" | "onChange">) {
  const { data: models = [] } = useQuery(modelsQuery);
  return (
    <Field label="Model" hint="If the workspace cannot run it, the trigger does nothing.">
      <Select
        className="w-full"
        value={model ?? ""}
        onChange={({ target }) => onChange({ model: target.value === "" ? null : target.value })}
      >
        <option value="">The session's, or the workspace's default</option>
        <ModelOptions models={models} chosen={model} />
      </Select>
    </Field>
  );
}

function Limits({ trigger, onChange }: Pick<TriggerFieldsProps, "trigger" | "onChange">) {
  return (
    <>
      <Field label="US dollars per session" hint="The cost limit of automatic turns until a person writes.">
        <TextInput
          inputMode="decimal"
          value={trigger.sessionLimitUsd ?? usualSessionUsd}
          onChange={({ target }) => onChange({ sessionLimitUsd: target.value })}
        />
      </Field>
      <Field label="US dollars per day" hint="The cost limit of all its sessions. Empty: no limit.">
        <TextInput
          inputMode="decimal"
          value={trigger.perDayUsd ?? ""}
          onChange={({ target }) => onChange({ perDayUsd: target.value })}
        />
      </Field>
    </>
  );
}

function MentionFields({ trigger: { writers, bots }, onChange }: Pick<TriggerFieldsProps, "trigger" | "onChange">) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Patterns
        label="Programs"
        hint="Logins whose mentions count, one per line, such as renovate[bot]."
        text={bots}
        onChange={(text) => onChange({ bots: text })}
      />
      <Check checked={writers} onChange={(isOn) => onChange({ writers: isOn })}>
        Also accounts with push access that are not members
      </Check>
    </div>
  );
}

function CommentFields({ trigger, onChange }: Pick<TriggerFieldsProps, "trigger" | "onChange">) {
  const { answer, share } = trigger;
  return (
    <>
      <Field label="Comment" hint="On the issue or pull request, for everybody who can read it.">
        <Select
          className="w-full"
          value={answer}
          onChange={({ target }) => onChange({ answer: target.value as EditedTrigger["answer"] })}
        >
          <option value="none">No comment</option>
          <option value="link">State and link of the session</option>
          <option value="text">Also the agent’s answer</option>
        </Select>
      </Field>
      {answer !== "none" && (
        <Check checked={share} onChange={(isOn) => onChange({ share: isOn })}>
          Include a public link to the preview
        </Check>
      )}
    </>
  );
}

function Filters({ trigger, onChange }: Pick<TriggerFieldsProps, "trigger" | "onChange">) {
  const { on, branches, checks, reviews, labels, paths, action, assignees = "", associations = [] } = trigger;
  const isFiltered =
    [branches, checks, labels, paths, assignees].some((text) => text.trim() !== "") ||
    reviews.length + associations.length > 0;
  const [isOpen, setIsOpen] = useState(isFiltered);
  if (!isOpen)
    return (
      <Button kind="bare" className="-ml-3" aria-expanded="false" onClick={() => setIsOpen(true)}>
        <ChevronRight className="size-4" aria-hidden="true" />{" "}
        {isOfPlace(on)
          ? "Only some labels, branches or files"
          : hasBranches(on)
            ? `Only some branches or ${on === "review" ? "reviews" : "checks"}`
            : "Only some authors or assignees"}
      </Button>
    );
  const usualLabel = `switchyard${action === "start" ? ":go" : ""}`;
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {hasBranches(on) && (
        <Patterns
          label="Branches"
          hint="One per line; * matches any text. Empty: all."
          text={branches}
          onChange={(text) => onChange({ branches: text })}
        />
      )}
      {on === "assigned" && (
        <Patterns
          label="Assignees"
          hint="Logins, one per line. Empty: the app."
          text={assignees}
          onChange={(text) => onChange({ assignees: text })}
        />
      )}
      {isOfPlace(on) && (
        <Patterns
          label="Labels"
          hint={`One per line. Empty: ${on === "label" ? usualLabel : "all"}.`}
          text={labels}
          onChange={(text) => onChange({ labels: text })}
        />
      )}
      {isOfPlace(on) && (
        <Patterns
          label="Files"
          hint="That a pull request changes, one per line. Empty: all."
          text={paths}
          onChange={(text) => onChange({ paths: text })}
        />
      )}
      {on === "checks_failed" && (
        <Patterns
          label="Checks"
          hint="Names of failed checks, one per line. Empty: all."
          text={checks}
          onChange={(text) => onChange({ checks: text })}
        />
      )}
      {on === "review" && (
        <fieldset>
          <legend className="mb-1 font-medium">Reviews</legend>
          {reviewWords.map(([review, word]) => (
            <Check
              key={review}
              checked={reviews.includes(review)}
              onChange={(isOn) =>
                onChange({ reviews: isOn ? [...reviews, review] : reviews.filter((one) => one !== review) })
              }
            >
              {word}
            </Check>
          ))}
          <p className="text-meta text-quiet">None chosen: both.</p>
        </fieldset>
      )}
      {hasAuthor(on) && (
        <fieldset>
          <legend className="mb-1 font-medium">Authors</legend>
          {associationWords.map(([association, word]) => (
            <Check
              key={association}
              checked={associations.includes(association)}
              onChange={(isOn) =>
                onChange({
                  associations: isOn
                    ? [...associations, association]
                    : associations.filter((one) => one !== association),
                })
              }
            >
              {word}
            </Check>
          ))}
          <p className="text-meta text-quiet">None chosen: all. It gives nobody a right.</p>
        </fieldset>
      )}
    </div>
  );
}
