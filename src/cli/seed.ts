import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as v from 'valibot';
import { isMap, isSeq, LineCounter, type ParsedNode, parseAllDocuments } from 'yaml';
import { StartupError } from '../errors.ts';
import { packageRoot } from '../graph/package-root.ts';
import { expandProfiles, expandResults } from './seed-series.ts';
import { createJsonRequest, type JsonRequest, type ServiceConnection } from './service-client.ts';

type SeedOptions = ServiceConnection & {
  readonly report: (line: string) => void;
  /** The folder of seed files; the sample company by default. */
  readonly folder?: string;
};

type SeedBody = Readonly<Record<string, unknown>>;

/**
 * One document of a seed file. Its records go together to the collection's bulk operation, so children of records of
 * the same kind must be in a later document. With `put`, each record is sent alone to that path below the record named
 * in `of`; `{id}` and `{fqn}` stand for that record. `ids` names the fields that hold names where the API expects ids,
 * and their collection. With `series`, each record stands for daily values.
 */
const SeedStep = v.strictObject({
  collection: v.string(),
  put: v.optional(v.string()),
  series: v.optional(v.picklist(['results', 'profiles'])),
  ids: v.optional(v.record(v.string(), v.string()), {}),
  records: v.array(v.record(v.string(), v.unknown())),
});

const SeedDetail = v.strictObject({ of: v.string(), send: v.unknown() });

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
const readSeeds = async (folder: string): Promise<SeedStep[]> => {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.yaml')).sort();
  const files = names.map(async (name) => parseSteps(name, await readFile(join(folder, name), 'utf8')));
  return (await Promise.all(files)).flat();
};

/** The connection to the service, and the ids already looked up. */
type SeedLoader = {
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

const putOne = async (loader: SeedLoader, { collection, put = '', ids }: SeedStep, row: SeedRow): Promise<void> => {
  const detail = v.safeParse(SeedDetail, row.body);
  if (!detail.success) throw new StartupError(`${row.place}: ${detail.issues[0].message}`);
  const { of } = detail.output;
  const id = put.includes('{id}') ? await resolveId(loader, row.place, collection, of) : '';
  const path = put.replace('{id}', id).replace('{fqn}', encodeURIComponent(of));
  const { send } = await resolveIds(loader, row, ids);
  await loader.request(`${row.place} (${of})`, 'PUT', `${collection}/${path}`, send);
};

/** Expands a series record. Errors include the record's position. */
const expandSeries = <T>({ place, body }: SeedRow, read: (body: SeedBody) => T): T => {
  try {
    return read(body);
  } catch (failure) {
    throw new StartupError(`${place}: ${(failure as Error).message}`);
  }
};

/** Sends daily table profiles. */
const putProfiles = async (loader: SeedLoader, { collection, rows }: SeedStep): Promise<void> => {
  for (const row of rows) {
    const { of, bodies } = expandSeries(row, expandProfiles);
    const id = await resolveId(loader, row.place, collection, of);
    for (const body of bodies) await loader.request(row.place, 'PUT', `${collection}/${id}/tableProfile`, body);
  }
};

/** Sends test results in batches. */
const putResults = async (loader: SeedLoader, { collection, file, rows }: SeedStep): Promise<void> => {
  const results = rows.flatMap((row) => expandSeries(row, expandResults));
  for (let from = 0; from < results.length; from += ROWS_PER_REQUEST) {
    const part = results.slice(from, from + ROWS_PER_REQUEST);
    const answer = (await loader.request(file, 'PUT', `${collection}/testCaseResults/bulk`, part)) as SeedBulkAnswer;
    const [refused] = answer.failedRequest ?? [];
    if (refused) throw new StartupError(`${file}: ${JSON.stringify(refused.request)}: ${refused.message}`);
  }
};

const runStep = async (loader: SeedLoader, step: SeedStep): Promise<void> => {
  if (step.series === 'results') return putResults(loader, step);
  if (step.series === 'profiles') return putProfiles(loader, step);
  if (step.put === undefined) return putBulk(loader, step);
  for (const row of step.rows) await putOne(loader, step, row);
};

/**
 * Loads the seeds through the public API and returns the number of records. Safe to repeat: existing records stay
 * unchanged.
 */
export const loadSeeds = async (options: SeedOptions): Promise<number> => {
  const steps = await readSeeds(options.folder ?? COMPANY_SEEDS);
  const loader: SeedLoader = { request: createJsonRequest(options), knownIds: new Map() };
  const started = Date.now();
  let total = 0;
  for (const step of steps) {
    await runStep(loader, step);
    total += step.rows.length;
    const part = step.put ?? step.series;
    const what = part === undefined ? step.collection : `${step.collection}/${part}`;
    options.report(
      `${basename(step.file, '.yaml').padEnd(22)} ${what.padEnd(34)} ${String(step.rows.length).padStart(4)}`,
    );
  }
  options.report(`${options.server}: ${total} records in place after ${((Date.now() - started) / 1000).toFixed(1)} s`);
  return total;
};
