import { notFound, recordNotFound } from '../../errors.ts';
import { createAdaptivePageSize } from '../../events/adaptive-page-size.ts';
import { readStoredText } from '../../graph/stored-texts.ts';
import { integerParameter } from '../../http/query-parameters.ts';
import type { JsonObject } from '../../model/json.ts';
import { filterJsonMembers, quoteInPieces } from '../../model/json-text.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { createPacer } from '../../model/pacer.ts';
import { parseVersion } from '../../model/version.ts';
import type { Engine, Writer } from '../engine.ts';
import { readCurrentVersion, readVersion, readVersions } from '../version-queries.ts';
import { authorizeRecord } from './facts.ts';
import { storedSnapshotFields, writeFields } from './fields.ts';
import { needsStateRedaction, redactStoredState } from './redact-stored-state.ts';
import { createRedactor } from './redaction.ts';
import { storedSnapshot } from './stored-snapshot.ts';

/** Keeps only members of the contract, also in states that an older version of the server wrote. */
const createMemberFilter = (kind: Kind): ((name: string) => boolean) => {
  const kept = storedSnapshotFields(kind);
  return (name) => kind.fieldNames.has(name) && (!kind.gatedNames.has(name) || kept.has(name));
};

/** A record with more characters would block the event loop even when it is processed in steps. */
const MAX_CHARACTERS = 4 * 1024 * 1024;

/**
 * Returns the current version if the record exists and the caller may see it. It does not read the record's content.
 */
const findCurrentVersion = async (
  engine: Engine,
  { kind, principal, countWork }: Writer,
  id: string,
): Promise<number> => {
  const [found] = await engine.graph.read(readCurrentVersion, { id, entityType: kind.entityType });
  if (!found) throw recordNotFound(kind.entityType, id);
  await authorizeRecord(engine, principal, ['ViewBasic'], { kind, id });
  // A state that must be parsed and redacted cannot be processed in steps, and any former state may be long.
  const isRedacted = createRedactor(engine, principal) !== undefined;
  if (isRedacted) countWork?.(Number.POSITIVE_INFINITY);
  else if (found.weight > MAX_CHARACTERS) countWork?.(found.weight);
  return found.version;
};

/** Returns a former state as text, restricted to what readers may see. */
const readFormerText = async (engine: Engine, kind: Kind, stored: string): Promise<string> => {
  const text = await filterJsonMembers(await readStoredText(engine.graph, stored), createMemberFilter(kind));
  return needsStateRedaction(kind) ? JSON.stringify(redactStoredState(kind, JSON.parse(text) as JsonObject)) : text;
};

/** Returns the current state as text, with its version. */
const readCurrentText = async (engine: Engine, kind: Kind, id: string) => {
  const record = await engine.store.record(kind, { id }, writeFields(kind));
  if (!record) throw recordNotFound(kind.entityType, id);
  const pacer = createPacer();
  // Reading the trees parses long ones.
  Object.values(record.columns);
  if (pacer.isSliceUsedUp()) await pacer.yieldToEventLoop();
  const state = storedSnapshot(engine, record);
  if (pacer.isSliceUsedUp()) await pacer.yieldToEventLoop();
  return { version: record.version, text: JSON.stringify(state) };
};

/** Parses a stored state, restricted to what readers may see. */
export const parseStoredState = async (engine: Engine, kind: Kind, stored: string): Promise<JsonObject> =>
  JSON.parse(await readFormerText(engine, kind, stored)) as JsonObject;

const readFormerStateText = async (
  engine: Engine,
  kind: Kind,
  id: string,
  version: number,
): Promise<string | undefined> => {
  const [former] = await engine.graph.read(readVersion, { id, version });
  return former && readFormerText(engine, kind, former.json);
};

/** Reads the state of a record at a version that is not the current one. */
export const readFormerState = async (
  engine: Engine,
  kind: Kind,
  id: string,
  version: number,
): Promise<JsonObject | undefined> => {
  const text = await readFormerStateText(engine, kind, id, version);
  return text === undefined ? undefined : (JSON.parse(text) as JsonObject);
};

/** A page of a record's versions: how many to return, and how many newer ones to skip. */
export type VersionsRequest = { readonly limit: number; readonly offset: number };

/** Parses the parameters of a version list: all versions, unless the request limits them. */
export const parseVersionsRequest = (query: URLSearchParams): VersionsRequest => ({
  limit: integerParameter(query, 'limit', Number.MAX_SAFE_INTEGER, 1, Number.MAX_SAFE_INTEGER),
  offset: integerParameter(query, 'offset', 0, 0, Number.MAX_SAFE_INTEGER),
});

/** The number of former states in the first batch, before their length is known. */
const FIRST_PIECE = 8;
const MAX_BATCH = 200;

/** Reads the texts of former states, newest first, in batches, so that memory does not grow with their number. */
async function* readFormerTexts(
  engine: Engine,
  kind: Kind,
  id: string,
  from: number,
  { limit, offset }: VersionsRequest,
) {
  const pieces = createAdaptivePageSize(MAX_BATCH);
  let below = from;
  let left = limit;
  for (let skip = offset, size = FIRST_PIECE; left > 0; skip = 0) {
    const asked = Math.min(left, size);
    const rows = await engine.graph.read(readVersions, { id, below, skip, limit: asked });
    for (const { version, json } of rows) {
      yield await readFormerText(engine, kind, json);
      below = version;
    }
    if (rows.length < asked) return;
    left -= rows.length;
    pieces.adapt(rows);
    size = pieces.size();
  }
}

async function* readVersionTexts(engine: Engine, kind: Kind, id: string, { limit, offset }: VersionsRequest) {
  if (offset > 0) {
    yield* readFormerTexts(engine, kind, id, Number.MAX_SAFE_INTEGER, { limit, offset: offset - 1 });
    return;
  }
  const present = await readCurrentText(engine, kind, id);
  yield present.text;
  yield* readFormerTexts(engine, kind, id, present.version, { limit: limit - 1, offset: 0 });
}

/** Short states are collected up to this length before they are sent. */
const MIN_CHUNK_CHARACTERS = 64 * 1024;

/**
 * Streams the states of a record as JSON texts, newest first, starting with the current state. The answer starts before
 * any state is read, and memory never holds more than one long state.
 */
export const listVersions = async (
  engine: Engine,
  reader: Writer,
  id: string,
  request: VersionsRequest,
): Promise<AsyncGenerator<string, void, undefined>> => {
  await findCurrentVersion(engine, reader, id);
  return streamVersions(engine, reader, id, request);
};

/** Redacts a state for the reader; the text is unchanged for a reader who may see everything. */
const redactStateText = async (engine: Engine, { principal }: Writer, text: string): Promise<string> => {
  const redact = createRedactor(engine, principal);
  if (!redact) return text;
  const [state] = await redact([JSON.parse(text) as JsonObject]);
  return JSON.stringify(state);
};

async function* streamVersions(engine: Engine, reader: Writer, id: string, request: VersionsRequest) {
  const { kind } = reader;
  yield `{"entityType":${JSON.stringify(kind.entityType)},"versions":[`;
  let gathered = '';
  let separator = '';
  for await (const text of readVersionTexts(engine, kind, id, request)) {
    gathered += separator;
    separator = ',';
    for await (const piece of quoteInPieces(await redactStateText(engine, reader, text))) {
      gathered += piece;
      if (gathered.length < MIN_CHUNK_CHARACTERS) continue;
      yield gathered;
      gathered = '';
    }
  }
  yield `${gathered}]}`;
}

/** Reads the record at one version, as text. */
export const readVersionState = async (engine: Engine, reader: Writer, id: string, text: string): Promise<string> =>
  redactStateText(engine, reader, await readVersionText(engine, reader, id, text));

const readVersionText = async (engine: Engine, reader: Writer, id: string, text: string): Promise<string> => {
  const { kind } = reader;
  const present = await findCurrentVersion(engine, reader, id);
  const version = parseVersion(text);
  const former = version === undefined ? undefined : await readFormerStateText(engine, kind, id, version);
  if (former !== undefined) return former;
  if (version === present) {
    const state = await readCurrentText(engine, kind, id);
    // If the record changed between the two reads, the state is a former state now.
    if (state.version === version) return state.text;
    const left = await readFormerStateText(engine, kind, id, version);
    if (left !== undefined) return left;
  }
  throw notFound(`${kind.entityType} instance for ${id} and version ${text} not found`);
};
