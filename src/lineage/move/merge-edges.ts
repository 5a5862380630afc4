import { randomUUID } from 'node:crypto';
import { type ColumnNameMapper, renameMappings } from '../column-mappings.ts';
import {
  type Assertion,
  type AssertionContent,
  buildContent,
  isSameAsserter,
  isSameAssertionContent,
  type MergedEdge,
  type RawProperties,
} from '../edge.ts';
import { mergeAssertions } from '../merge-assertions.ts';

/** Merges the edges that a record brings along with those of the record that takes its place. */

/** An assertion of the present or the past. */
export type StoredAssertion = Assertion & {
  /** Absent while the assertion holds. */
  readonly until: number | undefined;
  readonly seenAt: number;
};

/** An edge of the present or the past with everything that was ever asserted about it. */
export type StoredEdge = {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly since: number;
  /** Absent while the edge holds. */
  readonly until: number | undefined;
  readonly properties: RawProperties;
  readonly assertions: readonly StoredAssertion[];
};

/** The records that an edge is moved between, and what becomes of the names of the columns of the first. */
export type EdgeMove = { readonly source: string; readonly target: string; readonly rename: ColumnNameMapper };

/** An edge as it is after a move: one that joined nothing else, or several that overlapped in time. */
export type MovedEdge = StoredEdge & {
  /** What the edge says now; absent for past edges. */
  readonly merged: MergedEdge | undefined;
  /** The edges that it takes the place of. */
  readonly replaced: readonly StoredEdge[];
};

const keepName: ColumnNameMapper = (name) => name;

const redirectEdge = (edge: StoredEdge, { source, target, rename }: EdgeMove): StoredEdge => {
  const isFrom = edge.from === source;
  const [from, to] = isFrom ? [rename, keepName] : [keepName, rename];
  return {
    ...edge,
    from: isFrom ? target : edge.from,
    to: isFrom ? edge.to : target,
    assertions: edge.assertions.map((assertion) => {
      const { mappings } = assertion.content;
      return { ...assertion, content: { ...assertion.content, mappings: renameMappings(mappings, from, to) } };
    }),
  };
};

const endOf = ({ until }: { readonly until: number | undefined }): number => until ?? Number.POSITIVE_INFINITY;

/** Groups the edges of one pair of records whose times overlap, because at no time may a pair have two. */
const groupOverlapping = (edges: readonly StoredEdge[]): StoredEdge[][] => {
  const groups: StoredEdge[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const edge of [...edges].sort((one, other) => one.since - other.since)) {
    if (edge.since < end) groups.at(-1)?.push(edge);
    else groups.push([edge]);
    end = Math.max(end, endOf(edge));
  }
  return groups;
};

/** What a newer assertion of an asserter omits keeps its earlier value, as when the source repeats itself. */
const completeContent = (newer: AssertionContent, older: AssertionContent): AssertionContent =>
  buildContent({ ...older, ...newer, mappings: newer.mappings.length > 0 ? newer.mappings : older.mappings });

const byTime = (one: StoredAssertion, other: StoredAssertion): number =>
  one.since - other.since || one.order - other.order;

/** Leaves one present assertion per asserter: the newest, with what the others add; the others end where it begins. */
const uniteAsserter = (same: readonly StoredAssertion[], now: number): readonly StoredAssertion[] => {
  const sorted = [...same].sort(byTime);
  const newest = sorted.pop();
  if (!newest || sorted.length === 0) return same;
  const content = sorted.reduceRight((sum, { content: older }) => completeContent(sum, older), newest.content);
  const first = [newest, ...sorted].reduce((one, other) => (other.createdAt < one.createdAt ? other : one));
  const authorship = { createdAt: first.createdAt, createdBy: first.createdBy };
  const ended = sorted.map((one) => ({ ...one, until: Math.max(one.since, newest.since) }));
  if (isSameAssertionContent(content, newest.content)) return [...ended, { ...newest, ...authorship }];
  const united = { ...newest, ...authorship, id: randomUUID(), since: now, content };
  return [...ended, { ...newest, until: now }, united];
};

const uniteAssertions = (edges: readonly StoredEdge[], isLive: boolean, now: number): readonly StoredAssertion[] => {
  const all = edges.flatMap(({ assertions }) => assertions);
  const past = all.filter(({ until }) => until !== undefined);
  const present = all.filter(({ until }) => until === undefined);
  const firsts = present.filter((one, at) => present.findIndex((other) => isSameAsserter(one, other)) === at);
  const united = firsts.flatMap((first) =>
    uniteAsserter(
      present.filter((one) => isSameAsserter(one, first)),
      now,
    ),
  );
  const kept = isLive ? united : present.map((one) => ({ ...one, until: now }));
  // The orders of two edges cannot be compared, so the assertions are numbered anew in the order of their times.
  return [...past, ...kept].sort(byTime).map((one, at) => ({ ...one, order: at + 1 }));
};

/** The edge that the others join: a present one of the target if there is any, otherwise another present or a past one. */
const chooseBase = (group: readonly StoredEdge[], own: ReadonlySet<StoredEdge>): StoredEdge | undefined => {
  const live = group.filter(({ until }) => until === undefined);
  return live.find((edge) => own.has(edge)) ?? live[0] ?? group.find((edge) => own.has(edge)) ?? group[0];
};

const numberOf = (edge: StoredEdge, name: string): number => Number(edge.properties[name] ?? 0);

const mergeGroup = (
  group: readonly StoredEdge[],
  replaced: readonly StoredEdge[],
  base: StoredEdge,
  now: number,
): MovedEdge => {
  const isLive = group.some(({ until }) => until === undefined);
  const until = isLive ? undefined : Math.max(...group.map(endOf));
  const assertions = uniteAssertions(group, isLive, now);
  const revision = Math.max(assertions.length, ...group.map((edge) => numberOf(edge, 'revision'))) + 1;
  const seenAt = Math.max(...group.map((edge) => numberOf(edge, 'seenAt')));
  return {
    ...base,
    since: Math.min(...group.map(({ since }) => since)),
    until,
    properties: { ...base.properties, revision, seenAt },
    assertions,
    merged: isLive ? mergeAssertions(assertions.filter((one) => one.until === undefined)) : undefined,
    replaced,
  };
};

/** Ends an edge between a record and the one that takes its place, since that would be an edge to itself. */
const endEdge = (edge: StoredEdge, now: number): MovedEdge => ({
  ...edge,
  until: now,
  assertions: edge.assertions.map((one) => ({ ...one, until: one.until ?? now })),
  merged: undefined,
  replaced: [edge],
});

/** Plans how the edges of one record become those of another that may have edges to the same neighbours. */
export const mergeEdges = (
  moving: readonly StoredEdge[],
  present: readonly StoredEdge[],
  move: EdgeMove,
  now: number,
): readonly MovedEdge[] => {
  const between = moving.filter(({ from, to }) => from === move.target || to === move.target);
  const redirected = new Map(
    moving.flatMap((edge) => (between.includes(edge) ? [] : [[redirectEdge(edge, move), edge] as const])),
  );
  const own = new Set(present);
  const pairs = new Map<string, StoredEdge[]>();
  for (const edge of [...redirected.keys(), ...present]) {
    const key = `${edge.from} ${edge.to}`;
    pairs.set(key, [...(pairs.get(key) ?? []), edge]);
  }
  const moved = [...pairs.values()].flatMap(groupOverlapping).flatMap((group) => {
    const base = chooseBase(group, own);
    if (!base || group.every((edge) => own.has(edge))) return [];
    return [
      mergeGroup(
        group,
        group.map((edge) => redirected.get(edge) ?? edge),
        base,
        now,
      ),
    ];
  });
  return [...between.filter(({ until }) => until === undefined).map((edge) => endEdge(edge, now)), ...moved];
};
