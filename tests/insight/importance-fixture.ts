import * as assert from 'uvu/assert';
import { feed, type Made, type World } from '../lineage/fixture.ts';
import { SENSITIVE } from '../lineage/read/graph/fixture.ts';
import { ok } from '../support/expect.ts';
import type { Client } from '../support/service.ts';
import { drawArcs, randomFrom } from './random-graphs.ts';

/** What the tests of importance share: assets to rank, and the answer with all its pages. */

export type Row = {
  readonly entity: Made;
  readonly score: number;
  readonly rank: number;
  readonly parts: Readonly<Record<'lineage' | 'usage' | 'contracts' | 'tier', number>>;
};

export const readRows = async (client: Client, query = ''): Promise<readonly Row[]> => {
  const rows: Row[] = [];
  for (let after = ''; ; ) {
    const { data, paging } = ok(await client.get(`/v1/insight/importance?limit=1000${query}${after}`));
    rows.push(...data);
    if (paging.after === undefined) {
      assert.is(paging.total, rows.length);
      return rows;
    }
    after = `&after=${paging.after}`;
  }
};

const DAY_MS = 86_400_000;

export const dayBefore = (day: string, days: number) =>
  new Date(Date.parse(day) - days * DAY_MS).toISOString().slice(0, 10);

/** Random lineage of tables with tiers, use and contracts; every seventh table is hidden from some. */
export const plantAssets = async (world: World, seed: number, size: number): Promise<readonly Made[]> => {
  const random = randomFrom(seed);
  const tables: Made[] = [];
  for (let at = 0; at < size; at += 1) {
    const tier = Math.floor(random() * 8) + 1;
    const tags = [
      ...(tier <= 4 ? [{ tagFQN: `Tier.Tier${tier}`, source: 'Classification' }] : []),
      ...(at % 7 === 3 ? [SENSITIVE] : []),
    ];
    const columns = [{ name: 'a', dataType: 'INT' }];
    tables.push(await world.make('tables', { name: `g${seed}_${at}`, databaseSchema: world.schemaFqn, columns, tags }));
  }
  for (const [from, to] of drawArcs(random, size, size * 2))
    ok(await feed(world.admin, tables[from] as Made, tables[to] as Made));
  for (const [at, { id, name }] of tables.entries()) {
    if (at % 3 === 0) {
      const date = dayBefore(new Date().toISOString().slice(0, 10), at % 9);
      ok(await world.admin.post(`/v1/usage/table/${id}`, { date, count: at + 1 }));
    }
    if (at % 5 === 0) await world.make('dataContracts', { name: `c_${name}`, entity: { id, type: 'table' } });
  }
  return tables;
};
