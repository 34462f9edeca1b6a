// A simulation of idle tails: a month of made-up teams, with the idle time of their sandboxes and
// the waits for wakes. Deterministic: it draws from a seeded generator, and runs the rule itself.
import { awayHoldMs, idleBeforePauseMs } from "../../src/rules/limits.ts";
import { getTailMs, type Past, withGap, withWake } from "../../src/sandbox/rules/idle-tail.ts";
import * as assumed from "./idle-teams.ts";

/** What happens from the end of a turn until the next message, in seconds since that end. */
interface Gap {
  /** Null if no message follows. */
  seconds: number | null;
  /** Until when the session is in front of a person; null if it is in the background at the end. */
  watchedUntil: number | null;
  /** Before the end of the turn: when the session was last in front. */
  lastSeenBefore: number;
  /** How long before the next message the session is in front again, and the message is typed. */
  composes: number;
  types: number;
  /** When a message is started and left; null if none is. */
  abandonedAt: number | null;
}

interface Session {
  wakeSeconds: number;
  gaps: Gap[];
}

/** A way to choose the tail. */
interface Line {
  name: string;
  /** Until when the sandbox is up if no message comes, in seconds since the end of the turn. */
  getUpUntil(gap: Gap, past: Past): number;
  /** True if typing a message wakes the sandbox. */
  wakesAhead: boolean;
}

/** The means of a month by one line. */
export interface LineResult {
  name: string;
  /** How long a sandbox idles after a turn: until the next message, or until it pauses. */
  tailSeconds: number;
  /** Of a hundred turns, those after which a message finds the sandbox asleep. */
  wakesOf100: number;
  /** For a thousand turns. */
  waitSeconds: number;
}

export const formerLine = "Former: 10 minutes after a look, else 5";
export const ruleLine = "**The rule, woken ahead**";

/** Runs all lines on the same month. */
export function runIdleSimulation(): LineResult[] {
  const sessions = createMonth(1);
  const fixed = [60, 120, 300].map((seconds) => ({
    name: `${seconds / 60} min after work or a look`,
    getUpUntil: (gap: Gap) => getUpUntil(gap, seconds, seconds),
    wakesAhead: false,
  }));
  const worths = [60, 180].map((worth) => ({
    name: `The rule, where a second is worth ${worth} s`,
    getUpUntil: (gap: Gap, past: Past) => getUpUntilByRule(gap, past, worth),
    wakesAhead: false,
  }));
  const lines: Line[] = [
    { name: formerLine, getUpUntil: getFormerUpUntil, wakesAhead: false },
    ...fixed,
    { name: "The rule: a second is worth 90 s", getUpUntil: getUpUntilByRule, wakesAhead: false },
    ...worths,
    { name: "1 min after work or a look, woken ahead", getUpUntil: (gap) => getUpUntil(gap, 60, 60), wakesAhead: true },
    { name: ruleLine, getUpUntil: getUpUntilByRule, wakesAhead: true },
  ];
  return lines.map((line) => run(line, sessions));
}

function run({ name, getUpUntil: upUntil, wakesAhead }: Line, sessions: readonly Session[]): LineResult {
  let [turns, idle, waits, wakes] = [0, 0, 0, 0];
  for (const { wakeSeconds, gaps } of sessions) {
    let past: Past = { saveMs: wakeSeconds * 1_000 };
    for (const gap of gaps) {
      turns += 1;
      const up = upUntil(gap, past);
      idle += Math.min(up, gap.seconds ?? up);
      if (gap.seconds === null) continue;
      past = withGap({ ...past, restingSince: 0 }, gap.seconds * 1_000);
      if (up >= gap.seconds) continue;
      wakes += 1;
      // A message that was started and left has woken the sandbox for a tail of its own.
      if (wakesAhead && gap.abandonedAt !== null && gap.abandonedAt > up)
        idle += Math.min(gap.types + assumed.hiddenSeconds + up, gap.seconds - gap.abandonedAt);
      const ahead = wakesAhead ? gap.types : 0;
      idle += Math.max(0, ahead - wakeSeconds);
      waits += Math.max(0, wakeSeconds - ahead) * (ahead > 0 ? assumed.resendFactor : 1);
      past = withWake({ ...past, wokenAt: 0 }, true, wakeSeconds * 1_000);
    }
  }
  const waitSeconds = (1_000 * waits) / turns;
  return { name, tailSeconds: idle / turns, wakesOf100: (100 * wakes) / turns, waitSeconds };
}

/** The times at which the session is in front, in order. */
function listSights({ seconds, watchedUntil, composes }: Gap): [from: number, until: number][] {
  const first: [number, number][] = watchedUntil === null ? [] : [[0, watchedUntil]];
  if (seconds === null || composes === 0) return first;
  const from = Math.max(watchedUntil ?? 0, seconds - composes);
  return [...first, [from, seconds]];
}

/** The tail begins when the session is out of sight, which the service knows late. */
function getUpUntil(gap: Gap, away: number, read: number): number {
  let until = Math.max(away, read + assumed.hiddenSeconds - gap.lastSeenBefore);
  for (const [from, to] of listSights(gap))
    if (from <= until) until = Math.max(until, to + assumed.hiddenSeconds + read);
  return until;
}

function getUpUntilByRule(gap: Gap, past: Past, worth?: number): number {
  const tailMs = getTailMs(past, worth);
  return getUpUntil(gap, Math.min(tailMs, awayHoldMs) / 1_000, tailMs / 1_000);
}

/** A look was the opening of a session, and each event of a turn that was in front. */
function getFormerUpUntil(gap: Gap): number {
  const [away, look] = [awayHoldMs / 1_000, idleBeforePauseMs / 1_000];
  let until = Math.max(away, look - Math.max(0, gap.lastSeenBefore - assumed.hiddenSeconds));
  for (const [from] of listSights(gap)) if (from <= until) until = Math.max(until, from + look);
  return until;
}

/** Creates the sessions of a month. Each seed has a month of its own. */
export function createMonth(seed: number): Session[] {
  const random = createRandom(seed);
  const draw = ({ median, spread }: assumed.Duration) => median * Math.exp(spread * createNormal(random));
  const spreadBy = (spread: number) => draw({ median: 1, spread });
  const sessions: Session[] = [];
  for (let team = 0; team < assumed.teams; team++) {
    const ofTeam = chooseWake((100 * (team + 0.5)) / assumed.teams) * spreadBy(assumed.projectSpread);
    for (let person = 0; person < assumed.peoplePerTeam; person++) {
      const { least, most } = assumed.soonShare;
      const soonShare = least + (most - least) * random();
      for (let session = 0; session < assumed.workDays * assumed.sessionsPerDay; session++) {
        const gaps = Array.from({ length: assumed.turnsPerSession }, (_, turn) =>
          createGap(random, draw, soonShare, turn === assumed.turnsPerSession - 1),
        );
        sessions.push({ wakeSeconds: ofTeam * spreadBy(assumed.wakeSpread), gaps });
      }
    }
  }
  return sessions;
}

/** The wake of the project that a team at this place of a hundred has. */
function chooseWake(place: number): number {
  let sum = 0;
  for (const { of100, wakeSeconds } of assumed.projects) {
    sum += of100;
    if (place < sum) return wakeSeconds;
  }
  throw new RangeError("The projects are not those of a hundred teams.");
}

function createGap(
  random: () => number,
  draw: (duration: assumed.Duration) => number,
  soonShare: number,
  isLast: boolean,
): Gap {
  const isSoon = random() < soonShare;
  const isLater = random() < assumed.laterShare;
  const drawn = draw(isSoon ? assumed.soon : isLater ? assumed.later : assumed.muchLater);
  const isTyped = random() < assumed.typedShare;
  const isWatched = random() < assumed.watchedShare;
  const stays = random() < assumed.stayingShare && drawn < assumed.longestStaySeconds && !isLast;
  const reads = draw(assumed.reading);
  const composes = isTyped ? Math.min(draw(assumed.composing), drawn) : 0;
  return {
    seconds: isLast ? null : drawn,
    watchedUntil: isWatched ? (stays ? drawn : isLast ? reads : Math.min(reads, drawn)) : null,
    lastSeenBefore: isWatched ? 0 : random() * assumed.turnSeconds,
    composes,
    types: composes * assumed.typingShare,
    abandonedAt: isTyped && random() < assumed.abandonedShare ? drawn * assumed.abandonedAfter : null,
  };
}

/** Mulberry32: the same numbers for the same seed on every machine. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function createNormal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/**
 * The tail of a sandbox whose turns are an hour apart, and which nobody looks at, in seconds: the
 * mean over the projects.
 */
export function getAwayTailSeconds(): number {
  const gapsMs = Array.from({ length: 8 }, () => 3_600_000);
  const tails = assumed.projects.map(({ of100, wakeSeconds }) => {
    const tailMs = getTailMs({ wakesMs: [wakeSeconds * 1_000], gapsMs });
    return (Math.min(tailMs, awayHoldMs) * of100) / 100;
  });
  return tails.reduce((sum, ms) => sum + ms, 0) / 1_000;
}
