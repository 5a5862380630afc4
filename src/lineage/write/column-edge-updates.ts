import { randomUUID } from 'node:crypto';
import type { ColumnChangeHook, Engine } from '../../catalog/engine.ts';
import type { ColumnChanges } from '../../catalog/plan/columns.ts';
import { createStep, STEP_ORDER, staleStateError } from '../../catalog/plan/step.ts';
import type { Graph } from '../../graph/client.ts';
import { encodeProperty } from '../../graph/encode-property.ts';
import type { WriteRequest, WriteStep } from '../../graph/group-commit.ts';
import { fqnPart } from '../../model/name.ts';
import { type ColumnNameMapper, isColumnKey, renameMappings } from '../column-mappings.ts';
import {
  type Assertion,
  type ColumnMapping,
  decodeAssertion,
  type MergedEdge,
  type RawProperties,
  serializeContent,
  serializeDetails,
} from '../edge.ts';
import { mergeAssertions } from '../merge-assertions.ts';
import {
  type ColumnEdgeRow,
  closeAssertions,
  closePartEdges,
  countEdgesOfColumns,
  listEdgesOfColumns,
  lockColumnCounts,
  putEdges,
  updateAssertions,
} from '../queries.ts';
import { assertionProperties, edgeLockKey } from './plan-edge.ts';

const createNameMapper = ({
  removed,
  renamed,
}: Pick<ColumnChanges, 'removed'> & {
  readonly renamed: readonly { readonly name: string; readonly to: string }[];
}): ColumnNameMapper => {
  const names = new Map<string, string | undefined>(renamed.map(({ name, to }) => [name, to]));
  for (const { name } of removed) names.set(name, undefined);
  return (name) => (names.has(name) ? names.get(name) : name);
};

const isSameMappings = (a: readonly ColumnMapping[], b: readonly ColumnMapping[]): boolean =>
  JSON.stringify(a) === JSON.stringify(b);

const keepName: ColumnNameMapper = (name) => name;

type DecodedAssertion = Assertion & { readonly holds: boolean };

const decodeAssertions = ({ assertions }: ColumnEdgeRow): readonly DecodedAssertion[] =>
  assertions.map((node: RawProperties) => ({ ...decodeAssertion(node), holds: (node['until'] ?? null) === null }));

/** Renames apply to past assertions as well; removals apply only from now on. */
type EndpointRenames = { readonly renames: ColumnNameMapper; readonly all: ColumnNameMapper };

type EdgeRenames = { readonly from: EndpointRenames; readonly to: EndpointRenames };

const NO_RENAMES: EndpointRenames = { renames: keepName, all: keepName };

const mapContent = (ends: EdgeRenames, which: keyof EndpointRenames, { content }: Assertion): Assertion['content'] => ({
  ...content,
  mappings: renameMappings(content.mappings, ends.from[which], ends.to[which]),
});

const planEdgeSteps = (row: ColumnEdgeRow, ends: EdgeRenames, now: number): WriteStep[] => {
  const { fromId, toId, edge } = row;
  const all = decodeAssertions(row);
  const renamed = all.map((assertion) => ({ ...assertion, content: mapContent(ends, 'renames', assertion) }));
  const rewritten = renamed.filter(
    (assertion, at) => !isSameMappings(assertion.content.mappings, all[at]?.content.mappings ?? []),
  );
  const live = all.filter(({ holds }) => holds);
  const after = live.map((assertion) => ({ assertion, content: mapContent(ends, 'all', assertion) }));
  const shrunk = after.filter(({ assertion, content }) => {
    const known = renamed.find(({ id }) => id === assertion.id);
    return known !== undefined && !isSameMappings(content.mappings, known.content.mappings);
  });
  const successors = new Map(
    shrunk.map(({ assertion, content }) => [assertion.id, { ...assertion, id: randomUUID(), since: now, content }]),
  );
  const merged = mergeAssertions(
    after.map(({ assertion, content }) => successors.get(assertion.id) ?? { ...assertion, content }),
  );
  const edgeId = edge['id'] as string;
  const until = encodeProperty(now);
  const place = { edgeId, fromId, toId, toldAt: now };
  return [
    createStep(
      updateAssertions,
      STEP_ORDER.unlink,
      rewritten.map(({ id, content }) => ({ id, contentJson: serializeContent(content) })),
    ),
    createStep(
      closeAssertions,
      STEP_ORDER.unlink,
      [...successors.keys()].map((id) => ({ id, until })),
      staleStateError,
    ),
    createStep(
      putEdges,
      STEP_ORDER.lock,
      [
        {
          from: fromId,
          to: toId,
          revision: encodeProperty(edge['revision']),
          changes: { detailsJson: serializeDetails(merged as MergedEdge) },
          // Nobody has said this again: it is less of what was said before.
          assertions: [...successors.values()].map(({ seenAt, ...assertion }) => ({
            ...assertionProperties(place, assertion),
            seenAt: encodeProperty(seenAt ?? assertion.updatedAt),
          })),
        },
      ],
      staleStateError,
    ),
  ];
};

const planPartSteps = (row: ColumnEdgeRow, partIds: readonly string[], now: number): WriteStep[] => {
  const pairs = { edgeId: row.edge['id'], until: encodeProperty(now) };
  return [
    createStep(
      closePartEdges,
      STEP_ORDER.unlink,
      partIds.map((partId) => ({ ...pairs, partId })),
    ),
  ];
};

const planCountCheck = (counts: readonly { readonly key: string; readonly count: number }[]): WriteStep =>
  createStep(
    lockColumnCounts,
    STEP_ORDER.countColumns,
    counts.map(({ key, count }) => ({ key, count: encodeProperty(count) })),
    staleStateError,
  );

/**
 * Keeps lineage edges consistent when columns of a record are renamed or removed: mappings take the new names, and
 * mappings of removed columns end. It runs in the transaction of the record's own change, which is retried when one of
 * the columns was joined to others meanwhile.
 */
export const createColumnEdgeUpdater =
  (graph: Graph, clock: () => number): ColumnChangeHook =>
  async (_engine, _writer, { id }, moves): Promise<WriteRequest> => {
    const keys = [...moves.removed, ...moves.renamed].map(({ key }) => key);
    if (keys.length === 0) return { keys: [], steps: [] };
    const [counts, found] = await Promise.all([
      graph.read(countEdgesOfColumns, { keys }),
      graph.read(listEdgesOfColumns, { keys }),
    ]);
    const now = clock();
    // Several dashboards may show one chart, and only the edges of the changed dashboard are affected.
    const rows = found.filter(({ fromId, toId }) => fromId === id || toId === id);
    const own: EndpointRenames = {
      renames: createNameMapper({ removed: [], renamed: moves.renamed }),
      all: createNameMapper(moves),
    };
    const parts = moves.removed.flatMap(({ key }) => (isColumnKey(key) ? [] : [key]));
    return {
      keys: rows.map(({ fromId, toId }) => edgeLockKey(fromId, toId)),
      steps: [
        planCountCheck(counts),
        ...rows.flatMap((row) => [
          ...planEdgeSteps(
            row,
            { from: row.fromId === id ? own : NO_RENAMES, to: row.toId === id ? own : NO_RENAMES },
            now,
          ),
          ...planPartSteps(row, parts, now),
        ]),
      ],
    };
  };

/**
 * Keeps lineage edges consistent when records that represent columns are hard-deleted: it removes them from mappings in
 * the same transaction. Edges of records deleted along with them are removed by that deletion.
 */
export const createPartEdgeUpdater =
  (graph: Graph, clock: () => number): Engine['onPartsDeleted'] =>
  async (parts, going): Promise<WriteRequest> => {
    const keys = parts.map(({ id }) => id);
    const [counts, found] = await Promise.all([
      graph.read(countEdgesOfColumns, { keys }),
      graph.read(listEdgesOfColumns, { keys }),
    ]);
    const now = clock();
    const names = new Map(parts.map(({ id, name }) => [id, fqnPart(name)]));
    const rows = found.filter(({ fromId, toId }) => !going.has(fromId) && !going.has(toId));
    const without = ({ joined }: ColumnEdgeRow, side: boolean): EndpointRenames => {
      const removed = joined.flatMap(([key, isFrom]) => (isFrom === side ? [{ key, name: names.get(key) ?? '' }] : []));
      return { renames: keepName, all: createNameMapper({ removed, renamed: [] }) };
    };
    return {
      keys: rows.map(({ fromId, toId }) => edgeLockKey(fromId, toId)),
      steps: [
        planCountCheck(counts),
        ...rows.flatMap((row) => planEdgeSteps(row, { from: without(row, true), to: without(row, false) }, now)),
      ],
    };
  };
