import { notFound, recordNotFound } from '../../errors.ts';
import { createPieces } from '../../events/pieces.ts';
import { readStoredText } from '../../graph/stored-texts.ts';
import { wholeNumber } from '../../http/query.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind.ts';
import { createPacer } from '../../model/pacer.ts';
import { keepMembers, quotedPieces } from '../../model/top-members.ts';
import { parseVersion } from '../../model/version.ts';
import type { Engine, Writer } from '../engine.ts';
import { readPresentVersion, readVersion, readVersions } from '../version-queries.ts';
import { permit } from './facts.ts';
import { keptFields, writeFields } from './fields.ts';
import { keptForm } from './kept.ts';
import { holdsSecrets, redactKept } from './redact-kept.ts';
import { redactorFor } from './visibility.ts';

/** Only members of the contract leave the house, also from states that an older program wrote. */
const isKnownTo = (kind: Kind): ((name: string) => boolean) => {
  const kept = keptFields(kind);
  return (name) => kind.fieldNames.has(name) && (!kind.gatedNames.has(name) || kept.has(name));
};

/** What is made of a longer record in steps would still hold the event loop. */
const MOST_CHARACTERS = 4 * 1024 * 1024;

/** Whether there is such a record and the caller may see it. Nothing of what it says is read. */
const findPresent = async (engine: Engine, { kind, principal, spend }: Writer, id: string): Promise<number> => {
  const [found] = await engine.graph.read(readPresentVersion, { id, entityType: kind.entityType });
  if (!found) throw recordNotFound(kind.entityType, id);
  await permit(engine, principal, ['ViewBasic'], { kind, id });
  // What must be parsed and redacted cannot be worked off in steps, and any former state may be a long one.
  const isRedacted = redactorFor(engine, principal) !== undefined;
  if (isRedacted) spend?.(Number.POSITIVE_INFINITY);
  else if (found.weight > MOST_CHARACTERS) spend?.(found.weight);
  return found.version;
};

/** A former state as text, as far as readers may see it. */
const formerText = async (engine: Engine, kind: Kind, stored: string): Promise<string> => {
  const text = await keepMembers(await readStoredText(engine.graph, stored), isKnownTo(kind));
  return holdsSecrets(kind) ? JSON.stringify(redactKept(kind, JSON.parse(text) as JsonObject)) : text;
};

/** The present state as text, and its version. */
const presentText = async (engine: Engine, kind: Kind, id: string) => {
  const record = await engine.store.record(kind, { id }, writeFields(kind));
  if (!record) throw recordNotFound(kind.entityType, id);
  const pacer = createPacer();
  // A long tree is made sense of when it is looked at first.
  Object.values(record.columns);
  if (pacer.isDue()) await pacer.rest();
  const state = keptForm(engine, record);
  if (pacer.isDue()) await pacer.rest();
  return { version: record.version, text: JSON.stringify(state) };
};

/** A state as it was kept, as far as readers may see it. */
export const parseState = async (engine: Engine, kind: Kind, stored: string): Promise<JsonObject> =>
  JSON.parse(await formerText(engine, kind, stored)) as JsonObject;

const formerStateText = async (
  engine: Engine,
  kind: Kind,
  id: string,
  version: number,
): Promise<string | undefined> => {
  const [former] = await engine.graph.read(readVersion, { id, version });
  return former && formerText(engine, kind, former.json);
};

/** What a record was at one version, if that is not what it is now. */
export const formerState = async (
  engine: Engine,
  kind: Kind,
  id: string,
  version: number,
): Promise<JsonObject | undefined> => {
  const text = await formerStateText(engine, kind, id, version);
  return text === undefined ? undefined : (JSON.parse(text) as JsonObject);
};

/** A part of the versions of a record: how many, and how many newer ones are left out. */
export type VersionsRequest = { readonly limit: number; readonly offset: number };

/** Reads the parameters of a list of versions: all of them, unless the request narrows it. */
export const parseVersionsRequest = (query: URLSearchParams): VersionsRequest => ({
  limit: wholeNumber(query, 'limit', Number.MAX_SAFE_INTEGER, 1, Number.MAX_SAFE_INTEGER),
  offset: wholeNumber(query, 'offset', 0, 0, Number.MAX_SAFE_INTEGER),
});

/** How many former states are read at once, before it is known how long they are. */
const FIRST_PIECE = 8;
const MOST_AT_ONCE = 200;

/** The texts of former states, newest first, read in pieces so that memory does not grow with their number. */
async function* formerTexts(engine: Engine, kind: Kind, id: string, from: number, { limit, offset }: VersionsRequest) {
  const pieces = createPieces(MOST_AT_ONCE);
  let below = from;
  let left = limit;
  for (let skip = offset, size = FIRST_PIECE; left > 0; skip = 0) {
    const asked = Math.min(left, size);
    const rows = await engine.graph.read(readVersions, { id, below, skip, limit: asked });
    for (const { version, json } of rows) {
      yield await formerText(engine, kind, json);
      below = version;
    }
    if (rows.length < asked) return;
    left -= rows.length;
    pieces.learn(rows);
    size = pieces.size();
  }
}

async function* versionTexts(engine: Engine, kind: Kind, id: string, { limit, offset }: VersionsRequest) {
  if (offset > 0) {
    yield* formerTexts(engine, kind, id, Number.MAX_SAFE_INTEGER, { limit, offset: offset - 1 });
    return;
  }
  const present = await presentText(engine, kind, id);
  yield present.text;
  yield* formerTexts(engine, kind, id, present.version, { limit: limit - 1, offset: 0 });
}

/** What is gathered before it is sent, so that many short states travel together. */
const SENT_AT_ONCE = 64 * 1024;

/**
 * The states of a record as JSON texts, newest first; the first is the present one. The beginning is answered before any
 * state is read, and never more than one long state is held in memory.
 */
export const listVersions = async (
  engine: Engine,
  reader: Writer,
  id: string,
  request: VersionsRequest,
): Promise<AsyncGenerator<string, void, undefined>> => {
  await findPresent(engine, reader, id);
  return versionPieces(engine, reader, id, request);
};

/** A state without the records that are hidden from the reader; untouched for whoever may see everything. */
const redactedText = async (engine: Engine, { principal }: Writer, text: string): Promise<string> => {
  const redact = redactorFor(engine, principal);
  if (!redact) return text;
  const [state] = await redact([JSON.parse(text) as JsonObject]);
  return JSON.stringify(state);
};

async function* versionPieces(engine: Engine, reader: Writer, id: string, request: VersionsRequest) {
  const { kind } = reader;
  yield `{"entityType":${JSON.stringify(kind.entityType)},"versions":[`;
  let gathered = '';
  let separator = '';
  for await (const text of versionTexts(engine, kind, id, request)) {
    gathered += separator;
    separator = ',';
    for await (const piece of quotedPieces(await redactedText(engine, reader, text))) {
      gathered += piece;
      if (gathered.length < SENT_AT_ONCE) continue;
      yield gathered;
      gathered = '';
    }
  }
  yield `${gathered}]}`;
}

/** The record as it was at one version, as text. */
export const readOneVersion = async (engine: Engine, reader: Writer, id: string, text: string): Promise<string> =>
  redactedText(engine, reader, await versionText(engine, reader, id, text));

const versionText = async (engine: Engine, reader: Writer, id: string, text: string): Promise<string> => {
  const { kind } = reader;
  const present = await findPresent(engine, reader, id);
  const version = parseVersion(text);
  const former = version === undefined ? undefined : await formerStateText(engine, kind, id, version);
  if (former !== undefined) return former;
  if (version === present) {
    const state = await presentText(engine, kind, id);
    // Somebody may have changed it between the two looks: then it is a former state by now.
    if (state.version === version) return state.text;
    const left = await formerStateText(engine, kind, id, version);
    if (left !== undefined) return left;
  }
  throw notFound(`${kind.entityType} instance for ${id} and version ${text} not found`);
};
