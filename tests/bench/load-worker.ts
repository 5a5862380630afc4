/** The load generator: calls the service from a process of its own. */
import { type ClientRequest, get } from 'node:http';
import { type Caller, openCaller, requestText, type Target } from './caller.ts';
import { BATCH, BULK_KINDS, type BulkKind, batchBody, kindRows, SPARE_SCHEMA, tableBody } from './dataset.ts';
import { edgeOf, freshEnds, type Table } from './lineage-dataset.ts';
import { measureRate, type Rate } from './measure.ts';
import { serveJobs } from './worker.ts';

type Load = Target & { readonly callers: number; readonly seconds: number };

const expect = (wanted: readonly number[], { status, body }: { status: number; body: string }): void => {
  if (!wanted.includes(status)) throw new Error(`the service answered ${status}: ${body.slice(0, 500)}`);
};

const withCallers = async <T>(address: string, count: number, work: (callers: Caller[]) => Promise<T>): Promise<T> => {
  const callers = await Promise.all(Array.from({ length: count }, () => openCaller(address)));
  try {
    return await work(callers);
  } finally {
    for (const caller of callers) caller.close();
  }
};

const fire = (load: Load, status: number, next: () => string): Promise<Rate> =>
  withCallers(load.address, load.callers, (callers) =>
    measureRate(load.callers, load.seconds, async (index) => {
      const reply = await callers[index]?.send(next());
      if (reply) expect([status], reply);
    }),
  );

/** Asks for one path after the other, from the beginning again when all were asked for. */
const getPaths = (input: Load & { readonly paths: readonly string[] }): Promise<Rate> => {
  let turn = 0;
  return fire(input, 200, () => {
    turn += 1;
    return requestText(input, 'GET', input.paths[turn % input.paths.length] ?? '/');
  });
};

/** How many bytes an answer has, with its head. */
const weighAnswer = (input: Target & { readonly path: string }): Promise<number> =>
  withCallers(input.address, 1, async ([caller]) => {
    const reply = await caller?.send(requestText(input, 'GET', input.path));
    if (reply) expect([200], reply);
    return reply?.bytes ?? 0;
  });

/** Sends one body to one path, again and again. */
const postBody = (input: Load & { readonly path: string; readonly body: object }): Promise<Rate> => {
  const request = requestText(input, 'POST', input.path, JSON.stringify(input.body));
  return fire(input, 200, () => request);
};

type Creation = Load & { readonly prefix: string; readonly schema: string };

/** Creates tables whose names begin with `prefix` and are not taken. */
const createTables = (method: 'PUT' | 'POST', input: Creation): Promise<Rate> => {
  const body = JSON.stringify(tableBody('@name', input.schema));
  let turn = 0;
  return fire(input, 201, () => {
    turn += 1;
    return requestText(input, method, '/v1/tables', body.replaceAll('@name', `${input.prefix}_${turn}`));
  });
};

const postTables = (input: Creation): Promise<Rate> => createTables('POST', input);
const putTables = (input: Creation): Promise<Rate> => createTables('PUT', input);

const putOne = (input: Target & { readonly path: string; readonly body: object }): Promise<string> =>
  withCallers(input.address, 1, async ([caller]) => {
    const reply = await caller?.send(requestText(input, 'PUT', input.path, JSON.stringify(input.body)));
    if (reply) expect([200, 201], reply);
    return reply?.body ?? '';
  });

/** Sends one body after the other to the same place; answers how long each took. */
const putEach = (input: Target & { readonly path: string; readonly bodies: readonly object[] }): Promise<number[]> =>
  withCallers(input.address, 1, async ([caller]) => {
    const took: number[] = [];
    for (const request of input.bodies.map((body) => requestText(input, 'PUT', input.path, JSON.stringify(body)))) {
      const started = performance.now();
      const reply = await caller?.send(request);
      took.push(performance.now() - started);
      if (reply) expect([200], reply);
    }
    return took;
  });

/** Sends requests one after the other; answers how long each took. */
const askEach = (
  input: Target & {
    readonly method: string;
    readonly asked: readonly { readonly path: string; readonly body?: object }[];
  },
): Promise<number[]> =>
  withCallers(input.address, 1, async ([caller]) => {
    const took: number[] = [];
    for (const { path, body } of input.asked) {
      const request = requestText(input, input.method, path, body === undefined ? undefined : JSON.stringify(body));
      const started = performance.now();
      const reply = await caller?.send(request);
      took.push(performance.now() - started);
      if (reply) expect([200, 201], reply);
    }
    return took;
  });

/** One bulk request; answers how long it took. The body is made before the clock starts. */
const putBatch = ({ batch, tables, ...to }: Target & { readonly batch: number; readonly tables: number }) =>
  putRows({ ...to, path: '/v1/tables', rows: batchBody(batch, tables) });

type Sending = Target & { readonly path: string; readonly rows: readonly object[] };

const sendRows = (method: 'PUT' | 'POST', input: Sending): Promise<number> =>
  withCallers(input.address, 1, async ([caller]) => {
    const body = JSON.stringify(input.rows);
    const request = requestText(input, method, input.path, body);
    const started = performance.now();
    const reply = await caller?.send(request);
    const took = performance.now() - started;
    if (reply) expect([200], reply);
    if (!reply?.body.includes('"numberOfRowsFailed":0')) throw new Error(`rows failed: ${reply?.body.slice(0, 500)}`);
    return took;
  });

const putRows = ({ path, ...input }: Sending): Promise<number> => sendRows('PUT', { ...input, path: `${path}/bulk` });

/** Many rows to a place that takes them by `POST`; answers how long it took. */
const postRows = (input: Sending): Promise<number> => sendRows('POST', input);

const PAIRS = 3;
let feedTurns = 0;

const edgeRequest = (to: Target, [from, other]: readonly [Table, Table]): string =>
  requestText(to, 'PUT', '/v1/lineage', JSON.stringify({ edge: edgeOf(from, other, PAIRS) }));

/** Says of tables that one feeds the other, which nobody said before. */
const feed = (input: Load & { readonly tables: readonly Table[] }): Promise<Rate> =>
  fire(input, 200, () => {
    feedTurns += 1;
    return edgeRequest(input, freshEnds(input.tables, feedTurns));
  });

/** Says one edge after the other; answers how long each took. */
const feedEach = (input: Target & { readonly ends: readonly (readonly [Table, Table])[] }): Promise<number[]> =>
  withCallers(input.address, 1, async ([caller]) => {
    const took: number[] = [];
    for (const ends of input.ends) {
      const request = edgeRequest(input, ends);
      const started = performance.now();
      const reply = await caller?.send(request);
      took.push(performance.now() - started);
      if (reply) expect([200], reply);
    }
    return took;
  });

export type Streamed = {
  readonly firstByteMs: number;
  readonly seconds: number;
  readonly megabytes: number;
  /** What the answer says that there was too much of. */
  readonly truncated: string | null;
};

/** Reads a long answer to its end and keeps nothing of it. */
const stream = ({ address, token, path }: Target & { readonly path: string }): Promise<Streamed> =>
  new Promise((resolve, reject) => {
    const started = performance.now();
    let firstByteMs = 0;
    let bytes = 0;
    const request = get(`${address}${path}`, { headers: { authorization: `Bearer ${token}` } }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`the service answered ${response.statusCode}`));
      response.on('data', (piece: Buffer) => {
        if (bytes === 0) firstByteMs = performance.now() - started;
        bytes += piece.length;
      });
      response.on('end', () =>
        resolve({
          firstByteMs,
          seconds: (performance.now() - started) / 1000,
          megabytes: bytes / 1e6,
          truncated: response.headers['x-lineage-truncated']?.toString() ?? null,
        }),
      );
      response.on('error', reject);
    });
    request.on('error', reject);
  });

/** Tables that are new, in the schema that `POST` fills. */
const putSpare = ({ batch, ...to }: Target & { readonly batch: number }) => {
  const rows = Array.from({ length: BATCH }, (_, row) => tableBody(`spare_${batch}_${row}`, SPARE_SCHEMA));
  return putRows({ ...to, path: '/v1/tables', rows });
};

/** Rows of another kind than tables, by the name of their collection. */
const putKind = ({ kind, batch, ...to }: Target & { readonly kind: BulkKind; readonly batch: number }) =>
  putRows({ ...to, path: BULK_KINDS[kind].path, rows: kindRows(kind, batch) });

const streams: ClientRequest[] = [];
let heardEvents = 0;

const openStream = ({ address, token }: Target): Promise<ClientRequest> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' };
    const request = get(`${address}/v1/events/stream?scope=events`, { headers, agent: false }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`the service answered ${response.statusCode}`));
      response.on('data', (piece: Buffer) => {
        heardEvents += piece.toString().split('event: entity').length - 1;
      });
      response.on('error', () => {});
      resolve(request);
    });
    request.on('error', reject);
  });

/** Listens to everything that happens, so many times at once. */
const openStreams = async ({ count, ...to }: Target & { readonly count: number }): Promise<void> => {
  for (let at = 0; at < count; at += 1) streams.push(await openStream(to));
};

/** Listens no more; answers how many events were heard by all together. */
const closeStreams = (): Promise<number> => {
  for (const request of streams.splice(0)) request.destroy();
  return Promise.resolve(heardEvents);
};

const jobs = {
  getPaths,
  weighAnswer,
  postBody,
  postTables,
  putTables,
  putOne,
  putEach,
  askEach,
  putRows,
  postRows,
  feed,
  feedEach,
  putBatch,
  putKind,
  putSpare,
  stream,
  openStreams,
  closeStreams,
};

export type LoadJobs = typeof jobs;

serveJobs(jobs);
