import { type Graph, openGraph } from '../../src/graph/client.ts';
import type { BoundStatement } from '../../src/graph/statement.ts';
import { PATIENCE_MS, waitFor } from './patience.ts';
import { placeOfRun, uniqueName } from './service.ts';

/** Statements that keep the database busy for days, so that one that is over was ended by somebody. */

type EndlessStatement = {
  /** What only the text of this statement has. */
  readonly mark: string;
  readonly statement: BoundStatement<object, { count: number }>;
};

export const createEndlessStatement = (): EndlessStatement => {
  const mark = uniqueName('endless');
  const text = `UNWIND range(1, 1000000000000) AS ${mark} WITH ${mark} WHERE ${mark} % 7 = 8 RETURN count(*) AS count`;
  return { mark, statement: { name: mark, text, checkParams: () => {}, checkColumns: () => {} } };
};

/** A graph of whose statements none is over, by its own limit of time, as long as a test waits. */
export const openPatientGraph = (transactionMs = 10 * PATIENCE_MS): Graph => {
  const { uri, user, password } = placeOfRun();
  return openGraph({ uri, user, password, database: 'neo4j', transactionMs });
};

/** Counts the running statements whose text or parameters have the mark. */
export const countRunning = async (graph: Graph, mark: string): Promise<number> => {
  const rows = await graph.query('SHOW TRANSACTIONS YIELD currentQuery, parameters RETURN currentQuery, parameters');
  return rows.filter((row) => JSON.stringify(row).includes(mark)).length;
};

/** Waits until the database lists so many of them as running. */
export const waitForRunning = (graph: Graph, mark: string, count: number): Promise<number> =>
  waitFor(
    () => countRunning(graph, mark),
    (running) => running === count,
    `${count} statements with ${mark} run`,
    { pauseMs: 50 },
  );
