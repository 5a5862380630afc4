import { edgeOf, type Table } from './lineage-dataset.ts';
import { median } from './measure.ts';
import type { RowName } from './options.ts';
import { type Result, type Stand, target } from './stand.ts';

/** How many edges one request holds, and how many requests are sent; the first ones only warm up. */
const ROWS = 5000;
const REQUESTS = 4;
const WARM_UP = 2;

/** How many edges lead out of a table, as in the graph of the other rows. */
const FAN_OUT = 3;

const sampleTables = async (stand: Stand): Promise<Table[]> => {
  const text = 'MATCH (n:LiveTable) RETURN n.id AS id, n.fullyQualifiedName AS fqn ORDER BY id LIMIT 10000';
  const rows = await stand.raw.run('ask', { text, params: {} });
  return rows.map((row) => ({ id: String(row['id']), fqn: String(row['fqn']) }));
};

/** New edges in bulk, in edges a second: `pairs` columns of each come from one another. */
const ratesOf = async (stand: Stand, tables: readonly Table[], pairs: number, begin: number): Promise<number[]> => {
  const at = (index: number): Table => tables[index % tables.length] as Table;
  const took: number[] = [];
  for (let request = 0; request < REQUESTS; request += 1) {
    const rows = Array.from({ length: ROWS }, (_, row) => {
      const index = begin + request * ROWS + row;
      const from = Math.floor(index / FAN_OUT);
      const before = FAN_OUT * Math.floor(from / tables.length);
      return edgeOf(at(from), at(from + 1 + before + (index % FAN_OUT)), pairs);
    });
    took.push(await stand.load.run('putRows', { ...target(stand), path: '/v1/lineage', rows }));
  }
  return took.slice(WARM_UP).map((ms) => (ROWS * 1000) / ms);
};

const AT_LEAST = { bare: 5000, paired: 2000 };

export const measureLineageBulk = async (stand: Stand): Promise<Result> => {
  const tables = await sampleTables(stand);
  const bare = median(await ratesOf(stand, tables, 0, 0));
  const paired = median(await ratesOf(stand, tables, 3, REQUESTS * ROWS));
  const row: RowName = 'lineage-bulk';
  return {
    row,
    work: `PUT lineage in bulk, ${ROWS} edges, without and with 3 pairs of columns`,
    raw: '',
    service: `${bare.toFixed(0)} and ${paired.toFixed(0)} edges/s`,
    reached: `${bare.toFixed(0)}/s, ${paired.toFixed(0)}/s`,
    target: `≥ ${AT_LEAST.bare}/s, ≥ ${AT_LEAST.paired}/s`,
    ok: bare >= AT_LEAST.bare && paired >= AT_LEAST.paired,
    figures: { barePerSecond: bare, pairedPerSecond: paired },
  };
};
