import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { StartupError } from '../errors.ts';
import { objectOf, readList, textOf } from './catalog-client.ts';
import type { CommandInput } from './command.ts';
import { describeProgress, waitForJob } from './job-progress.ts';
import { stripControls } from './output.ts';
import { printList } from './print-list.ts';
import {
  createContentRequest,
  createJsonRequest,
  type RequestContent,
  type ServiceConnection,
} from './service-client.ts';

/** Sends a script, a folder of scripts or a query log to a running service, and tells what lineage they show. */

const COMMAND = 'lineage sql';
const MAX_SHOWN_EDGES = 100;

const LOG_TYPES: Readonly<Record<string, string>> = {
  '.csv': 'text/csv',
  '.jsonl': 'application/x-ndjson',
  '.ndjson': 'application/x-ndjson',
};

const failToRead = (path: string) => (cause: Error) => {
  throw new StartupError(`${path} cannot be read: ${cause.message}`, { cause });
};

const readText = (path: string): Promise<string> => readFile(path, 'utf8').catch(failToRead(path));

/** Lists the scripts of a folder and of the folders in it, in the order of their names. */
const listScripts = async (folder: string): Promise<readonly string[]> => {
  const names = await readdir(folder, { recursive: true }).catch(failToRead(folder));
  const scripts = names.filter((name) => extname(name).toLowerCase() === '.sql').sort();
  if (scripts.length === 0) throw new StartupError(`${folder} has no file that ends with .sql`);
  return scripts.map((name) => join(folder, name));
};

/** Each script is a session of its own, so that its temporary tables are no other's. */
const readScripts = async (paths: readonly string[]): Promise<RequestContent> => {
  const texts = await Promise.all(paths.map(readText));
  const statements = texts.flatMap((sql, at) => (sql.trim() === '' ? [] : [{ sql, user: `script ${at + 1}` }]));
  return { mediaType: 'application/json', content: JSON.stringify({ statements }) };
};

const readContent = async (path: string): Promise<RequestContent> => {
  const found = await stat(path).catch(failToRead(path));
  if (found.isDirectory()) return readScripts(await listScripts(path));
  const mediaType = LOG_TYPES[extname(path).toLowerCase()];
  return mediaType === undefined ? readScripts([path]) : { mediaType, content: await readText(path) };
};

const fqnOf = (ref: unknown): string => stripControls(textOf(objectOf(ref)['fullyQualifiedName']));

const countText = (value: unknown, word: string): string => `${Number(value ?? 0).toLocaleString('en')} ${word}`;

const printFindings = ({ output }: CommandInput, result: ReturnType<typeof objectOf>): void => {
  const edges = readList(result['edges']);
  if (edges.length > 0)
    output.table(
      ['From', 'To', 'Columns', 'Confidence'],
      edges
        .slice(0, MAX_SHOWN_EDGES)
        .map(({ from, to, columns, confidence }) => [
          fqnOf(from),
          fqnOf(to),
          String(readList(columns).length),
          textOf(confidence),
        ]),
    );
  if (edges.length > MAX_SHOWN_EDGES) output.note(`… ${edges.length - MAX_SHOWN_EDGES} more edges; --json prints all.`);
  const usage = readList(result['usage']).map(({ entity, count }) => `${fqnOf(entity)}: ${textOf(count)}`);
  printList(output, output.paint('bold', 'Asked'), usage);
  const unresolved = readList(result['unresolved']).map(
    ({ reason, name, count, example }) =>
      `${textOf(reason)} ${stripControls(textOf(name) || textOf(example))} (${textOf(count)})`,
  );
  printList(output, output.paint('bold', 'Not understood'), unresolved);
  const refused = readList(result['refused']).map(({ entity, message }) => `${fqnOf(entity)}: ${textOf(message)}`);
  printList(output, output.paint('bold', output.paint('red', 'Refused')), refused);
};

/** Reads lineage from SQL. Nothing is written without `--apply`. The exit code is 1 when something was refused. */
export const readLineageFromSql = async (input: CommandInput, remote: ServiceConnection): Promise<number> => {
  const [path = ''] = input.positionals;
  const { output, text } = input;
  const isApplied = input.has('apply');
  const query = new URLSearchParams({ async: 'true', dryRun: String(!isApplied) });
  for (const name of ['service', 'database', 'schema', 'dialect']) {
    const value = text(name);
    if (value !== undefined) query.set(name, value);
  }
  const started = await createContentRequest(remote)(path, 'POST', `lineage/sql?${query}`, await readContent(path));
  const jobId = textOf(objectOf(await started.json())['jobId']);
  const request = createJsonRequest(remote);
  const onProgress = (job: Parameters<typeof describeProgress>[0]) =>
    output.progress(describeProgress(job, 'statements'));
  await waitForJob(request, COMMAND, jobId, { onProgress });
  const result = objectOf(await request(COMMAND, 'GET', `jobs/${jobId}/result`));
  if (input.has('json')) output.json(result);
  else {
    printFindings(input, result);
    const understood = `${countText(result['understood'], 'of')} ${countText(result['statements'], 'statements')} understood`;
    output.note(
      isApplied
        ? `${understood}; ${countText(result['applied'], 'edges')} written.`
        : `${understood}. Nothing was written: add --apply.`,
    );
  }
  return readList(result['refused']).length > 0 ? 1 : 0;
};
