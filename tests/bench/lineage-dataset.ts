/** What is said of lineage when it is measured. */

export type Table = { readonly id: string; readonly fqn: string };

const COLUMNS = ['column_0', 'column_1', 'column_2'];

/** An edge as a request has it: `pairs` columns of one table come from those of another. */
export const edgeOf = (from: Table, to: Table, pairs: number): object => ({
  fromEntity: { id: from.id, type: 'table' },
  toEntity: { id: to.id, type: 'table' },
  lineageDetails: {
    columnsLineage: COLUMNS.slice(0, pairs).map((name) => ({
      fromColumns: [`${from.fqn}.${name}`],
      toColumn: `${to.fqn}.${name}`,
    })),
  },
});

/**
 * Two tables that no earlier turn has joined, as long as there are any. Those of near turns have no table in common, so
 * that callers do not wait for each other.
 */
export const freshEnds = <T>(tables: readonly T[], turn: number): readonly [from: T, to: T] => {
  const half = Math.floor(tables.length / 2);
  const from = tables[turn % half];
  const to = tables[half + ((turn + 7 + Math.floor(turn / half)) % half)];
  if (from === undefined || to === undefined) throw new Error('it takes tables to join them');
  return [from, to];
};

const SERVICE_END = /^[^.]+/;

const datasetOf = ({ fqn }: Table): { readonly namespace: string; readonly name: string } => {
  const namespace = SERVICE_END.exec(fqn)?.[0] ?? '';
  return { namespace, name: fqn.slice(namespace.length + 1) };
};

const JOBS = 50;

/** An event of OpenLineage: a job made one table from another, three columns of it. */
export const eventOf = (from: Table, to: Table, turn: number): object => ({
  eventType: 'COMPLETE',
  eventTime: new Date(Date.UTC(2026, 0, 1) + turn * 1000).toISOString(),
  run: { runId: `00000000-0000-4000-8000-${String(turn).padStart(12, '0')}` },
  job: { namespace: 'bench_jobs', name: `job_${turn % JOBS}` },
  producer: 'https://example.com/bench',
  schemaURL: 'https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent',
  inputs: [datasetOf(from)],
  outputs: [
    {
      ...datasetOf(to),
      facets: {
        columnLineage: {
          fields: Object.fromEntries(COLUMNS.map((field) => [field, { inputFields: [{ ...datasetOf(from), field }] }])),
        },
      },
    },
  ],
});
