// The choice of a webhook's events: everything, groups, or single kinds of a group.
import { ChevronRight } from "lucide-react";
import { CheckBox } from "./check-box.tsx";
import { eventGroups, togglePattern } from "./webhook-rules.ts";

interface WebhookEventsProps {
  events: readonly string[];
  onChange: (events: string[]) => void;
}

export function WebhookEvents({ events, onChange }: WebhookEventsProps) {
  const isAll = events.includes("*");
  return (
    <fieldset>
      <legend className="font-medium">Events</legend>
      <CheckBox isChecked={isAll} onChange={(isOn) => onChange(isOn ? ["*"] : [])}>
        All, also kinds to come
      </CheckBox>
      {!isAll && (
        <ul className="ml-6">
          {eventGroups.map(({ pattern, title, types }) => {
            const isWhole = events.includes(pattern);
            const count = types.filter(([type]) => events.includes(type)).length;
            return (
              <li key={pattern} className="flex flex-wrap items-start gap-x-4">
                <span className="w-36 sm:w-40">
                  <CheckBox isChecked={isWhole} onChange={() => onChange(togglePattern(events, pattern))}>
                    {title}
                  </CheckBox>
                </span>
                {!isWhole && (
                  <details className="group min-w-28 flex-1" open={count > 0 || undefined}>
                    <summary className="flex min-h-8 cursor-pointer items-center gap-1 text-quiet pointer-coarse:min-h-11">
                      <ChevronRight className="size-4 group-open:rotate-90" aria-hidden="true" />
                      {count > 0 ? `${count} of ${types.length} kinds` : "Choose kinds"}
                      <span className="sr-only"> of {title}</span>
                    </summary>
                    <div className="grid gap-x-4 pb-2 sm:grid-cols-2">
                      {types.map(([type, word]) => (
                        <CheckBox
                          key={type}
                          isChecked={events.includes(type)}
                          onChange={() => onChange(togglePattern(events, type))}
                        >
                          {word}
                        </CheckBox>
                      ))}
                    </div>
                  </details>
                )}
              </li>
            );
          })}
        </ul>
      )}
    </fieldset>
  );
}
