import { feed, type Made, type World } from '../lineage/fixture.ts';
import { SENSITIVE } from '../lineage/read/graph/fixture.ts';
import { ok } from '../support/expect.ts';
import type { Client } from '../support/service.ts';
import { type Arc, drawArcs, randomFrom } from './random-graphs.ts';

/** What the tests of communities share: lineage that has some, and the answer. */

export type Row = {
  readonly id: string;
  readonly size: number;
  readonly members: readonly Made[];
  readonly suggestedName: string;
  readonly domain: Made | null;
  readonly agreement: number;
  readonly crossing: number;
};

export const PATH = '/v1/insight/communities';

export const readRows = async (client: Client, query = ''): Promise<readonly Row[]> =>
  ok(await client.get(`${PATH}?limit=1000${query}`)).data;

/** Random lineage of tables in three schemas, some of which are hidden from some, and some in a domain. */
export type Planted = {
  readonly tables: readonly Made[];
  readonly arcs: readonly Arc[];
  readonly hidden: ReadonlySet<number>;
  readonly domains: readonly Made[];
  readonly domainOf: readonly (string | undefined)[];
};

/** Plants the random lineage below the service of `world`; `names` are those of its two domains. */
export const plantSchemas = async (world: World, size: number, names: readonly string[]): Promise<Planted> => {
  const random = randomFrom(3);
  const domains: Made[] = [];
  for (const name of names) {
    domains.push(await world.make('domains', { name, description: 'x', domainType: 'Aggregate' }));
  }
  const [care = '', sales = ''] = domains.map(({ fullyQualifiedName }) => fullyQualifiedName);
  const database = `${world.serviceFqn}.db`;
  for (const [name, own] of [
    ['tickets', [care]],
    ['shop', [sales]],
    ['misc', []],
  ] as const) {
    await world.make('databaseSchemas', { name, database, domains: own });
  }
  const tables: Made[] = [];
  const domainOf: (string | undefined)[] = [];
  for (let at = 0; at < size; at += 1) {
    const group = Math.floor((at * 3) / size);
    const isMoved = at % 10 === 7;
    tables.push(
      await world.make('tables', {
        name: `t${at}`,
        databaseSchema: `${database}.${['tickets', 'shop', 'misc'][group]}`,
        columns: [{ name: 'a', dataType: 'INT' }],
        tags: at % 6 === 5 ? [SENSITIVE] : [],
        ...(isMoved ? { domains: [sales] } : {}),
      }),
    );
    domainOf.push(isMoved ? sales : [care, sales, undefined][group]);
  }
  const each = size / 3;
  const inside = [0, 1, 2].flatMap((group) =>
    drawArcs(random, each, each * 2).map(([from, to]): Arc => [from + group * each, to + group * each]),
  );
  const arcs = [...new Map([...inside, ...drawArcs(random, size, 8)].map((arc) => [arc.join(), arc])).values()];
  for (const [from, to] of arcs) ok(await feed(world.admin, tables[from] as Made, tables[to] as Made));
  const hidden = new Set(tables.map((_, at) => at).filter((at) => at % 6 === 5));
  return { tables, arcs, hidden, domains, domainOf };
};
