import { instantAt, type TimeZone, UTC, wallClockAt } from '../../contracts/validation/time-zone.ts';
import { DAY_MS } from '../../model/time.ts';
import type { AgreedLevel } from './service-levels.ts';
import type { Way } from './ways.ts';

/** Compares what is promised at the end of a way with what was agreed along it. */

/** A promise in seconds, what stands upstream of it, and whether it can hold; null where nobody promised. */
export type PromiseCheck = {
  readonly promised: number | null;
  readonly upstream: number | null;
  readonly holds: boolean | null;
};

export type JudgedWay = {
  readonly path: Way;
  readonly uncovered: Way;
  readonly freshness: PromiseCheck;
  readonly availability: PromiseCheck;
};

/** The time of day of a service level on the clock of a zone, in seconds after midnight. */
type SecondsOfDay = (level: AgreedLevel, zone: TimeZone) => number | undefined;

const computeSecondsOfDay = ({ availableAt }: AgreedLevel, zone: TimeZone, now: number): number | undefined => {
  if (!availableAt) return undefined;
  const midnight = Math.floor(wallClockAt(availableAt.zone, now) / DAY_MS) * DAY_MS;
  const wall = wallClockAt(zone, instantAt(availableAt.zone, midnight + availableAt.minutes * 60_000));
  return (wall - Math.floor(wall / DAY_MS) * DAY_MS) / 1000;
};

/** Tells times of day as they are today. Each is computed once per clock, since contracts lie on many ways. */
export const createSecondsOfDay = (now: number): SecondsOfDay => {
  const known = new Map<TimeZone, Map<AgreedLevel, number | undefined>>();
  return (level, zone) => {
    const onClock = known.get(zone) ?? new Map();
    known.set(zone, onClock);
    if (!onClock.has(level)) onClock.set(level, computeSecondsOfDay(level, zone, now));
    return onClock.get(level);
  };
};

/** The service levels that count for a question. */
export type Agreements = {
  /** That of the data product itself. */
  readonly product: AgreedLevel | undefined;
  readonly levels: ReadonlyMap<string, AgreedLevel>;
  readonly secondsOfDay: SecondsOfDay;
};

const compare = (promised: number | undefined, upstream: number | undefined): PromiseCheck => ({
  promised: promised ?? null,
  upstream: upstream ?? null,
  holds: promised === undefined || upstream === undefined ? null : upstream <= promised,
});

/** The service levels along a way, each contract once. */
const levelsAlong = (way: Way, levels: Agreements['levels']): readonly AgreedLevel[] => {
  const seen = new Set<string>();
  return way.flatMap((id) => {
    const level = levels.get(id);
    if (!level || seen.has(level.contractId)) return [];
    seen.add(level.contractId);
    return level;
  });
};

/** Those who may promise at the end of a way, the first of them first, and the service levels along it. */
type Parties = { readonly last: readonly (AgreedLevel | undefined)[]; readonly along: readonly AgreedLevel[] };

/** Returns who promises at the end, and who else promises along the way. */
const partiesOf = ({ last, along }: Parties, promises: (level: AgreedLevel) => boolean) => {
  const promising = last.find((level) => level && promises(level));
  return {
    promising,
    upstream: along.filter((level) => level.contractId !== promising?.contractId && promises(level)),
  };
};

const judgeFreshness = (parties: Parties): PromiseCheck => {
  const { promising, upstream } = partiesOf(parties, ({ delay }) => delay !== undefined);
  const sum = upstream.reduce((seconds, { delay = 0 }) => seconds + delay, 0);
  return compare(promising?.delay, upstream.length === 0 ? undefined : sum);
};

const judgeAvailability = (parties: Parties, secondsOfDay: SecondsOfDay): PromiseCheck => {
  const { promising, upstream } = partiesOf(parties, ({ availableAt }) => availableAt !== undefined);
  const zone = promising?.availableAt?.zone ?? UTC;
  const times = upstream.flatMap((level) => secondsOfDay(level, zone) ?? []);
  const promised = promising && secondsOfDay(promising, zone);
  return compare(promised, times.length === 0 ? undefined : Math.max(...times));
};

/** Judges a way. The product promises before the last asset does. */
export const judgeWay = (path: Way, { product, levels, secondsOfDay }: Agreements): JudgedWay => {
  const parties = { last: [product, levels.get(path.at(-1) ?? '')], along: levelsAlong(path, levels) };
  return {
    path,
    uncovered: path.filter((id) => !levels.has(id)),
    freshness: judgeFreshness(parties),
    availability: judgeAvailability(parties, secondsOfDay),
  };
};

export const isBroken = ({ freshness, availability }: Pick<JudgedWay, 'freshness' | 'availability'>): boolean =>
  freshness.holds === false || availability.holds === false;
