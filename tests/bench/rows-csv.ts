import { CSV_LAYOUTS, layoutHeader } from '../../src/csv/layout.ts';
import { writeCsvLines } from '../../src/http/csv-writer.ts';
import { TYPES } from './dataset.ts';
import { peakDuring, residentMb } from './processes.ts';
import { restart } from './rows-start.ts';
import { type Result, type Stand, target } from './stand.ts';

/** Files go out of everything that was loaded, and come back in with another text in every row. */

const ROWS = 5000;
const IMPORT_MS = 5000;
const COLUMNS = 100_000;
const EXPORT_MS = 5000;
const RESIDENT_MB = 200;
/** A little less than the largest file that is taken. */
const LARGE_BYTES = 19 * 1024 * 1024;

const SERVICE = '/v1/services/databaseServices/name/bench';

const { fields } = CSV_LAYOUTS.recursive;
const at = (name: string): number => fields.findIndex((field) => field.name === name);
const DESCRIPTION = at('description');
const ENTITY_TYPE = at('entityType');

const headers = (stand: Stand) => ({ authorization: `Bearer ${stand.service.token}` });

/** As many rows of an export as are wanted; the rest is not waited for. */
const someRows = async (stand: Stand, wanted: number, isWanted: (row: readonly string[]) => boolean) => {
  const { address } = stand.service;
  const reply = await fetch(`${address}${SERVICE}/export?recursive=true`, { headers: headers(stand) });
  const rows: string[][] = [];
  let rest = '';
  if (!reply.body) throw new Error('there is no file');
  for await (const piece of reply.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + piece).split('\r\n');
    rest = lines.pop() ?? '';
    // What was loaded has neither quotes nor commas in it but in texts, which are given others anyhow.
    for (const line of lines.slice(rows.length === 0 ? 1 : 0)) {
      const row = cellsOf(line);
      if (row.length === fields.length && isWanted(row)) rows.push(row);
      if (rows.length === wanted) return rows;
    }
  }
  return rows;
};

/** The cells of a line, of which some stand in quotes. */
const cellsOf = (line: string): string[] =>
  [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map((match) => match[1] ?? match[2] ?? '');

const withTexts = (rows: readonly (readonly string[])[], text: string): string =>
  writeCsvLines([
    layoutHeader(CSV_LAYOUTS.recursive),
    ...rows.map((row, index) => row.map((cell, place) => (place === DESCRIPTION ? `${index} ${text}` : cell))),
  ]);

/** Sends a file; answers how long it took until everything was told of it. */
const send = async (stand: Stand, file: string, dryRun: boolean): Promise<number> => {
  const started = performance.now();
  const reply = await fetch(`${stand.service.address}${SERVICE}/import?dryRun=${dryRun}`, {
    method: 'PUT',
    headers: { ...headers(stand), 'content-type': 'text/csv' },
    body: file,
  });
  const text = await reply.text();
  if (!text.includes('"numberOfRowsFailed":0')) throw new Error(`rows failed: ${text.slice(0, 500)}`);
  return performance.now() - started;
};

type Took = { readonly dryMs: number; readonly applyMs: number };

const importing = async (stand: Stand, rows: readonly (readonly string[])[]): Promise<Took> => {
  // The first one waits for plans and compilers.
  await send(stand, withTexts(rows, 'was measured'), false);
  const file = withTexts(rows, 'is measured');
  const dryMs = await send(stand, file, true);
  return { dryMs, applyMs: await send(stand, file, false) };
};

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

/** Reads everything as one file and keeps nothing of it; answers how long it took. */
const exporting = async (stand: Stand): Promise<number> => {
  const path = `${SERVICE}/export?recursive=true`;
  return (await stand.load.run('stream', { ...target(stand), path })).seconds * 1000;
};

/** Node lets its heap grow to several times what is in use where there is room; a small machine says how far it may. */
const SMALL = { NODE_OPTIONS: '--max-old-space-size=128 --max-semi-space-size=2' };

type Rows = readonly (readonly string[])[];

/** Everything in one file, and the largest file that comes in, by a service that has done nothing else before. */
const inMemory = async (stand: Stand, rows: Rows, env?: Readonly<Record<string, string>>) => {
  await restart(stand, env);
  const idleMb = await residentMb(stand.service.pid);
  const out = await peakDuring(stand.service.pid, () => exporting(stand));
  await restart(stand, env);
  const large = withTexts(
    rows,
    `${rows.length}${env ? 'small' : ''}${'x'.repeat(Math.floor(LARGE_BYTES / rows.length))}`,
  );
  const coming = await peakDuring(stand.service.pid, () => send(stand, large, false));
  return { idleMb, exportMb: out.peakMb, largeMs: coming.result, importMb: coming.peakMb };
};

/** Files of what lies below a service. */
export const measureFiles = async (stand: Stand): Promise<Result> => {
  const mixed = await someRows(stand, ROWS, () => true);
  const tables = await someRows(stand, ROWS, (row) => row[ENTITY_TYPE] === 'table');
  const [ofAll, ofTables] = [await importing(stand, mixed), await importing(stand, tables)];
  const columns = stand.options.tables * TYPES.length;
  const exportMs = ((await exporting(stand)) * COLUMNS) / columns;
  const [memory, small] = [await inMemory(stand, tables), await inMemory(stand, tables, SMALL)];
  await restart(stand);
  const peakMb = Math.max(small.exportMb, small.importMb);
  const imports = `${seconds(ofAll.applyMs)} (dry ${seconds(ofAll.dryMs)})`;
  return {
    row: 'csv',
    work: `import of ${ROWS} rows; export of ${COLUMNS} columns (of ${columns}); memory`,
    raw: `rows that are all tables: ${seconds(ofTables.applyMs)} (dry ${seconds(ofTables.dryMs)})`,
    service: `${memory.idleMb.toFixed(0)} MB before; out ${memory.exportMb.toFixed(0)} MB, in ${memory.importMb.toFixed(0)} MB`,
    reached: `${imports}; ${seconds(exportMs)}; ${peakMb.toFixed(0)} MB with a small heap`,
    target: `< ${seconds(IMPORT_MS)}; < ${seconds(EXPORT_MS)}; < ${RESIDENT_MB} MB`,
    ok: ofAll.applyMs < IMPORT_MS && ofAll.dryMs <= ofAll.applyMs && exportMs < EXPORT_MS && peakMb < RESIDENT_MB,
    figures: { ofAll, ofTables, exportMs, ...memory, small, columns },
  };
};
