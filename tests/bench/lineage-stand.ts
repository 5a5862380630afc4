import { SPARE_SCHEMA } from './dataset.ts';
import type { Table } from './lineage-dataset.ts';
import { edgeOf } from './lineage-dataset.ts';
import { edgesFrom, type Joint, LAYERS, widthOf } from './lineage-graph.ts';
import type { EdgeEnds } from './raw-lineage.ts';
import { fillOnce, type Stand, target } from './stand.ts';

/** The graph that rows about lineage share: tables by their numbers, and how many a layer has. */
export type Layered = { readonly width: number; readonly tables: readonly Table[] };

const TABLES = `
MATCH (n:LiveTable)
WHERE n.name STARTS WITH $prefix AND n.fullyQualifiedName STARTS WITH $above
RETURN n.id AS id, n.fullyQualifiedName AS fqn
ORDER BY fqn
LIMIT toInteger($limit)`;

const tablesCalled = async (stand: Stand, prefix: string, above: string, limit: number): Promise<readonly Table[]> => {
  const rows = await stand.raw.run('ask', { text: TABLES, params: { prefix, above, limit } });
  return rows.map((row) => ({ id: String(row['id']), fqn: String(row['fqn']) }));
};

/** The numbers of the batches of spare tables, apart from those of other rows. */
let batch = 1000;

/** A thousand tables of which there is no lineage. */
export const spareTables = async (stand: Stand): Promise<readonly Table[]> => {
  batch += 1;
  await stand.load.run('putSpare', { ...target(stand), batch });
  return tablesCalled(stand, `spare_${batch}_`, `${SPARE_SCHEMA}.`, 1000);
};

/** The one whose number it is. */
export const tableAt = ({ tables }: Layered, number: number): Table => {
  const table = tables[number];
  if (!table) throw new Error(`there is no table ${number} in the graph`);
  return table;
};

/** Lets the service write an edge of so many pairs, which the raw writer writes again and again from then on. */
export const learnFeeds = async (stand: Stand, [from, to]: readonly [Table, Table], pairs: number): Promise<void> => {
  await stand.load.run('putOne', { ...target(stand), path: '/v1/lineage', body: { edge: edgeOf(from, to, pairs) } });
  await stand.raw.run('learnFeeds', { ends: [from.id, to.id] });
};

const AT_ONCE = 2000;

const load = async (stand: Stand, layered: Layered, joints: readonly Joint[]): Promise<void> => {
  for (const column of new Set(joints.map((joint) => joint.column))) {
    const ends = joints
      .filter((joint) => joint.column === column)
      .map(({ from, to }): EdgeEnds => [tableAt(layered, from).id, tableAt(layered, to).id]);
    for (let start = 0; start < ends.length; start += AT_ONCE) {
      await stand.raw.run('loadFeeds', { ends: ends.slice(start, start + AT_ONCE), column });
    }
  }
};

/** Joins the tables of the data set. The raw driver does it, which the service would take many times as long for. */
export const loadLayers = async (stand: Stand): Promise<Layered> => {
  const width = widthOf(stand.options.tables);
  const tables = await tablesCalled(stand, 'table_', '', width * LAYERS);
  const layered: Layered = { width, tables };
  const [from, to] = await spareTables(stand);
  if (!from || !to) throw new Error('there are no spare tables');
  await learnFeeds(stand, [from, to], 1);
  const joints = tables.flatMap((_, number) => edgesFrom(width, number));
  const started = performance.now();
  await fillOnce(stand, 'edges', () => load(stand, layered, joints));
  const seconds = (performance.now() - started) / 1000;
  stand.say(`joined ${tables.length} tables by ${joints.length} edges in ${seconds.toFixed(0)} s`);
  return layered;
};

/** Asks once, outside of what is measured. */
export const answerTo = async <T>(stand: Stand, path: string): Promise<{ json: T; truncated: string | null }> => {
  const { address, token } = target(stand);
  const reply = await fetch(`${address}${path}`, { headers: { authorization: `Bearer ${token}` } });
  if (!reply.ok) throw new Error(`${path}: the service answered ${reply.status}: ${await reply.text()}`);
  return { json: (await reply.json()) as T, truncated: reply.headers.get('x-lineage-truncated') };
};

/** Stops the run when an answer is not what it must be: its speed would mean nothing. */
export const expectSame = (what: string, found: unknown, wanted: unknown): void => {
  const [one, other] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (one !== other) throw new Error(`${what}: ${one}, not ${other}`);
};
