import { ok } from '../support/expect.ts';
import type { RuleWish } from '../support/rights.ts';
import { type Client, uniqueName } from '../support/service.ts';
import { feed, type Made, type World } from './fixture.ts';

/** Hides every table with the mark of what is personal. */
export const HIDING: RuleWish = {
  effect: 'deny',
  operations: ['ViewAll'],
  resources: ['table'],
  condition: "matchAnyTag('PII.Sensitive')",
};

const marked = (world: World, name: string): Promise<Made> =>
  world.make('tables', {
    name: uniqueName(name),
    databaseSchema: world.schemaFqn,
    columns: ['a', 'b', 'c'].map((column) => ({ name: column, dataType: 'STRING' })),
    tags: [{ tagFQN: 'PII.Sensitive', source: 'Classification' }],
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
