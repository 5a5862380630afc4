import { SPARE_SCHEMA } from './dataset.ts';
import { type Result, type Stand, target } from './stand.ts';

/** Lists of versions of wide tables. */

const MOST_MS = 200;
const WIDE = 20_000;
const FEW_EDITS = 5;
const NARROWER = 2000;
const EDITS = 30;
const PAGE = 20;
const ROUNDS = 5;

const call = async (stand: Stand, method: string, path: string, body?: unknown): Promise<Response> => {
  const { address, token } = target(stand);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await fetch(`${address}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path} is answered ${response.status}: ${await response.text()}`);
  return response;
};

/** Makes a table and edits its columns one by one; answers the path of its versions. */
const plantVersions = async (stand: Stand, width: number, edits: number): Promise<string> => {
  const columns = Array.from({ length: width }, (_, at) => ({
    name: `column_${at}`,
    dataType: 'INT',
    description: `What column ${at} says of ${(at * 7919) % 10_007} things`,
  }));
  const body = { name: `versions_${width}_${Date.now()}`, databaseSchema: SPARE_SCHEMA, columns };
  const { id } = (await (await call(stand, 'POST', '/v1/tables', body)).json()) as { readonly id: string };
  for (let edit = 0; edit < edits; edit += 1) {
    const path = `/columns/${(edit * 7919) % width}/description`;
    await (await call(stand, 'PATCH', `/v1/tables/${id}`, [{ op: 'add', path, value: `edit ${edit}` }])).text();
  }
  return `/v1/tables/${id}/versions`;
};

const bestOf = async (work: () => Promise<unknown>): Promise<number> => {
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const started = performance.now();
    await work();
    rounds.push(performance.now() - started);
  }
  return Math.min(...rounds);
};

export const measureVersions = async (stand: Stand): Promise<Result> => {
  const wide = await plantVersions(stand, WIDE, FEW_EDITS);
  const firstMs = await bestOf(async () => {
    const { body } = await call(stand, 'GET', wide);
    const reader = body?.getReader();
    await reader?.read();
    await reader?.cancel();
  });
  const narrower = await plantVersions(stand, NARROWER, EDITS);
  const pageMs = await bestOf(async () => (await call(stand, 'GET', `${narrower}?limit=${PAGE}`)).text());
  return {
    row: 'versions',
    work: `versions of ${WIDE} columns, first byte / ${PAGE} versions of ${NARROWER} columns`,
    raw: '',
    service: '',
    reached: `${firstMs.toFixed(0)} / ${pageMs.toFixed(0)} ms`,
    target: `< ${MOST_MS} ms each`,
    ok: firstMs < MOST_MS && pageMs < MOST_MS,
    figures: { firstMs, pageMs },
  };
};
