// The repository of a new project: a field with the repositories that the person and the service's
// app both reach. What is not among them can be typed or pasted.
import { type Schemas, SwitchyardError } from "@switchyard/client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { ExternalLink, Lock } from "lucide-react";
import { type KeyboardEvent, type RefObject, useId, useLayoutEffect, useRef, useState } from "react";
import { codeHostQuery } from "../account/queries.ts";
import { hastyService } from "../api.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { TextInput } from "../ui/field.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { Ago } from "../ui/time.tsx";
import { useFocusKept } from "../ui/use-focus-kept.ts";
import { useRested } from "../ui/use-rested.ts";
import { Name } from "../ui/visible-text.tsx";
import { describeChoices, findChoices, findChosen, readRepository, stepChoice, toSearch } from "./new-project.ts";

type Repository = Schemas["CodeHostRepository"];

/** The repositories that a search finds. With `search` null, nothing is asked. */
function useRepositories(workspaceId: string | undefined, search: string | null) {
  return useQuery({
    queryKey: ["code-host-repositories", workspaceId, search],
    queryFn: ({ signal }) =>
      hastyService.request("GET /api/user/code-host/repositories", {
        query: { workspace: workspaceId ?? "", search: search ?? "" },
        signal,
      }),
    enabled: workspaceId !== undefined && search !== null,
    staleTime: 60_000,
    // A person comes back from the page that installs the app.
    refetchOnWindowFocus: "always",
    placeholderData: keepPreviousData,
  });
}

/** What the field and the form know of the repositories. */
export function useRepositoryChoices(workspaceId: string | undefined, typed: string) {
  const { data: account } = useQuery(codeHostQuery);
  const isConnected = account?.login != null;
  const newest = useRepositories(workspaceId, isConnected ? "" : null);
  const search = useRested(toSearch(typed));
  const { repositories = [], total = 0, installUrl = null } = newest.data ?? {};
  // A list that is whole is searched here: the code host is asked only for what it lacks.
  const isWhole = repositories.length >= total;
  const searched = useRepositories(workspaceId, isConnected && !isWhole && search !== "" ? search : null);
  const more = isWhole || search === "" ? [] : (searched.data?.repositories ?? []);
  const all = [...repositories, ...more.filter((one) => !findChosen(repositories, one.repository))];
  return {
    account,
    isRead: newest.data !== undefined && !(searched.isFetching && more.length === 0),
    error: newest.error ?? searched.error,
    retry: () => void (newest.error ? newest.refetch() : searched.refetch()),
    ...{ installUrl, total },
    found: findChoices(all, toSearch(typed)),
    chosen: findChosen(all, typed),
  };
}

/** The highest list, and the least that is left for one at the end of a small screen. */
const [highestPx, lowestPx] = [256, 112];

/** Shows a list over the page, below a field: a dialog would cut it off. */
function usePlaced(list: RefObject<HTMLElement | null>, field: RefObject<HTMLElement | null>, isShown: boolean): void {
  useLayoutEffect(() => {
    const shown = list.current;
    if (!isShown || !shown) return;
    const place = () => {
      const { left = 0, bottom = 0, width = 0 } = field.current?.getBoundingClientRect() ?? {};
      const room = Math.max(lowestPx, Math.min(highestPx, innerHeight - bottom - 16));
      const at = { left, top: bottom + 4, width, maxHeight: room };
      for (const [name, px] of Object.entries(at)) Object.assign(shown.style, { [name]: `${px}px` });
    };
    shown.showPopover();
    place();
    addEventListener("resize", place);
    addEventListener("scroll", place, true);
    return () => {
      removeEventListener("resize", place);
      removeEventListener("scroll", place, true);
      shown.hidePopover();
    };
  }, [list, field, isShown]);
}

interface RepositoryFieldProps {
  choices: ReturnType<typeof useRepositoryChoices>;
  typed: string;
  onType: (text: string) => void;
}

export function RepositoryField({ choices, typed, onType }: RepositoryFieldProps) {
  const { account, isRead, error, installUrl, total, found, chosen } = choices;
  const id = useId();
  const [isOpen, setIsOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const isShown = isOpen && found.length > 0 && !(found.length === 1 && chosen);
  const at = Math.min(active, found.length - 1);
  const field = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  usePlaced(list, field, isShown);
  // Who comes back from the page that installs the app had the focus on the link to it.
  const focus = useFocusKept("[role=option]", (box) => box.querySelector("input"));
  const isConnected = account?.login != null;
  const status = error instanceof SwitchyardError ? error.status : null;
  const isDenied = isConnected && status === 403;
  // A service without an app lists nothing. Its people write the name, as the hint says.
  const isUnlisted = status === 400;
  const isNowhere = isConnected && isRead && !error && total === 0;

  function close(): void {
    setIsOpen(false);
    setActive(-1);
  }

  function choose({ repository, mayPush }: Repository): void {
    if (!mayPush) return;
    onType(repository);
    close();
  }

  function press(event: KeyboardEvent): void {
    if (event.nativeEvent.isComposing) return;
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : null;
    const option = found[at];
    if (step !== null && found.length > 0) {
      event.preventDefault();
      setIsOpen(true);
      const next = stepChoice(at, step, found.length);
      setActive(next);
      document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: "nearest" });
    } else if (event.key === "Enter" && isShown && option) {
      event.preventDefault();
      choose(option);
    } else if (event.key === "Escape" && isShown) {
      // The dialog of the form stays open.
      event.stopPropagation();
      close();
    }
  }

  return (
    <div {...focus} className="text-ui">
      {account?.login === null && (
        <NextStep words="You have no account at the code host connected." label="Connect your account" />
      )}
      {isDenied && (
        <NextStep words="The code host no longer accepts the connection of your account." label="Connect it again" />
      )}
      {isNowhere && (
        <div className="mb-4 rounded-block bg-amber-tint px-4 py-3">
          <p className={installUrl ? "mb-2 text-amber-ink" : "text-amber-ink"}>
            The service’s app is not installed for any repository that you see.
          </p>
          {installUrl && <InstallLink url={installUrl} className={buttonClass()} label="Install the app" />}
        </div>
      )}
      <div className="mb-1 flex flex-wrap items-baseline justify-between gap-x-4">
        <label htmlFor={id} className="font-medium">
          Repository
        </label>
        {installUrl && total > 0 && (
          <InstallLink url={installUrl} className="text-meta text-quiet underline" label="Install the app for more" />
        )}
      </div>
      <div ref={field}>
        <TextInput
          id={id}
          value={typed}
          onChange={({ target }) => {
            onType(target.value);
            setIsOpen(true);
            setActive(-1);
          }}
          onClick={() => setIsOpen(true)}
          onBlur={close}
          onKeyDown={press}
          role="combobox"
          aria-expanded={isShown}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={isShown && at >= 0 ? `${id}-${at}` : undefined}
          aria-describedby={`${id}-hint`}
          placeholder="owner/name"
          autoCapitalize="none"
          autoComplete="off"
          spellCheck={false}
          className="font-mono"
          required
        />
        <div
          ref={list}
          popover="manual"
          id={`${id}-list`}
          role="listbox"
          aria-label="Choices"
          className="inset-auto m-0 overflow-y-auto rounded-block border border-line bg-panel p-1 text-ink shadow-lg"
        >
          {isShown &&
            found.map((one, index) => (
              <Choice
                key={one.repository}
                id={`${id}-${index}`}
                one={one}
                isActive={index === at}
                onChoose={() => choose(one)}
              />
            ))}
        </div>
      </div>
      <p id={`${id}-hint`} role="status" className="mt-1 text-meta text-quiet">
        {describeField(choices, typed)}
      </p>
      {error !== null && !isDenied && !isUnlisted && (
        <div className="mt-2">
          <Refusal error={error}>
            <Button onClick={choices.retry}>Try again</Button>
          </Refusal>
        </div>
      )}
    </div>
  );
}

function describeField({ account, isRead, error, total, found }: RepositoryFieldProps["choices"], typed: string) {
  if (account?.login != null && error === null) {
    if (!isRead) return "Looking for your repositories…";
    if (total > 0) return describeChoices({ shown: found.length, total, typed });
  }
  return typed.trim() !== "" && readRepository(typed) === null
    ? "Write it as owner/name, or paste its address."
    : "As the code host names it, such as acme/departures";
}

function NextStep({ words, label }: { words: string; label: string }) {
  const returnTo = encodeURIComponent(location.pathname + location.search);
  return (
    <div className="mb-4 rounded-block bg-amber-tint px-4 py-3">
      <p className="mb-2 text-amber-ink">{words}</p>
      <a className={buttonClass()} href={`/api/auth/github/connect?returnTo=${returnTo}`}>
        {label}
      </a>
    </div>
  );
}

function InstallLink({ url, className, label }: { url: string; className: string; label: string }) {
  return (
    <a href={url} target="_blank" rel="noreferrer" className={className}>
      {label}
      <ExternalLink className="ml-1 inline size-3.5" role="img" aria-label="in another tab" />
    </a>
  );
}

interface ChoiceProps {
  id: string;
  one: Repository;
  isActive: boolean;
  onChoose: () => void;
}

function Choice({ id, one, isActive, onChoose }: ChoiceProps) {
  const { repository, isPrivate, mayPush, projectId, pushedAt } = one;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field takes the keys.
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isActive}
      aria-disabled={!mayPush}
      // The field keeps the focus.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onChoose}
      className={`flex min-h-9 flex-wrap items-center gap-x-2 rounded-control px-2 py-1 pointer-coarse:min-h-11 ${mayPush ? "cursor-pointer" : "cursor-default text-quiet"} ${isActive ? "bg-accent-tint" : "hover:bg-sunk"}`}
    >
      <Name className="min-w-0 break-all font-mono text-code">{repository}</Name>
      {isPrivate && <Lock className="size-3.5 shrink-0 text-quiet" role="img" aria-label="private" />}
      <span className="ml-auto text-meta text-quiet">
        {mayPush ? projectId !== null && "already a project" : "you may not push"}
        {pushedAt !== null && (
          <span className="ml-2">
            <Ago at={pushedAt} />
          </span>
        )}
      </span>
    </div>
  );
}
