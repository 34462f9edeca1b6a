// The made-up teams of the simulation of idle tails. Every number is an assumption, and
// `docs/cost.md` lists them. Nobody has counted how people work with agents, so the numbers follow
// `bench/lib/team-month.ts`: twenty turns a day, half of which are followed by a message soon.

export const teams = 40;
export const peoplePerTeam = 10;
export const workDays = 21;
/** Per person and day. Each has ten turns. */
export const sessionsPerDay = 2;
export const turnsPerSession = 10;

/** The kinds of projects: how many of a hundred teams have one, and how long its sandbox wakes. */
export const projects: { of100: number; wakeSeconds: number }[] = [
  { of100: 50, wakeSeconds: 0.3 },
  { of100: 25, wakeSeconds: 1.5 },
  { of100: 15, wakeSeconds: 5 },
  { of100: 10, wakeSeconds: 10 },
];
/** How far the wakes of one kind of project differ, and those of one project: lognormal. */
export const projectSpread = 0.3;
export const wakeSpread = 0.2;

/** A time in seconds: its median, and how far it spreads, lognormal. */
export interface Duration {
  median: number;
  spread: number;
}

/** The share of messages that follow soon: of each person another one between these. */
export const soonShare = { least: 0.25, most: 0.75 };
/** Of the other messages, the share that come after other work. The rest comes much later. */
export const laterShare = 0.6;
/** From the end of a turn to the next message. */
export const soon: Duration = { median: 190, spread: 0.65 };
export const later: Duration = { median: 1_200, spread: 0.7 };
export const muchLater: Duration = { median: 9_000, spread: 0.9 };

/** How long after a page went out of sight its chat is no longer followed. */
export const hiddenSeconds = 30;
/** How long a turn works: as the standard turn. */
export { turnSeconds } from "./standard-turn.ts";

/** The share of turns whose session is in front of a person when they end. */
export const watchedShare = 0.5;
/** How long a person then reads before the tab goes into the background. */
export const reading: Duration = { median: 60, spread: 0.8 };
/** The share of those who stay until their next message, if that follows within four minutes. */
export const stayingShare = 0.5;
export const longestStaySeconds = 240;

/** The share of messages that are typed in the console. The others come from programs. */
export const typedShare = 0.8;
/** How long a session is in front before a message, and in which part of that a person types. */
export const composing: Duration = { median: 30, spread: 0.7 };
export const typingShare = 0.6;

/** The share of gaps in which a message is started and left, and how far into the gap that is. */
export const abandonedShare = 0.1;
export const abandonedAfter = 0.5;

/**
 * Where a message is sent before its sandbox is awake, the console sends it again until it is
 * taken. That makes the rest of the wait so much longer.
 */
export const resendFactor = 1.3;
