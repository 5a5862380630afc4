import { column, type Made, openWorld, type World } from '../lineage/fixture.ts';
import { SENSITIVE } from '../lineage/read/graph/fixture.ts';
import { ok } from '../support/expect.ts';
import type { Client } from '../support/service.ts';

/** A small shop whose tables scripts and logs name. */

export type Shop = World & {
  readonly orders: Made;
  readonly customers: Made;
  readonly report: Made;
  readonly archive: Made;
  /** Hidden from those who may not see what is sensitive. */
  readonly salaries: Made;
  readonly view: Made;
};

const make = (world: World, name: string, columns: readonly string[], more: object = {}): Promise<Made> =>
  world.make('tables', {
    name,
    databaseSchema: world.schemaFqn,
    columns: columns.map((one) => column(one)),
    ...more,
  });

export const openShop = async (): Promise<Shop> => {
  const world = await openWorld();
  const [orders, customers, report, archive, salaries, view] = await Promise.all([
    make(world, 'orders', ['id', 'customer_id', 'amount', 'placed']),
    make(world, 'customers', ['id', 'name', 'country']),
    make(world, 'report', ['customer', 'total']),
    make(world, 'archive', ['id', 'amount']),
    make(world, 'salaries', ['person', 'amount'], { tags: [SENSITIVE] }),
    make(world, 'big_orders', ['id', 'amount'], { tableType: 'View' }),
  ]);
  return { ...world, orders, customers, report, archive, salaries, view };
};

export type SqlBody = { readonly statements: readonly object[] } | { readonly text: string };

const placeOf = ({ serviceFqn }: World) => ({
  service: serviceFqn,
  database: 'db',
  schema: 'public',
  dialect: 'postgres',
});

export const askSql = (client: Client, shop: World, body: SqlBody, query = '') =>
  client.post(`/v1/lineage/sql${query}`, { ...placeOf(shop), ...body });

export const readSql = async (shop: World, body: SqlBody, query = '', client = shop.admin) =>
  ok(await askSql(client, shop, body, query));

export const placeQuery = (world: World): string => new URLSearchParams(placeOf(world)).toString();

type AnswerEdge = {
  readonly from: Made;
  readonly to: Made;
  readonly columns: readonly {
    readonly fromColumns: readonly string[];
    readonly toColumn: string;
    function?: string;
  }[];
};

const shortName = (fqn: string, schemaFqn: string): string => fqn.slice(schemaFqn.length + 1);

/** Edges as lines `from -> to: fromColumns > toColumn {expression}`, in the order of names. */
export const edgeLines = ({ schemaFqn }: World, edges: readonly AnswerEdge[]): readonly string[] =>
  edges
    .map(({ from, to, columns }) => {
      const ends = `${from.name} -> ${to.name}`;
      const maps = columns.map(({ fromColumns, toColumn, function: made }) => {
        const origins = fromColumns.map((one) => shortName(one, schemaFqn)).join(', ');
        return `${origins} > ${shortName(toColumn, schemaFqn)}${made === undefined ? '' : ` {${made}}`}`;
      });
      return [ends, ...maps.sort()].join(' | ');
    })
    .sort();
