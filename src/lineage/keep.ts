import { randomUUID } from 'node:crypto';
import type { ColumnKeeper, Engine } from '../catalog/engine.ts';
import type { ColumnMoves } from '../catalog/plan/columns.ts';
import { ORDER, stale, step } from '../catalog/plan/step.ts';
import type { Graph } from '../graph/client.ts';
import type { Step, Write } from '../graph/commit.ts';
import { encodeProperty } from '../graph/property.ts';
import { fqnPart } from '../model/name.ts';
import { isColumnKey } from './columns.ts';
import {
  type Assertion,
  contentText,
  decodeAssertion,
  detailsText,
  type Mapping,
  type Merged,
  type Stored,
} from './edge.ts';
import { merge } from './merge.ts';
import { assertionRow, edgeKey } from './plan.ts';
import {
  closeAssertions,
  closeParts,
  confirmCounts,
  countTouching,
  createAssertions,
  putEdges,
  readTouching,
  type TouchingRow,
  updateAssertions,
} from './queries.ts';

/** What columns are called from now on; undefined for those that go. */
type Renaming = (name: string) => string | undefined;

const renamingBy = ({
  removed,
  renamed,
}: Pick<ColumnMoves, 'removed'> & {
  readonly renamed: readonly { readonly name: string; readonly to: string }[];
}): Renaming => {
  const names = new Map<string, string | undefined>(renamed.map(({ name, to }) => [name, to]));
  for (const { name } of removed) names.set(name, undefined);
  return (name) => (names.has(name) ? names.get(name) : name);
};

/** Mappings after columns at one end have moved: what is left without an origin or a target goes. */
const movedMappings = (mappings: readonly Mapping[], from: Renaming, to: Renaming): readonly Mapping[] =>
  mappings.flatMap((mapping) => {
    const target = to(mapping.to);
    const origins = mapping.from.flatMap((name) => from(name) ?? []);
    return target === undefined || origins.length === 0 ? [] : [{ ...mapping, from: origins, to: target }];
  });

const isSame = (a: readonly Mapping[], b: readonly Mapping[]): boolean => JSON.stringify(a) === JSON.stringify(b);

const keeping: Renaming = (name) => name;

type Said = Assertion & { readonly holds: boolean };

const saidIn = ({ assertions }: TouchingRow): readonly Said[] =>
  assertions.map((node: Stored) => ({ ...decodeAssertion(node), holds: (node['until'] ?? null) === null }));

/** Names change for the past as well; what goes, goes from now on. */
type Moves = { readonly renames: Renaming; readonly all: Renaming };

type Ends = { readonly from: Moves; readonly to: Moves };

const UNMOVED: Moves = { renames: keeping, all: keeping };

const mappedBy = (ends: Ends, which: keyof Moves, { content }: Assertion): Assertion['content'] => ({
  ...content,
  mappings: movedMappings(content.mappings, ends.from[which], ends.to[which]),
});

const edgeSteps = (row: TouchingRow, ends: Ends, now: number): Step[] => {
  const { fromId, toId, edge } = row;
  const all = saidIn(row);
  const renamed = all.map((said) => ({ ...said, content: mappedBy(ends, 'renames', said) }));
  const rewritten = renamed.filter((said, at) => !isSame(said.content.mappings, all[at]?.content.mappings ?? []));
  const live = all.filter(({ holds }) => holds);
  const after = live.map((said) => ({ said, content: mappedBy(ends, 'all', said) }));
  const shrunk = after.filter(({ said, content }) => {
    const known = renamed.find(({ id }) => id === said.id);
    return known !== undefined && !isSame(content.mappings, known.content.mappings);
  });
  const successors = new Map(
    shrunk.map(({ said, content }) => [said.id, { ...said, id: randomUUID(), since: now, content }]),
  );
  const merged = merge(after.map(({ said, content }) => successors.get(said.id) ?? { ...said, content }));
  const edgeId = edge['id'] as string;
  const until = encodeProperty(now);
  const place = { edgeId, fromId, toId, now };
  return [
    step(
      updateAssertions,
      ORDER.unlink,
      rewritten.map(({ id, content }) => ({ id, contentJson: contentText(content) })),
    ),
    step(
      closeAssertions,
      ORDER.unlink,
      [...successors.keys()].map((id) => ({ id, until })),
      stale,
    ),
    step(
      createAssertions,
      ORDER.link,
      [...successors.values()].map((said) => assertionRow(place, said)),
    ),
    step(
      putEdges,
      ORDER.lock,
      [
        {
          from: fromId,
          to: toId,
          revision: encodeProperty(edge['revision']),
          changes: { detailsJson: detailsText(merged as Merged) },
        },
      ],
      stale,
    ),
  ];
};

const partSteps = (row: TouchingRow, partIds: readonly string[], now: number): Step[] => {
  const pairs = { edgeId: row.edge['id'], until: encodeProperty(now) };
  return [
    step(
      closeParts,
      ORDER.unlink,
      partIds.map((partId) => ({ ...pairs, partId })),
    ),
  ];
};

const confirmation = (counts: readonly { readonly key: string; readonly count: number }[]): Step =>
  step(
    confirmCounts,
    ORDER.countColumns,
    counts.map(({ key, count }) => ({ key, count: encodeProperty(count) })),
    stale,
  );

/**
 * Keeps edges of lineage true when columns of a record move or go: mappings bear the new names, and what mapped a column
 * that goes is forgotten from now on. It happens in the transaction of the record's own change, which starts again when
 * somebody joined one of the columns to others meanwhile.
 */
export const createColumnKeeper =
  (graph: Graph, clock: () => number): ColumnKeeper =>
  async (_engine, _writer, { id }, moves): Promise<Write> => {
    const keys = [...moves.removed, ...moves.renamed].map(({ key }) => key);
    if (keys.length === 0) return { keys: [], steps: [] };
    const [counts, found] = await Promise.all([
      graph.read(countTouching, { keys }),
      graph.read(readTouching, { keys }),
    ]);
    const now = clock();
    // A chart may be shown by several dashboards, and only one of them has changed.
    const rows = found.filter(({ fromId, toId }) => fromId === id || toId === id);
    const own: Moves = { renames: renamingBy({ removed: [], renamed: moves.renamed }), all: renamingBy(moves) };
    const parts = moves.removed.flatMap(({ key }) => (isColumnKey(key) ? [] : [key]));
    return {
      keys: rows.map(({ fromId, toId }) => edgeKey(fromId, toId)),
      steps: [
        confirmation(counts),
        ...rows.flatMap((row) => [
          ...edgeSteps(row, { from: row.fromId === id ? own : UNMOVED, to: row.toId === id ? own : UNMOVED }, now),
          ...partSteps(row, parts, now),
        ]),
      ],
    };
  };

/**
 * Keeps edges of lineage true when records that stand for columns of others are removed for good: mappings forget them, in
 * the transaction that removes them. Edges of what goes with them go anyhow.
 */
export const createPartKeeper =
  (graph: Graph, clock: () => number): Engine['partsGone'] =>
  async (parts, going): Promise<Write> => {
    const keys = parts.map(({ id }) => id);
    const [counts, found] = await Promise.all([
      graph.read(countTouching, { keys }),
      graph.read(readTouching, { keys }),
    ]);
    const now = clock();
    const names = new Map(parts.map(({ id, name }) => [id, fqnPart(name)]));
    const rows = found.filter(({ fromId, toId }) => !going.has(fromId) && !going.has(toId));
    const without = ({ joined }: TouchingRow, side: boolean): Moves => {
      const removed = joined.flatMap(([key, isFrom]) => (isFrom === side ? [{ key, name: names.get(key) ?? '' }] : []));
      return { renames: keeping, all: renamingBy({ removed, renamed: [] }) };
    };
    return {
      keys: rows.map(({ fromId, toId }) => edgeKey(fromId, toId)),
      steps: [
        confirmation(counts),
        ...rows.flatMap((row) => edgeSteps(row, { from: without(row, true), to: without(row, false) }, now)),
      ],
    };
  };
