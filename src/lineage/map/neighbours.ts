import type { Engine } from '../../catalog/engine.ts';
import { sightOf } from '../sight.ts';
import type { Caller, Implied } from './ground.ts';
import { listNeighbours } from './queries.ts';

/** The records next to one, as far as somebody may see them. */
export type Neighbours = { readonly upstream: ReadonlySet<string>; readonly downstream: ReadonlySet<string> };

const AT_ONCE = 1000;

const grouped = (pairs: Implied): ReadonlyMap<string, readonly string[]> => {
  const groups = new Map<string, string[]>();
  for (const [key, value] of pairs) {
    const group = groups.get(key);
    if (group) group.push(value);
    else groups.set(key, [value]);
  }
  return groups;
};

/** The neighbours of many records, whether or not a request shows them: whoever shows a record tells what could be shown next. */
export const readNeighbours = async (
  engine: Engine,
  { principal }: Pick<Caller, 'principal'>,
  ids: readonly string[],
  includeDeleted: boolean,
  implied: Implied = [],
): Promise<ReadonlyMap<string, Neighbours>> => {
  const all = new Map<string, Neighbours>();
  const before = grouped(implied.map(([from, to]) => [to, from]));
  const after = grouped(implied);
  for (let start = 0; start < ids.length; start += AT_ONCE) {
    const some = ids.slice(start, start + AT_ONCE);
    const rows = await engine.graph.read(listNeighbours, { rows: some.map((id, at) => ({ id, at })), includeDeleted });
    const near = rows.flatMap(({ upstream, downstream }) => [...upstream, ...downstream]);
    const sees = await sightOf(
      engine,
      principal,
      near.map(([id, entityType]) => ({ id, entityType })),
    );
    for (const { at, upstream, downstream } of rows) {
      const id = some[at] ?? '';
      const seen = (side: typeof upstream) => side.flatMap(([one]) => (sees(one) ? [one] : []));
      all.set(id, {
        upstream: new Set([...seen(upstream), ...(before.get(id) ?? [])]),
        downstream: new Set([...seen(downstream), ...(after.get(id) ?? [])]),
      });
    }
  }
  return all;
};
