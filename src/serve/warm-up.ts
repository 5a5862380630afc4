import type { App } from '../app.ts';
import type { Log } from '../http/log.ts';
import type { JsonObject } from '../model/json.ts';

/**
 * Asks the common questions once while the service starts. A database that has just been started plans each statement
 * that it sees for the first time, and Java has not compiled the code for it yet, so that the first caller would wait
 * ten to a hundred times as long as later ones.
 */
export type WarmUp = {
  /** Resolves when all questions were asked, or it was stopped. */
  readonly done: Promise<void>;
  /** Asks nothing more, and resolves when the current question is answered. */
  stop(): Promise<void>;
};

type WarmUpDeps = Pick<App, 'askAsSystem'> & { readonly log: Pick<Log, 'warn'> };

const FIND_TABLE = '/v1/tables?limit=1';

/** An empty catalog has no table to ask about. Its questions are answered by 404, after most of their statements. */
const NO_TABLE = { id: '00000000-0000-4000-8000-000000000000', fullyQualifiedName: 'none' };

/** Lists the questions in the order in which people and programs come to them. */
const questionsAbout = (table: JsonObject): readonly string[] => {
  const id = String(table['id']);
  const byId = `/v1/tables/${id}`;
  const byName = `/v1/tables/name/${encodeURIComponent(String(table['fullyQualifiedName']))}`;
  const around = (depth: number): string => `upstreamDepth=${depth}&downstreamDepth=${depth}`;
  const first = [
    byName,
    '/v1/search/query?q=warm&index=all',
    `/v1/lineage/getLineage?fqn=${encodeURIComponent(String(table['fullyQualifiedName']))}&type=table&${around(2)}`,
  ];
  return [
    ...first,
    '/v1/tables?limit=10&fields=*',
    `${byId}?fields=*`,
    '/v1/search/query?q=*&index=all',
    `/v1/lineage/table/${id}?${around(3)}`,
    `/v1/lineage/graph?id=${id}`,
    '/v1/search/query?q=warm%20up&index=all',
    '/v1/search/suggest?q=war',
    `/v1/permissions/table/${id}`,
    `${byId}/versions`,
    `${byId}/columns`,
    `/v1/lineage/impact?id=${id}`,
    `/v1/lineage/paths?from=${id}&to=${id}`,
    '/v1/search/aggregate?field=tableType&index=table',
    `/v1/events?entityId=${id}`,
    // Answers to these are in memory now, and other statements tell whether they still hold.
    ...first,
  ];
};

export const startWarmUp = ({ askAsSystem, log }: WarmUpDeps): WarmUp => {
  let isStopping = false;
  /** Answers the body of an answer that succeeded. */
  const ask = async (path: string): Promise<string | undefined> => {
    const answer = await askAsSystem(path);
    const body = await answer.text();
    if (answer.status >= 500) log.warn('a question of the warm-up failed', { path, status: answer.status });
    return answer.ok ? body : undefined;
  };
  /** One at a time, so that callers who are already there keep most of the database to themselves. */
  const askAll = async (): Promise<void> => {
    const [table = NO_TABLE] = (JSON.parse((await ask(FIND_TABLE)) ?? '{"data":[]}') as { data: JsonObject[] }).data;
    for (const path of questionsAbout(table)) {
      if (isStopping) return;
      await ask(path);
    }
  };
  const done = askAll();
  return {
    done,
    stop: () => {
      isStopping = true;
      return done;
    },
  };
};
