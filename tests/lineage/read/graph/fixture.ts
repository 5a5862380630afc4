import { ok } from '../../../support/expect.ts';
import type { RuleOptions } from '../../../support/rights.ts';
import { type Client, uniqueName } from '../../../support/service.ts';
import { feed, type Made, type World } from '../../fixture.ts';

/** Helpers for tests of lineage graphs: hiding rules, tables and chains of edges. */

/** A rule that hides every table with the tag `PII.Sensitive`. */
export const HIDING: RuleOptions = {
  effect: 'deny',
  operations: ['ViewAll'],
  resources: ['table'],
  condition: "matchAnyTag('PII.Sensitive')",
};

/** The mark of what is hidden, as it is written at records. */
export const SENSITIVE = { tagFQN: 'PII.Sensitive', source: 'Classification' };

/** Hides what data runs through, where it bears the mark. */
export const HIDING_CARRIERS: RuleOptions = { ...HIDING, resources: ['pipeline', 'storedProcedure'] };

const marked = (world: World, name: string): Promise<Made> =>
  world.make('tables', {
    name: uniqueName(name),
    databaseSchema: world.schemaFqn,
    columns: ['a', 'b', 'c'].map((column) => ({ name: column, dataType: 'STRING' })),
    tags: [SENSITIVE],
  });

/** Tables by name; those with an exclamation mark are hidden from some. */
export const tablesOf = async <T extends string>(world: World, ...names: readonly T[]): Promise<Record<T, Made>> => {
  const made = await Promise.all(
    names.map((name) => (name.endsWith('!') ? marked(world, name.slice(0, -1)) : world.table(name))),
  );
  return Object.fromEntries(names.map((name, at) => [name, made[at]])) as Record<T, Made>;
};

/** Says that each feeds the next. */
export const chain = async (client: Client, ...tables: readonly Made[]): Promise<void> => {
  for (const [at, table] of tables.entries()) {
    const next = tables[at + 1];
    if (next) ok(await feed(client, table, next));
  }
};

/** The lineage around a record as explorers ask for it. */
export const drawnAround = async (client: Client, { id }: Pick<Made, 'id'>, query = '') =>
  ok(await client.get(`/v1/lineage/graph?id=${id}${query}`));

export const idsOf = (nodes: readonly Pick<Made, 'id'>[]): string[] => nodes.map(({ id }) => id);

export type Drawn = { readonly fromEntity: string; readonly toEntity: string };

/** Edges as pairs of ids, in an order of their own. */
export const pairsOf = (edges: readonly Drawn[]): string[] =>
  edges.map(({ fromEntity, toEntity }) => `${fromEntity} ${toEntity}`).sort();

export const pair = (from: Pick<Made, 'id'>, to: Pick<Made, 'id'>): string => `${from.id} ${to.id}`;

export type Pair = readonly [from: number, to: number];

/** Numbers that look drawn by lot and are the same in every run. */
export const lots = (seed: number) => {
  let state = seed;
  return (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
};

/** Different pairs among so many, cycles included and loops left out. */
export const randomPairs = (seed: number, nodes: number, edges: number): Pair[] => {
  const draw = lots(seed);
  const pairs = new Map<string, Pair>();
  while (pairs.size < edges) {
    const [from, to] = [draw(nodes), draw(nodes)];
    if (from !== to) pairs.set(`${from} ${to}`, [from, to]);
  }
  return [...pairs.values()];
};

/** How far away the others are, in the plainest way there is. */
export const distances = (pairs: readonly Pair[], root: number, depth: number, side: 'up' | 'down') => {
  const found = new Map([[root, 0]]);
  for (let step = 1; step <= depth; step += 1) {
    for (const [from, to] of pairs) {
      const [near, far] = side === 'down' ? [from, to] : [to, from];
      if (found.get(near) === step - 1 && !found.has(far)) found.set(far, step);
    }
  }
  return found;
};
