import type { Engine } from '../../../catalog/engine.ts';
import { readNodeVisibility, type TypeVisibility, typeVisibilityOf } from '../../node-visibility.ts';
import { countNeighboursByType, listJudgedNeighbours, type NeighbourCountRow } from './queries.ts';
import type { ImpliedPairs, MapCaller } from './visible-lineage.ts';

/** The number of neighbours of a record that the caller may see. */
export type NeighbourCounts = { readonly upstream: number; readonly downstream: number };

/** The number of records counted by one query. */
const BATCH_SIZE = 1000;

/** The maximum number of neighbours whose visibility is judged at once, unless a single record has more. */
const JUDGED_BATCH = 20_000;

const groupPairs = (pairs: ImpliedPairs): ReadonlyMap<string, readonly string[]> => {
  const groups = new Map<string, Set<string>>();
  for (const [key, value] of pairs) groups.set(key, (groups.get(key) ?? new Set()).add(value));
  return new Map([...groups].map(([key, values]) => [key, [...values]]));
};

type UnjudgedCount = { readonly id: string; readonly judged: number };

/** Splits records into batches with a limited number of neighbours to judge. */
const splitByNeighbours = (all: readonly UnjudgedCount[]): readonly (readonly string[])[] => {
  const parts: string[][] = [];
  let room = 0;
  for (const { id, judged } of all) {
    room -= judged;
    const part = parts.at(-1);
    if (part && room >= 0) part.push(id);
    else {
      parts.push([id]);
      room = JUDGED_BATCH - judged;
    }
  }
  return parts;
};

/** Counts the neighbours of some records, of which some have implied neighbours without an edge between them. */
const countNeighbourBatch = async (
  engine: Engine,
  {
    principal,
    veiled: { hiddenTypes, judgedTypes },
  }: Pick<MapCaller, 'principal'> & { readonly veiled: TypeVisibility },
  ids: readonly string[],
  includeDeleted: boolean,
  { before, after }: { readonly before: ReadonlyMap<string, readonly string[]>; readonly after: typeof before },
): Promise<Map<string, NeighbourCounts>> => {
  const counting = { includeDeleted, judgedTypes };
  const counted = await engine.graph.read(countNeighboursByType, {
    ...counting,
    otherTypes: [...hiddenTypes, ...judgedTypes],
    rows: ids.map((id, at) => ({ id, at, before: before.get(id) ?? [], after: after.get(id) ?? [] })),
  });
  const idOf = ({ at }: Pick<NeighbourCountRow, 'at'>): string => ids[at] ?? '';
  const found = new Map(
    counted.map((row): [string, NeighbourCounts] => {
      const extra = (said: typeof before, known: readonly string[]) =>
        (said.get(idOf(row))?.length ?? 0) - known.length;
      return [
        idOf(row),
        {
          upstream: row.upstream + extra(before, row.before),
          downstream: row.downstream + extra(after, row.after),
        },
      ];
    }),
  );
  const unsure = counted.flatMap((row) => (row.judged > 0 ? [{ id: idOf(row), judged: row.judged }] : []));
  for (const part of splitByNeighbours(unsure)) {
    const rows = await engine.graph.read(listJudgedNeighbours, {
      ...counting,
      rows: part.map((id, at) => ({ id, at })),
    });
    const near = rows.flatMap(({ upstream, downstream }) => [...upstream, ...downstream]);
    const sees = await readNodeVisibility(
      engine,
      principal,
      near.map(([id, entityType]) => ({ id, entityType })),
    );
    for (const { at, upstream, downstream } of rows) {
      const id = part[at] ?? '';
      const known = found.get(id) ?? { upstream: 0, downstream: 0 };
      const seen = (side: typeof upstream) => side.filter(([one]) => sees(one)).length;
      found.set(id, { upstream: known.upstream + seen(upstream), downstream: known.downstream + seen(downstream) });
    }
  }
  return found;
};

/**
 * Counts the visible neighbours of many records, including neighbours that the answer leaves out, so that clients can
 * show what to expand. Implied neighbours must already be filtered by visibility.
 */
export const countVisibleNeighbours = async (
  engine: Engine,
  caller: Pick<MapCaller, 'principal'>,
  ids: readonly string[],
  includeDeleted: boolean,
  implied: ImpliedPairs = [],
): Promise<ReadonlyMap<string, NeighbourCounts>> => {
  const { principal } = caller;
  const asker = { principal, veiled: typeVisibilityOf(engine, principal) };
  const all = new Map<string, NeighbourCounts>();
  const said = { before: groupPairs(implied.map(([from, to]) => [to, from])), after: groupPairs(implied) };
  for (let start = 0; start < ids.length; start += BATCH_SIZE) {
    const some = ids.slice(start, start + BATCH_SIZE);
    for (const [id, counts] of await countNeighbourBatch(engine, asker, some, includeDeleted, said))
      all.set(id, counts);
  }
  return all;
};
