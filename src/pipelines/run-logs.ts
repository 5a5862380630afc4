import { setImmediate as nextTurn } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import type { Engine } from '../catalog/engine.ts';
import { createStep, notFoundFactory, STEP_ORDER } from '../catalog/plan/step.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { badRequest, CatalogError } from '../errors.ts';
import { encodeProperty } from '../graph/encode-property.ts';
import type { WriteStep } from '../graph/group-commit.ts';
import type { JsonObject } from '../model/json.ts';
import { maskSecretsInText } from '../model/secret-masking.ts';
import { deleteOldLogs, deleteOldRuns, listLogPieces, readRun, updateLogs } from './queries.ts';
import { runKeyOf } from './runs.ts';

/** The logs of runs of ingestion pipelines, in pieces of limited number and size. */

/** The size of one report, unpacked. */
const MAX_BATCH_BYTES = 1024 * 1024;

/** A piece takes reports up to this size; a log keeps its newest pieces. */
const FULL_PIECE_BYTES = 256 * 1024;
const KEPT_PIECES = 64;

/** The number of runs of a pipeline whose logs are kept, and their size together. The newest log is kept in any case. */
const LOGGED_RUNS = 10;
const KEPT_LOG_BYTES = 64 * 1024 * 1024;

/** How much of a log is searched for secrets in one turn of the event loop. */
const MASKED_PER_TURN = 32 * 1024;

/** The size of the runs of a pipeline together; the oldest go. */
const KEPT_RUN_BYTES = 16 * 1024 * 1024;

/** Deletes the oldest runs of a pipeline, with their logs, when all of them are too large. */
export const deleteOldRunsStep = ({ id }: Snapshot): WriteStep =>
  createStep(deleteOldRuns, STEP_ORDER.label, [
    { id, bytes: encodeProperty(KEPT_RUN_BYTES), pieces: encodeProperty(KEPT_PIECES) },
  ]);

export type LogBatch = { readonly logs?: string; readonly compressed?: boolean };

const tooLongError = () => new CatalogError('payload_too_large', `[logs must have at most ${MAX_BATCH_BYTES} bytes]`);

const unpack = (text: string): string => {
  try {
    return gunzipSync(Buffer.from(text, 'base64'), { maxOutputLength: MAX_BATCH_BYTES }).toString();
  } catch (failure) {
    if (failure instanceof RangeError) throw tooLongError();
    throw badRequest('[logs must be gzip in base64]', failure);
  }
};

/** Reads the text of a report. It ends with a whole line, so that the next one begins with a new line. */
const readBatch = ({ logs = '', compressed = false }: LogBatch): string => {
  const text = compressed && logs !== '' ? unpack(logs) : logs;
  if (Buffer.byteLength(text) > MAX_BATCH_BYTES) throw tooLongError();
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
};

/** The end of a part that is searched at once. It ends with a line, and does not end within a private key. */
const partEnd = (text: string, start: number): number => {
  const limit = start + MASKED_PER_TURN;
  if (limit >= text.length) return text.length;
  const lineEnd = text.lastIndexOf('\n', limit) + 1;
  const end = lineEnd > start ? lineEnd : limit;
  const key = text.lastIndexOf('-----BEGIN', end);
  return key > start && text.lastIndexOf('-----END', end) < key ? key : end;
};

/** Masks what looks like a secret. A log is printed by programs that do not know where it will be read. */
const maskLog = async (text: string): Promise<string> => {
  let masked = '';
  for (let start = 0; start < text.length; ) {
    const end = partEnd(text, start);
    masked += maskSecretsInText(text.slice(start, end));
    start = end;
    if (start < text.length) await nextTurn();
  }
  return masked;
};

const countLines = (text: string): number => text.split('\n').length - 1;

/** Appends a report to the log of a run. The pipeline does not change, and no event tells of it. */
export const appendLog = async (
  engine: Engine,
  { id, kind }: Snapshot,
  key: string,
  batch: LogBatch,
): Promise<void> => {
  const text = await maskLog(readBatch(batch));
  if (text === '') return;
  const kept = encodeProperty(KEPT_PIECES);
  const bytes = Buffer.byteLength(text);
  const numbers = { now: engine.clock(), lines: countLines(text), bytes, full: FULL_PIECE_BYTES };
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
      createStep(deleteOldLogs, STEP_ORDER.label, [
        { id, kept, runs: encodeProperty(LOGGED_RUNS), bytes: encodeProperty(KEPT_LOG_BYTES) },
      ]),
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
