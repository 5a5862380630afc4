import type { Server, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../app.ts';
import type { Log } from '../http/log.ts';
import type { JsonObject } from '../model/json.ts';
import { type Clock, monotonicNow } from '../model/time.ts';

/**
 * Asks the common questions once while the service starts. A database that has just been started plans each statement
 * that it sees for the first time, and Java has not compiled the code for it yet, so that the first caller would wait
 * ten to a hundred times as long as later ones.
 */
export type WarmUp = {
  /** Resolves when the most common questions were asked. */
  readonly begun: Promise<void>;
  /** Resolves when all questions were asked, or when the warm-up was given up or stopped. */
  readonly done: Promise<void>;
  /** Asks nothing more, and resolves when the current question is answered. */
  stop(): Promise<void>;
};

type WarmUpDeps = Pick<App, 'askAsSystem'> & {
  readonly log: Pick<Log, 'warn'>;
  /** Whether no caller waits for an answer. */
  readonly isQuiet: () => boolean;
};

/** How long no caller may have waited for an answer before the next question is asked. */
const QUIET_MS = 500;
const LOOK_EVERY_MS = 100;
/** Callers who keep the service busy for this long have warmed it up themselves. */
const MAX_WAIT_MS = 60_000;

/** Watches whether callers wait for answers of a server. */
export const watchCallers = (server: Server, clock: Clock = monotonicNow): WarmUpDeps['isQuiet'] => {
  let waiting = 0;
  let leftAt = Number.NEGATIVE_INFINITY;
  server.on('request', (_, answer: ServerResponse) => {
    waiting += 1;
    answer.once('close', () => {
      waiting -= 1;
      leftAt = clock();
    });
  });
  return () => waiting === 0 && clock() - leftAt >= QUIET_MS;
};

const FIND_TABLE = '/v1/tables?limit=1&fields=columns';

/** An empty catalog has no table to ask about. Its questions are answered by 404, after most of their statements. */
const NO_TABLE = { id: '00000000-0000-4000-8000-000000000000', fullyQualifiedName: 'none' };

const around = (depth: number): string => `upstreamDepth=${depth}&downstreamDepth=${depth}`;

const fqnIn = (table: JsonObject): string => encodeURIComponent(String(table['fullyQualifiedName']));

/** The questions of which every statement should be planned before the first caller comes. */
const firstQuestionsAbout = (table: JsonObject): readonly string[] => {
  const fqn = fqnIn(table);
  return [
    `/v1/tables/name/${fqn}?fields=*`,
    '/v1/search/query?q=warm&index=all',
    `/v1/lineage/getLineage?fqn=${fqn}&type=table&${around(2)}`,
  ];
};

/** The further questions, in the order in which people and programs come to them. */
const furtherQuestionsAbout = (table: JsonObject): readonly string[] => {
  const id = String(table['id']);
  const byId = `/v1/tables/${id}`;
  const graph = `/v1/lineage/graph?id=${id}`;
  const [column] = (table['columns'] ?? []) as readonly JsonObject[];
  return [
    byId,
    `/v1/tables/name/${fqnIn(table)}`,
    '/v1/tables?limit=10&fields=*',
    '/v1/search/query?q=*&index=all',
    `/v1/lineage/table/${id}?${around(3)}`,
    graph,
    '/v1/search/query?q=warm%20up&index=all',
    '/v1/search/suggest?q=war',
    `/v1/permissions/table/${id}`,
    `${byId}/versions`,
    `${byId}/columns`,
    `/v1/lineage/impact?id=${id}`,
    ...(column ? [`/v1/lineage/impact?id=${id}&column=${encodeURIComponent(String(column['name']))}`] : []),
    `/v1/lineage/table/name/${fqnIn(table)}?${around(10)}`,
    `/v1/lineage/paths?from=${id}&to=${id}`,
    '/v1/search/aggregate?field=tableType&index=table',
    `/v1/events?entityId=${id}`,
    // Answers to these are in memory now, and other statements tell whether they still hold.
    ...firstQuestionsAbout(table),
    // The second of three alike is kept, and the third asks what has changed since.
    ...[graph, graph],
  ];
};

export const startWarmUp = ({ askAsSystem, log, isQuiet }: WarmUpDeps): WarmUp => {
  let isStopping = false;
  /** Answers the body of an answer that succeeded. The service starts whatever happens to the others. */
  const ask = async (path: string): Promise<string | undefined> => {
    if (isStopping) return undefined;
    try {
      const answer = await askAsSystem(path);
      const body = await answer.text();
      if (answer.status >= 500) log.warn('a question of the warm-up failed', { path, status: answer.status });
      return answer.ok ? body : undefined;
    } catch (failure) {
      log.warn('an answer to the warm-up broke off', { path }, failure);
      return undefined;
    }
  };
  const askFirst = async (): Promise<JsonObject> => {
    const [table = NO_TABLE] = (JSON.parse((await ask(FIND_TABLE)) ?? '{"data":[]}') as { data: JsonObject[] }).data;
    for (const path of firstQuestionsAbout(table)) await ask(path);
    return table;
  };
  /** Asks one at a time while no caller waits, because the database needs seconds for some of them. */
  const askFurther = async (table: JsonObject): Promise<void> => {
    const deadline = performance.now() + MAX_WAIT_MS;
    for (const path of furtherQuestionsAbout(table)) {
      while (!isStopping && !isQuiet()) {
        if (performance.now() > deadline) return;
        await sleep(LOOK_EVERY_MS);
      }
      await ask(path);
    }
  };
  const asking = askFirst();
  const done = asking.then(askFurther);
  return {
    begun: asking.then(() => {}),
    done,
    stop: () => {
      isStopping = true;
      return done;
    },
  };
};
