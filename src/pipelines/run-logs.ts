import { gunzipSync } from 'node:zlib';
import type { Engine } from '../catalog/engine.ts';
import { createStep, notFoundFactory, STEP_ORDER } from '../catalog/plan/step.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { badRequest, CatalogError } from '../errors.ts';
import { encodeProperty } from '../graph/encode-property.ts';
import type { JsonObject } from '../model/json.ts';
import { deleteOldLogs, listLogPieces, readRun, updateLogs } from './queries.ts';
import { runKeyOf } from './runs.ts';

/** The logs of runs of ingestion pipelines, in pieces of limited number and size. */

/** The size of one report, unpacked. */
const MAX_BATCH_CHARACTERS = 1024 * 1024;

/** A piece takes reports until it has this size; a log keeps its newest pieces. */
const FULL_PIECE_CHARACTERS = 256 * 1024;
const KEPT_PIECES = 64;

/** The number of runs of a pipeline whose logs are kept. */
const LOGGED_RUNS = 10;

export type LogBatch = { readonly logs?: string; readonly compressed?: boolean };

const tooLongError = () =>
  new CatalogError('payload_too_large', `[logs must have at most ${MAX_BATCH_CHARACTERS} characters]`);

const unpack = (text: string): string => {
  try {
    return gunzipSync(Buffer.from(text, 'base64'), { maxOutputLength: 4 * MAX_BATCH_CHARACTERS }).toString();
  } catch (failure) {
    if (failure instanceof RangeError) throw tooLongError();
    throw badRequest('[logs must be gzip in base64]', failure);
  }
};

/** Reads the text of a report. It ends with a whole line, so that the next one begins with a new line. */
const readBatch = ({ logs = '', compressed = false }: LogBatch): string => {
  const text = compressed && logs !== '' ? unpack(logs) : logs;
  if (text.length > MAX_BATCH_CHARACTERS) throw tooLongError();
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
};

const countLines = (text: string): number => text.split('\n').length - 1;

/** Appends a report to the log of a run. The pipeline does not change, and no event tells of it. */
export const appendLog = async (
  engine: Engine,
  { id, kind }: Snapshot,
  key: string,
  batch: LogBatch,
): Promise<void> => {
  const text = readBatch(batch);
  if (text === '') return;
  const kept = encodeProperty(KEPT_PIECES);
  const numbers = { now: engine.clock(), lines: countLines(text), full: FULL_PIECE_CHARACTERS };
  const encoded = Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, encodeProperty(value)]));
  await engine.commit({
    keys: [key],
    steps: [
      createStep(
        updateLogs,
        STEP_ORDER.link,
        [{ id, key, text, kept, ...encoded }],
        notFoundFactory(kind.entityType, id),
      ),
      createStep(deleteOldLogs, STEP_ORDER.label, [{ id, kept, runs: encodeProperty(LOGGED_RUNS) }]),
    ],
  });
};

/** Reads lines of the log of a run, from the first that is kept if older ones are asked for. */
export const readLog = async (
  engine: Engine,
  pipeline: Snapshot,
  runId: string,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<JsonObject> => {
  const key = runKeyOf(pipeline, runId);
  const [run] = await engine.graph.read(readRun, { key });
  const total = run?.lines ?? 0;
  const newest = run?.pieces ?? 0;
  const numbers = Array.from({ length: Math.min(KEPT_PIECES, newest) }, (_, at) => newest - at);
  const keys = numbers.map((number) => `${key}:${number}`);
  const pieces = await engine.graph.read(listLogPieces, { keys, start: offset, end: offset + limit });
  const [first] = pieces;
  if (!first) return { logs: '', total };
  const lines = pieces.flatMap(({ text }) => text.split('\n').slice(0, -1));
  const from = Math.max(offset, first.before);
  const shown = lines.slice(from - first.before, from - first.before + limit);
  const after = from + shown.length;
  return { logs: shown.join('\n'), total, ...(after < total ? { after: String(after) } : {}) };
};
