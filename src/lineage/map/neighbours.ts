import type { Engine } from '../../catalog/engine.ts';
import { sightOf } from '../sight.ts';
import type { Caller } from './ground.ts';
import { listNeighbours } from './queries.ts';

/** The records next to one, as far as somebody may see them. */
export type Neighbours = { readonly upstream: ReadonlySet<string>; readonly downstream: ReadonlySet<string> };

const AT_ONCE = 1000;

/** The neighbours of many records, whether or not a request shows them: whoever shows a record tells what could be shown next. */
export const readNeighbours = async (
  engine: Engine,
  { principal }: Pick<Caller, 'principal'>,
  ids: readonly string[],
  includeDeleted: boolean,
): Promise<ReadonlyMap<string, Neighbours>> => {
  const all = new Map<string, Neighbours>();
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
      const seen = (side: typeof upstream) => new Set(side.flatMap(([id]) => (sees(id) ? [id] : [])));
      all.set(some[at] ?? '', { upstream: seen(upstream), downstream: seen(downstream) });
    }
  }
  return all;
};
