import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as v from 'valibot';
import { isMap, isSeq, LineCounter, type ParsedNode, parseAllDocuments } from 'yaml';
import { StartupError } from '../errors.ts';
import { mapConcurrently } from '../graph/map-concurrently.ts';
import { packageRoot } from '../graph/package-root.ts';
import { requestBotToken } from './bot-token.ts';
import { dateOf, newestDay, placeInTime, SEED_DAY_MS } from './seed-moments.ts';
import { expandProfiles, expandResults, expandRuns, expandUsage, type SeedUsage, USAGE_DAYS } from './seed-series.ts';
import {
  createJsonRequest,
  createServiceRequest,
  type JsonRequest,
  type ServiceConnection,
  ServiceRefusal,
} from './service-client.ts';

type SeedOptions = ServiceConnection & {
  readonly report: (line: string) => void;
  /** The folder of seed files; the sample company by default. */
  readonly folder?: string;
  /** The moment from which the dates of the seeds are counted; the present by default. */
  readonly now?: number;
};

type SeedBody = Readonly<Record<string, unknown>>;

/**
 * One document of a seed file. Its records go together to the collection's bulk operation, so children of records of
 * the same kind must be in a later document. With `put` or `patch`, each record is sent alone to that path below the
 * record named in `of`; `{id}` and `{fqn}` stand for that record. `ids` names the fields that hold names where the API
 * expects ids, and their collection. With `series`, each record stands for daily values. `{{-1d}}` is a date and
 * `{{-1d 02:00}}` a moment, counted from the newest day.
 *
 * What has changed since is history: a document with `unless` is sent only while the record that it names is not there,
 * and a later document creates that record. With `bot`, that bot sends each record for the person named in `by`.
 */
const SeedStep = v.strictObject({
  collection: v.string(),
  put: v.optional(v.string()),
  patch: v.optional(v.string()),
  series: v.optional(v.picklist(['results', 'profiles', 'runs', 'usage'])),
  ids: v.optional(v.record(v.string(), v.string()), {}),
  bot: v.optional(v.string()),
  unless: v.optional(v.strictObject({ collection: v.string(), fqn: v.string() })),
  records: v.array(v.record(v.string(), v.unknown())),
});

const SeedDetail = v.strictObject({ of: v.string(), send: v.unknown(), by: v.optional(v.string()) });

/** A record and its position in the file, for messages. */
type SeedRow = { readonly place: string; readonly body: SeedBody };

type SeedStep = Omit<v.InferOutput<typeof SeedStep>, 'records'> & {
  readonly file: string;
  readonly rows: readonly SeedRow[];
};

type SeedBulkAnswer = { readonly failedRequest?: readonly { readonly request: unknown; readonly message: string }[] };

const COMPANY_SEEDS = join(packageRoot, 'seeds', 'company');
const ROWS_PER_REQUEST = 1000;
const MAX_FAILURES_SHOWN = 5;

/** The number of records whose daily values are written concurrently. */
const CONCURRENT_SERIES = 8;
const CONCURRENT_REPORTS = 32;

/** How long the token of a bot that acts for people counts; it is revoked as soon as its step is done. */
const BOT_TOKEN_TTL = '1h';

const NOT_FOUND = 404;

/** The first line of each record of a document. */
const linesOf = (contents: ParsedNode | null, lines: LineCounter): number[] => {
  const records = isMap(contents) ? contents.get('records', true) : undefined;
  if (!isSeq(records)) return [];
  return records.items.map((item) => lines.linePos((item as ParsedNode).range[0]).line);
};

/** Parses the documents of one file. Throws a StartupError that names the line of an error. */
const parseSteps = (file: string, text: string): SeedStep[] => {
  const lines = new LineCounter();
  const documents = parseAllDocuments<ParsedNode>(text, { lineCounter: lines, prettyErrors: false });
  if (!Array.isArray(documents)) return [];
  return documents.map((document): SeedStep => {
    const [error] = document.errors;
    if (error) throw new StartupError(`${file} line ${lines.linePos(error.pos[0]).line}: ${error.message}`);
    const begins = lines.linePos(document.contents?.range[0] ?? 0).line;
    const step = v.safeParse(SeedStep, document.toJS());
    if (!step.success) {
      const [issue] = step.issues;
      const [member, index] = issue.path?.map((part) => part.key) ?? [];
      const line = member === 'records' ? linesOf(document.contents, lines)[Number(index)] : undefined;
      throw new StartupError(`${file} line ${line ?? begins}: ${v.getDotPath(issue) ?? 'document'}: ${issue.message}`);
    }
    const { records, ...rest } = step.output;
    const at = linesOf(document.contents, lines);
    return { ...rest, file, rows: records.map((body, index) => ({ place: `${file} line ${at[index]}`, body })) };
  });
};

/** Reads all files before anything is sent, in numeric order, so that parents come before children. */
const readSeeds = async (folder: string, day: number): Promise<SeedStep[]> => {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.yaml')).sort();
  const files = names.map(async (name) => parseSteps(name, await readFile(join(folder, name), 'utf8')));
  const placed = ({ place, body }: SeedRow): SeedRow => ({ place, body: placeInTime(body, day) as SeedBody });
  return (await Promise.all(files)).flat().map((step) => ({ ...step, rows: step.rows.map(placed) }));
};

/** The connection to the service, the newest day of the company, and the ids already looked up. */
type SeedLoader = {
  readonly connection: ServiceConnection;
  readonly day: number;
  readonly request: JsonRequest;
  readonly knownIds: Map<string, Promise<string>>;
};

const requestId = async ({ request }: SeedLoader, place: string, path: string): Promise<string> =>
  ((await request(place, 'GET', path)) as { id: string }).id;

const resolveId = (loader: SeedLoader, place: string, collection: string, name: string): Promise<string> => {
  const path = `${collection}/name/${encodeURIComponent(name)}`;
  const id = loader.knownIds.get(path) ?? requestId(loader, place, path);
  loader.knownIds.set(path, id);
  return id;
};

/** Replaces names by ids in the fields where the API expects ids. */
const resolveIds = async (loader: SeedLoader, { place, body }: SeedRow, ids: SeedStep['ids']): Promise<SeedBody> => {
  const named = Object.entries(ids).filter(([member]) => body[member] !== undefined);
  const resolved = named.map(async ([member, collection]): Promise<[string, unknown]> => {
    const value = body[member];
    const resolve = (name: unknown) => resolveId(loader, place, collection, String(name));
    return [member, await (Array.isArray(value) ? Promise.all(value.map(resolve)) : resolve(value))];
  });
  return { ...body, ...Object.fromEntries(await Promise.all(resolved)) };
};

/** Describes the rows that a bulk operation refused, each with its position. */
const describeRefusals = (
  rows: readonly SeedRow[],
  sent: readonly SeedBody[],
  { failedRequest = [] }: SeedBulkAnswer,
): string[] => {
  const texts = sent.map((body) => JSON.stringify(body));
  return failedRequest.map(({ request, message }) => {
    const row = rows[texts.indexOf(JSON.stringify(request))];
    return `${row?.place ?? 'a record'} (${String(row?.body['name'] ?? 'unnamed')}): ${message}`;
  });
};

const putBulk = async (loader: SeedLoader, { file, collection, ids, rows }: SeedStep): Promise<void> => {
  for (let from = 0; from < rows.length; from += ROWS_PER_REQUEST) {
    const part = rows.slice(from, from + ROWS_PER_REQUEST);
    const sent = await Promise.all(part.map((row) => resolveIds(loader, row, ids)));
    const answer = (await loader.request(file, 'PUT', `${collection}/bulk`, sent)) as SeedBulkAnswer;
    const refused = describeRefusals(part, sent, answer);
    if (refused.length === 0) continue;
    const more = refused.length > MAX_FAILURES_SHOWN ? [`and ${refused.length - MAX_FAILURES_SHOWN} more`] : [];
    throw new StartupError([...refused.slice(0, MAX_FAILURES_SHOWN), ...more].join('\n'));
  }
};

/** Answers the request function of the person named in a record, or of the caller. */
type RequestOf = (by: string | undefined) => JsonRequest;

const sendOne = async (loader: SeedLoader, step: SeedStep, row: SeedRow, requestOf: RequestOf): Promise<void> => {
  const { collection, ids, patch } = step;
  const template = patch ?? step.put ?? '';
  const detail = v.safeParse(SeedDetail, row.body);
  if (!detail.success) throw new StartupError(`${row.place}: ${detail.issues[0].message}`);
  const { of, by } = detail.output;
  const id = template.includes('{id}') ? await resolveId(loader, row.place, collection, of) : '';
  const path = template.replace('{id}', id).replace('{fqn}', encodeURIComponent(of));
  const { send } = await resolveIds(loader, row, ids);
  const method = patch === undefined ? 'PUT' : 'PATCH';
  await requestOf(by)(`${row.place} (${of})`, method, `${collection}/${path}`, send);
};

/** Sends the records of a step one by one, so that changes of one record keep their order. */
const sendEach = async (loader: SeedLoader, step: SeedStep, requestOf: RequestOf): Promise<void> => {
  for (const row of step.rows) await sendOne(loader, step, row, requestOf);
};

/** Sends records with the token of the caller, in nobody else's name. */
const requestOfCaller =
  ({ request }: SeedLoader, { file }: SeedStep): RequestOf =>
  (by) => {
    if (by === undefined) return request;
    throw new StartupError(
      `${file}: records name "${by}" in "by", but their document names no bot that acts for people`,
    );
  };

/** Lets a bot send the records of a step for the people who are named in them. Its token ends with the step. */
const sendByBot = async (loader: SeedLoader, step: SeedStep, bot: string): Promise<void> => {
  const id = await resolveId(loader, step.file, 'users', bot);
  const token = await requestBotToken(loader.connection, bot, BOT_TOKEN_TTL);
  const requestOf: RequestOf = (by) =>
    by === undefined ? loader.request : createJsonRequest({ ...loader.connection, token, actsFor: by });
  try {
    await sendEach(loader, step, requestOf);
  } finally {
    await loader.request(step.file, 'PUT', 'users/revokeToken', { id });
  }
};

/** Expands a series record. Errors include the record's position. */
const expandSeries = <T>({ place, body }: SeedRow, read: (body: SeedBody) => T): T => {
  try {
    return read(body);
  } catch (failure) {
    throw new StartupError(`${place}: ${(failure as Error).message}`);
  }
};

/** Sends the daily values of single records: profiles of tables or runs of pipelines. */
const putDaily = async (loader: SeedLoader, { collection, rows, series }: SeedStep): Promise<void> => {
  const [expand, end] = series === 'runs' ? [expandRuns, 'status'] : [expandProfiles, 'tableProfile'];
  await mapConcurrently(rows, CONCURRENT_SERIES, async (row) => {
    const { of, bodies } = expandSeries(row, (body) => expand(body, loader.day));
    const key = series === 'runs' ? encodeURIComponent(of) : await resolveId(loader, row.place, collection, of);
    for (const body of bodies) await loader.request(row.place, 'PUT', `${collection}/${key}/${end}`, body);
  });
};

type SeedUsageAnswer = {
  readonly usage: readonly { readonly date: string; readonly dailyStats: { readonly count: number } }[];
};

/** The days whose usage differs from what the service has stored, because storing a count again is a change too. */
const listNewUsage = (counts: readonly SeedUsage[], { usage }: SeedUsageAnswer): readonly SeedUsage[] => {
  const stored = new Map(usage.map(({ date, dailyStats }) => [date, dailyStats.count]));
  return counts.filter(({ date, count }) => stored.get(date) !== count);
};

/** Sends daily usage of records of one kind, up to the last day that is over, and ranks them by it. */
const putUsage = async (loader: SeedLoader, { collection, file, rows }: SeedStep): Promise<void> => {
  const last = loader.day - SEED_DAY_MS;
  const found = await mapConcurrently(rows, CONCURRENT_SERIES, async (row) => {
    const { of, counts } = expandSeries(row, (body) => expandUsage(body, last));
    const path = `${collection}/name/${encodeURIComponent(of)}`;
    const stored = await loader.request(row.place, 'GET', `${path}?date=${dateOf(last)}&days=${USAGE_DAYS}`);
    return listNewUsage(counts, stored as SeedUsageAnswer).map((day) => ({ place: row.place, path, day }));
  });
  // The service commits what arrives together at once, which makes many small reports cheap.
  await mapConcurrently(found.flat(), CONCURRENT_REPORTS, ({ place, path, day }) =>
    loader.request(place, 'PUT', path, day),
  );
  const rankPath = collection.replace('usage/', 'usage/compute.percentile/');
  await createServiceRequest(loader.connection)(file, 'POST', `${rankPath}/${dateOf(last)}`);
};

/** Sends test results in batches. */
const putResults = async (loader: SeedLoader, { collection, file, rows }: SeedStep): Promise<void> => {
  const results = rows.flatMap((row) => expandSeries(row, (body) => expandResults(body, loader.day)));
  for (let from = 0; from < results.length; from += ROWS_PER_REQUEST) {
    const part = results.slice(from, from + ROWS_PER_REQUEST);
    const answer = (await loader.request(file, 'PUT', `${collection}/testCaseResults/bulk`, part)) as SeedBulkAnswer;
    const [refused] = answer.failedRequest ?? [];
    if (refused) throw new StartupError(`${file}: ${JSON.stringify(refused.request)}: ${refused.message}`);
  }
};

const runStep = async (loader: SeedLoader, step: SeedStep): Promise<void> => {
  if (step.series === 'results') return putResults(loader, step);
  if (step.series === 'usage') return putUsage(loader, step);
  if (step.series !== undefined) return putDaily(loader, step);
  if (step.bot !== undefined) return sendByBot(loader, step, step.bot);
  if (step.put !== undefined || step.patch !== undefined) return sendEach(loader, step, requestOfCaller(loader, step));
  return putBulk(loader, step);
};

/** Says what a step is going to send. */
const describeStep = (step: SeedStep, at: number, steps: number, isDone: boolean): string => {
  const part = step.put ?? step.patch ?? step.series;
  const what = part === undefined ? step.collection : `${step.collection}/${part}`;
  const position = `[${String(at + 1).padStart(2)}/${steps}]`;
  return `${position} ${basename(step.file, '.yaml').padEnd(22)} ${what.padEnd(34)} ${String(step.rows.length).padStart(4)}${isDone ? '  already there' : ''}`;
};

const recordExists = async ({ request }: SeedLoader, place: string, path: string): Promise<boolean> => {
  try {
    await request(place, 'GET', path);
    return true;
  } catch (failure) {
    if (failure instanceof ServiceRefusal && failure.status === NOT_FOUND) return false;
    throw failure;
  }
};

/** Finds the steps of history that an earlier load has sent: the records that end them are there. */
const findDoneSteps = async (loader: SeedLoader, steps: readonly SeedStep[]): Promise<ReadonlySet<SeedStep>> => {
  const paths = new Map<string, boolean>();
  const done = new Set<SeedStep>();
  for (const step of steps) {
    if (step.unless === undefined) continue;
    const path = `${step.unless.collection}/name/${encodeURIComponent(step.unless.fqn)}`;
    const exists = paths.get(path) ?? (await recordExists(loader, step.file, path));
    paths.set(path, exists);
    if (exists) done.add(step);
  }
  return done;
};

type SeedResult = { readonly server: string; readonly records: number; readonly seconds: number };

export const describeSeeds = ({ server, records, seconds }: SeedResult): string =>
  `${server}: ${records} records in place after ${seconds.toFixed(1)} s`;

/**
 * Loads the seeds through the public API. Reports each step before it runs. Safe to repeat: existing records stay
 * unchanged, and what has happened since the last time is added.
 */
export const loadSeeds = async (options: SeedOptions): Promise<SeedResult> => {
  const started = Date.now();
  const day = newestDay(options.now ?? started);
  const steps = await readSeeds(options.folder ?? COMPANY_SEEDS, day);
  const loader: SeedLoader = { connection: options, request: createJsonRequest(options), day, knownIds: new Map() };
  const total = steps.reduce((sum, { rows }) => sum + rows.length, 0);
  options.report(`Loading ${total} records in ${steps.length} steps into ${options.server}`);
  const done = await findDoneSteps(loader, steps);
  for (const [at, step] of steps.entries()) {
    options.report(describeStep(step, at, steps.length, done.has(step)));
    if (!done.has(step)) await runStep(loader, step);
  }
  return { server: options.server, records: total, seconds: (Date.now() - started) / 1000 };
};
