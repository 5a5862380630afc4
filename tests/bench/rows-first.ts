import type { JsonObject } from '../../src/model/json.ts';
import { edgeOf } from './lineage-dataset.ts';
import { spareTables } from './lineage-stand.ts';
import { median } from './measure.ts';
import { restart } from './rows-start.ts';
import { type Result, type Stand, target } from './stand.ts';

/** What somebody waits who is the first to ask for something after a start: one question of each kind, asked once. */

const AT_MOST_MS = 100;
const SHOWN = 5;
/** A kept store holds the tables of former runs. */
const FIRST_NAME = `first_of_all_${Date.now()}`;

type Question = { readonly method?: 'GET' | 'POST' | 'PUT'; readonly path: string; readonly body?: object };

const getJson = async (stand: Stand, path: string): Promise<JsonObject> => {
  const reply = await fetch(`${stand.service.address}${path}`, {
    headers: { authorization: `Bearer ${stand.service.token}` },
  });
  if (!reply.ok) throw new Error(`${path} answered ${reply.status}: ${(await reply.text()).slice(0, 500)}`);
  return (await reply.json()) as JsonObject;
};

/** Everything that may be asked for without saying of what: the lists of all kinds among it. */
const listPaths = async (stand: Stand): Promise<string[]> => {
  const { paths } = await getJson(stand, '/openapi.json');
  return Object.entries(paths as Record<string, Record<string, { readonly parameters?: readonly JsonObject[] }>>)
    .filter(([path, { get }]) => get && path.startsWith('/v1/') && !path.includes('{') && !isEndless(path))
    .filter(([, { get }]) => !get?.parameters?.some((parameter) => parameter['required'] === true))
    .map(([path]) => path);
};

const isEndless = (path: string): boolean => path.endsWith('/stream');

type Ends = { readonly from: { id: string; fqn: string }; readonly to: { id: string; fqn: string } };

/** What is asked of one record, in the order in which people and programs come to it. */
const questionsAbout = ({ from, to }: Ends): Question[] => {
  const [byId, byName] = [`/v1/tables/${from.id}`, `/v1/tables/name/${from.fqn}`];
  const id = `id=${from.id}`;
  return [
    { path: byName },
    { path: `${byName}?fields=*` },
    { path: byId },
    { path: `${byId}/versions` },
    { path: `${byId}/columns` },
    { path: '/v1/tables?limit=100&fields=columns' },
    { path: '/v1/search/query?q=checked%20morning&index=table' },
    { path: '/v1/search/query?q=*&index=all' },
    { path: '/v1/search/query?q=columnn&index=all' },
    { path: '/v1/search/suggest?q=tab' },
    { path: '/v1/search/aggregate?field=tableType&index=table' },
    { path: `/v1/lineage/table/${from.id}?upstreamDepth=1&downstreamDepth=1` },
    { path: `/v1/lineage/table/${from.id}?upstreamDepth=3&downstreamDepth=3` },
    { path: `/v1/lineage/table/name/${from.fqn}?upstreamDepth=10&downstreamDepth=10` },
    { path: `/v1/lineage/getLineage?fqn=${from.fqn}&type=table` },
    { path: `/v1/lineage/graph?${id}` },
    { path: `/v1/lineage/impact?${id}&column=column_0` },
    { path: `/v1/lineage/paths?from=${from.id}&to=${to.id}` },
    { path: `/v1/lineage/getLineageEdge/${from.id}/${to.id}` },
    { path: `/v1/permissions/table/${from.id}` },
    { path: `/v1/events?entityId=${from.id}` },
    { path: '/v1/databaseSchemas/name/bench.database_0.spare/export' },
    { method: 'PUT', path: '/v1/lineage', body: { edge: edgeOf(to, from, 1) } },
    { method: 'POST', path: '/v1/tables', body: newTable() },
    { method: 'PUT', path: '/v1/tables', body: { ...newTable(), description: 'Told anew.' } },
  ];
};

const newTable = (): object => ({
  name: FIRST_NAME,
  databaseSchema: 'bench.database_0.spare',
  columns: [{ name: 'id', dataType: 'INT' }],
});

type Answered = { readonly what: string; readonly status: number; readonly ms: number };

const ask = async (stand: Stand, { method = 'GET', path, body }: Question): Promise<Answered> => {
  const { address, token } = stand.service;
  const headers = { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) };
  const started = performance.now();
  const reply = await fetch(`${address}${path}`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
  await reply.arrayBuffer();
  const ms = performance.now() - started;
  return { what: `${method} ${path.replace(/[0-9a-f-]{36}/g, '{id}')}`, status: reply.status, ms };
};

/** Asks each question once after a start on the store that there is; the slowest first. */
export const measureFirst = async (stand: Stand): Promise<Result> => {
  const [from, to] = await spareTables(stand);
  if (!from || !to) throw new Error('there are no spare tables');
  const body = { edge: edgeOf(from, to, 1) };
  await stand.load.run('putOne', { ...target(stand), path: '/v1/lineage', body });
  const lists: Question[] = [];
  for (const path of await listPaths(stand)) {
    // Some want one of several parameters.
    if ((await ask(stand, { path })).status < 400) lists.push({ path });
  }
  await restart(stand);
  const answers: Answered[] = [];
  for (const question of [...questionsAbout({ from, to }), ...lists]) answers.push(await ask(stand, question));
  const refused = answers.filter(({ status }) => status >= 400).map(({ what, status }) => `${what}: ${status}`);
  if (refused.length > 0) throw new Error(`not answered: ${refused.join(', ')}`);
  answers.sort((one, other) => other.ms - one.ms);
  const late = answers.filter(({ ms }) => ms > AT_MOST_MS);
  for (const { what, ms } of answers.slice(0, SHOWN)) stand.say(`${ms.toFixed(0)} ms: ${what}`);
  const worst = answers[0]?.ms ?? 0;
  return {
    row: 'first-answers',
    work: `first answer after a start, of ${answers.length} kinds: the median / the slowest`,
    raw: '',
    service: `${late.length} above ${AT_MOST_MS} ms`,
    reached: `${median(answers.map(({ ms }) => ms)).toFixed(0)} / ${worst.toFixed(0)} ms`,
    target: `≤ ${AT_MOST_MS} ms`,
    ok: late.length === 0,
    figures: { answers },
  };
};
