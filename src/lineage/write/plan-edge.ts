import { createStep, STEP_ORDER, StaleStateError, staleStateError } from '../../catalog/plan/step.ts';
import { planCount, planRecount } from '../../catalog/plan/supplies.ts';
import { encodeProperty } from '../../graph/encode-property.ts';
import type { WriteStep } from '../../graph/group-commit.ts';
import { splitFqn } from '../../model/name.ts';
import { columnKeysAt, type EndpointIdentity, isColumnKey } from '../column-mappings.ts';
import { type Assertion, type EdgeState, type MergedEdge, serializeContent, serializeDetails } from '../edge.ts';
import { columnPairsOf, type MappedColumnPair, mergeAssertions } from '../merge-assertions.ts';
import {
  closeAssertions,
  closeColumns,
  closeEdges,
  confirmAssertions,
  linkColumns,
  linkParts,
  putEdges,
} from '../queries.ts';

/** The target state of an edge, together with its previous state. */
export type EdgeChange = {
  readonly edgeId: string;
  readonly from: EndpointIdentity;
  readonly to: EndpointIdentity;
  readonly before: EdgeState | undefined;
  /** The assertions from now on; an edge that ends has none. */
  readonly assertions: readonly Assertion[];
  /** From when on the edge is as it becomes. */
  readonly now: number;
  /** When this was told, which confirms what is asserted. */
  readonly toldAt: number;
  /** The keys of newly named columns, by name. */
  readonly fromKeys: ReadonlyMap<string, string>;
  readonly toKeys: ReadonlyMap<string, string>;
};

/** An edge and when an assertion about it was told. */
type AssertionStamp = {
  readonly edgeId: string;
  readonly fromId: string;
  readonly toId: string;
  readonly toldAt: number;
};

export const assertionProperties = (
  { edgeId, fromId, toId, toldAt }: AssertionStamp,
  { id, content, ...said }: Assertion,
) => ({
  id,
  edgeId,
  fromId,
  toId,
  source: said.source,
  sourceName: said.sourceName ?? null,
  since: encodeProperty(said.since),
  order: encodeProperty(said.order),
  createdAt: encodeProperty(said.createdAt),
  createdBy: said.createdBy,
  updatedAt: encodeProperty(said.updatedAt),
  updatedBy: said.updatedBy,
  seenAt: encodeProperty(toldAt),
  pipelineId: content.pipelineId ?? null,
  contentJson: serializeContent(content),
});

const listNewAssertions = ({ before, assertions }: EdgeChange): readonly Assertion[] =>
  assertions.filter(({ id }) => !before?.assertions.some((known) => known.id === id));

const edgeRow = (change: EdgeChange, merged: MergedEdge) => {
  const { edgeId, from, to, before, now, toldAt } = change;
  const asserted = listNewAssertions(change);
  const stamp = { edgeId, fromId: from.id, toId: to.id, toldAt };
  return {
    from: from.id,
    to: to.id,
    revision: encodeProperty(before?.revision ?? 0),
    changes: {
      ...(before ? {} : { id: edgeId, since: encodeProperty(now) }),
      // A change that only withdraws assertions does not confirm the remaining ones.
      ...(asserted.length > 0 ? { seenAt: encodeProperty(toldAt) } : {}),
      source: merged.source,
      pipelineId: merged.pipelineId ?? null,
      detailsJson: serializeDetails(merged),
    },
    assertions: asserted.map((assertion) => assertionProperties(stamp, assertion)),
  };
};

/** Returns the possible ends of a column pair: column keys, or the name of a record that represents a column. */
const possibleColumnKeys = (end: EndpointIdentity, name: string): readonly string[] => {
  const path = splitFqn(name);
  return [...columnKeysAt(end, path), ...(end.kind.lineageParts && path.length === 1 ? path : [])];
};

/** Returns the labels that the stored column pairs of mapped columns may have. */
export const columnPairLabels = (
  from: EndpointIdentity,
  to: EndpointIdentity,
  pairs: readonly MappedColumnPair[],
): string[] =>
  pairs.flatMap((pair) =>
    possibleColumnKeys(from, pair.from).flatMap((one) =>
      possibleColumnKeys(to, pair.to).map((other) => `${one}\n${other}`),
    ),
  );

const requireColumnKey = (keys: ReadonlyMap<string, string>, name: string): string => {
  const key = keys.get(name);
  // The name resolved when the edge was read but does not now, so the column was changed meanwhile.
  if (key === undefined) throw new StaleStateError(`the column ${name} changed since it was read`);
  return key;
};

const planPairSteps = (change: EdgeChange, merged: MergedEdge): WriteStep[] => {
  const { edgeId, before, now } = change;
  const old = columnPairsOf((before && mergeAssertions(before.assertions))?.mappings ?? []);
  const fresh = columnPairsOf(merged.mappings);
  const added = [...fresh].flatMap(([key, pair]) => (old.has(key) ? [] : [pair]));
  const removed = [...old].flatMap(([key, pair]) => (fresh.has(key) ? [] : [pair]));
  const pairs = added.map(
    ({ from, to }) => [requireColumnKey(change.fromKeys, from), requireColumnKey(change.toKeys, to)] as const,
  );
  const columns = pairs.filter(([from, to]) => isColumnKey(from) && isColumnKey(to));
  const parts = pairs.filter(([from, to]) => !isColumnKey(from) || !isColumnKey(to));
  const since = encodeProperty(now);
  return [
    createStep(
      closeColumns,
      STEP_ORDER.unlink,
      removed.length > 0 ? [{ edgeId, until: since, pairs: columnPairLabels(change.from, change.to, removed) }] : [],
    ),
    createStep(
      linkColumns,
      STEP_ORDER.link,
      columns.length > 0 ? [{ edgeId, since, pairs: columns }] : [],
      staleStateError,
    ),
    createStep(linkParts, STEP_ORDER.link, parts.length > 0 ? [{ edgeId, since, pairs: parts }] : [], staleStateError),
  ];
};

const planClosedAssertions = ({ before, assertions, now }: EdgeChange): WriteStep => {
  const kept = new Set(assertions.map(({ id }) => id));
  const until = encodeProperty(now);
  const closed = (before?.assertions ?? []).filter(({ id }) => !kept.has(id));
  return createStep(
    closeAssertions,
    STEP_ORDER.unlink,
    closed.map(({ id }) => ({ id, until })),
    staleStateError,
  );
};

/** Builds the key that keeps two writes to the same edge out of one batch. */
export const edgeLockKey = (from: string, to: string): string => `feeds ${from} ${to}`;

/** An edge counts once, and for the service of its pipeline. */
const planCountOfEdge = ({ from, to, before }: EdgeChange, merged: MergedEdge | undefined): WriteStep[] => {
  if (!before) return [planCount()];
  const isSame = merged && merged.pipelineId === mergeAssertions(before.assertions)?.pipelineId;
  return isSame ? [] : planRecount([], [{ from: from.id, to: to.id }]);
};

/** Plans the write steps that bring an edge to its target state. */
export const planEdgeChange = (change: EdgeChange): WriteStep[] => {
  const { from, to, before, edgeId, now } = change;
  const merged = mergeAssertions(change.assertions);
  if (merged) {
    return [
      createStep(putEdges, STEP_ORDER.lock, [edgeRow(change, merged)], staleStateError),
      planClosedAssertions(change),
      ...planPairSteps(change, merged),
      ...planCountOfEdge(change, merged),
    ];
  }
  const until = encodeProperty(now);
  const row = { from: from.id, to: to.id, revision: encodeProperty(before?.revision ?? 0), until };
  return [
    createStep(closeEdges, STEP_ORDER.lock, [row], staleStateError),
    planClosedAssertions(change),
    createStep(closeColumns, STEP_ORDER.unlink, [{ edgeId, until, pairs: null }]),
    ...planCountOfEdge(change, merged),
  ];
};

/** Plans the update of the confirmation time when a source repeats an unchanged assertion. */
export const planConfirmation = (from: string, to: string, assertionId: string, now: number): WriteStep[] => [
  createStep(confirmAssertions, STEP_ORDER.lock, [{ id: assertionId, from, to, seenAt: encodeProperty(now) }]),
];
