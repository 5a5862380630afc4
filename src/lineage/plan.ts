import { ORDER, StaleState, stale, step } from '../catalog/plan/step.ts';
import type { Step } from '../graph/commit.ts';
import { encodeProperty } from '../graph/property.ts';
import { splitFqn } from '../model/name.ts';
import { type End, isColumnKey, keysAt } from './columns.ts';
import { type Assertion, contentText, detailsText, type EdgeState, type Merged } from './edge.ts';
import { merge, type Pair, pairsOf } from './merge.ts';
import {
  closeAssertions,
  closeColumns,
  closeEdges,
  confirmAssertions,
  createAssertions,
  linkColumns,
  linkParts,
  putEdges,
} from './queries.ts';

/** An edge as it is to be, beside what it was. */
export type EdgeChange = {
  readonly edgeId: string;
  readonly from: End;
  readonly to: End;
  readonly before: EdgeState | undefined;
  /** What sources say from now on; nobody says anything of an edge that ends. */
  readonly assertions: readonly Assertion[];
  readonly now: number;
  /** The keys of columns that are newly named, by their names. */
  readonly fromKeys: ReadonlyMap<string, string>;
  readonly toKeys: ReadonlyMap<string, string>;
};

/** An edge, and when something is said of it. */
type Place = { readonly edgeId: string; readonly fromId: string; readonly toId: string; readonly now: number };

export const assertionRow = ({ edgeId, fromId, toId, now }: Place, { id, content, ...said }: Assertion) => ({
  properties: {
    id,
    edgeId,
    fromId,
    toId,
    source: said.source,
    since: encodeProperty(said.since),
    order: encodeProperty(said.order),
    createdAt: encodeProperty(said.createdAt),
    createdBy: said.createdBy,
    updatedAt: encodeProperty(said.updatedAt),
    updatedBy: said.updatedBy,
    seenAt: encodeProperty(now),
    pipelineId: content.pipelineId ?? null,
    contentJson: contentText(content),
  },
});

/** Whether anybody says anything anew. Where somebody only takes back what they said, nobody confirms the rest. */
const isSaidAnew = ({ before, assertions }: EdgeChange): boolean =>
  assertions.some(({ id }) => !before?.assertions.some((known) => known.id === id));

const edgeRow = (change: EdgeChange, merged: Merged) => {
  const { edgeId, from, to, before, now } = change;
  return {
    from: from.id,
    to: to.id,
    revision: encodeProperty(before?.revision ?? 0),
    changes: {
      ...(before ? {} : { id: edgeId, since: encodeProperty(now) }),
      ...(isSaidAnew(change) ? { seenAt: encodeProperty(now) } : {}),
      source: merged.source,
      pipelineId: merged.pipelineId ?? null,
      detailsJson: detailsText(merged),
    },
  };
};

/** What may stand at one end of a pair of columns: keys of columns, or the name of a record that stands for one. */
const endsOf = (end: End, name: string): readonly string[] => {
  const path = splitFqn(name);
  return [...keysAt(end, path), ...(end.kind.tracedParts && path.length === 1 ? path : [])];
};

const closingPairs = ({ from, to }: EdgeChange, pairs: readonly Pair[]): string[] =>
  pairs.flatMap((pair) =>
    endsOf(from, pair.from).flatMap((one) => endsOf(to, pair.to).map((other) => `${one}\n${other}`)),
  );

const keyOf = (keys: ReadonlyMap<string, string>, name: string): string => {
  const key = keys.get(name);
  // A name that was found when the edge was read and is not known now belongs to a column that changed since.
  if (key === undefined) throw new StaleState(`the column ${name} changed since it was read`);
  return key;
};

const pairSteps = (change: EdgeChange, merged: Merged): Step[] => {
  const { edgeId, before, now } = change;
  const old = pairsOf((before && merge(before.assertions))?.mappings ?? []);
  const fresh = pairsOf(merged.mappings);
  const added = [...fresh].flatMap(([key, pair]) => (old.has(key) ? [] : [pair]));
  const gone = [...old].flatMap(([key, pair]) => (fresh.has(key) ? [] : [pair]));
  const pairs = added.map(({ from, to }) => [keyOf(change.fromKeys, from), keyOf(change.toKeys, to)] as const);
  const columns = pairs.filter(([from, to]) => isColumnKey(from) && isColumnKey(to));
  const parts = pairs.filter(([from, to]) => !isColumnKey(from) || !isColumnKey(to));
  const since = encodeProperty(now);
  return [
    step(
      closeColumns,
      ORDER.unlink,
      gone.length > 0 ? [{ edgeId, until: since, pairs: closingPairs(change, gone) }] : [],
    ),
    step(linkColumns, ORDER.link, columns.length > 0 ? [{ edgeId, since, pairs: columns }] : [], stale),
    step(linkParts, ORDER.link, parts.length > 0 ? [{ edgeId, since, pairs: parts }] : [], stale),
  ];
};

const assertionSteps = (change: EdgeChange): Step[] => {
  const { edgeId, from, to, before, assertions, now } = change;
  const place = { edgeId, fromId: from.id, toId: to.id, now };
  const old = new Set(before?.assertions.map(({ id }) => id));
  const kept = new Set(assertions.map(({ id }) => id));
  const until = encodeProperty(now);
  return [
    step(
      closeAssertions,
      ORDER.unlink,
      [...old].filter((id) => !kept.has(id)).map((id) => ({ id, until })),
      stale,
    ),
    step(
      createAssertions,
      ORDER.link,
      assertions.filter(({ id }) => !old.has(id)).map((assertion) => assertionRow(place, assertion)),
    ),
  ];
};

/** No two writes of one batch are about one edge. */
export const edgeKey = (from: string, to: string): string => `feeds ${from} ${to}`;

/** The steps that make an edge what it is to be. */
export const planEdge = (change: EdgeChange): Step[] => {
  const { from, to, before, edgeId, now } = change;
  const merged = merge(change.assertions);
  if (merged) {
    return [
      step(putEdges, ORDER.lock, [edgeRow(change, merged)], stale),
      ...assertionSteps(change),
      ...pairSteps(change, merged),
    ];
  }
  const until = encodeProperty(now);
  const row = { from: from.id, to: to.id, revision: encodeProperty(before?.revision ?? 0), until };
  return [
    step(closeEdges, ORDER.lock, [row], stale),
    ...assertionSteps(change),
    step(closeColumns, ORDER.unlink, [{ edgeId, until, pairs: null }]),
  ];
};

/** What is said once more is remembered as said, and nothing else. */
export const planConfirmation = (from: string, to: string, assertionId: string, now: number): Step[] => [
  step(confirmAssertions, ORDER.lock, [{ id: assertionId, from, to, seenAt: encodeProperty(now) }]),
];
