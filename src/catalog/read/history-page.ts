import { badRequest } from '../../errors.ts';
import { integerParameter } from '../../http/query-parameters.ts';
import { decodeHistoryCursor, encodeHistoryCursor, type HistoryPosition } from '../../model/cursor.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind/kind.ts';
import type { Engine, Writer } from '../engine.ts';
import {
  countCurrentStates,
  countFormerStates,
  countStatesByRecord,
  listCurrentStates,
  listFormerStates,
  type StateRow,
} from '../list-queries.ts';
import { writeFields } from './fields.ts';
import { parseStoredState, readFormerState } from './history.ts';
import { DEFAULT_LIMIT } from './list.ts';
import type { Snapshot } from './snapshot.ts';
import { storedSnapshot } from './stored-snapshot.ts';
import { type Visibility, visibilityOf } from './visibility.ts';

export const MAX_HISTORY_LIMIT = 500;

/** A validated request for a time range of a kind's history: newest first, starting or ending at a position. */
export type HistoryRequest = {
  readonly from: number;
  readonly to: number;
  readonly limit: number;
  readonly after: HistoryPosition | undefined;
  readonly before: HistoryPosition | undefined;
};

const parsePosition = (text: string | null): HistoryPosition | undefined =>
  text ? decodeHistoryCursor(text) : undefined;

/** Reads the parameters of a history. Throws bad_request naming the one that is wrong. */
export const parseHistory = (query: URLSearchParams): HistoryRequest => {
  const from = integerParameter(query, 'startTs', 0, 0, Number.MAX_SAFE_INTEGER);
  const to = integerParameter(query, 'endTs', Number.MAX_SAFE_INTEGER, 0, Number.MAX_SAFE_INTEGER);
  if (from > to) throw badRequest('[startTs must be less than or equal to endTs]');
  const limit = integerParameter(query, 'limit', DEFAULT_LIMIT, 1, MAX_HISTORY_LIMIT);
  const after = parsePosition(query.get('after'));
  const before = parsePosition(query.get('before'));
  if (after && before) throw badRequest('Only one of before or after query parameter allowed');
  return { from, to, limit, after, before };
};

type HistoryDirection = 'older' | 'newer';

/** A position that is newer than every state. */
const NEWEST_POSITION: HistoryPosition = { at: Number.MAX_SAFE_INTEGER, id: '~', version: Number.MAX_SAFE_INTEGER };

const compareByAge = (a: HistoryPosition, b: HistoryPosition): number =>
  b.at - a.at || (a.id < b.id ? 1 : a.id > b.id ? -1 : b.version - a.version);

/**
 * Removes duplicates: a record that changed between the two reads returns one state twice, first as current and then as
 * former.
 */
const distinctStates = (rows: readonly StateRow[]): StateRow[] => {
  const known = new Map<string, StateRow>();
  for (const row of rows) known.set(`${row.id} ${row.version}`, row);
  return [...known.values()];
};

/** Reads the states next to a position, newest first, and one more than the limit if there is one. */
const readStates = async (
  engine: Engine,
  kind: Kind,
  { from, to, limit }: HistoryRequest,
  direction: HistoryDirection,
  place: HistoryPosition,
): Promise<StateRow[]> => {
  const { entityType } = kind;
  const stretch = direction === 'older' ? { from, to: Math.min(to, place.at) } : { from: Math.max(from, place.at), to };
  const params = { entityType, ...stretch, ...place, limit: limit + 1 };
  // The reads run in sequence: a state that stops being current before the second read is then among the former states.
  const current: readonly StateRow[] = await engine.graph.read(listCurrentStates[direction], params);
  const former = await engine.graph.read(listFormerStates[direction], params);
  const sorted = distinctStates([...current, ...former]).sort(compareByAge);
  return direction === 'older' ? sorted.slice(0, limit + 1) : sorted.slice(-(limit + 1));
};

/**
 * Reads the same without the states of records that the caller cannot see; it reads more states to replace them, many at
 * once, because a short page may lie behind very many that are hidden.
 */
const readVisibleStates = async (
  engine: Engine,
  kind: Kind,
  request: HistoryRequest,
  direction: HistoryDirection,
  place: HistoryPosition,
  visibility: Visibility,
): Promise<StateRow[]> => {
  if (visibility === 'all') return readStates(engine, kind, request, direction, place);
  const wanted = request.limit + 1;
  let found: StateRow[] = [];
  let from = place;
  for (let { limit } = request; ; limit = MAX_HISTORY_LIMIT) {
    const rows = await readStates(engine, kind, { ...request, limit }, direction, from);
    const seen = await visibility(rows.map(({ id }) => id));
    const visible = rows.filter(({ id }) => seen.has(id));
    found = direction === 'older' ? [...found, ...visible] : [...visible, ...found];
    const farthest = direction === 'older' ? rows.at(-1) : rows[0];
    if (!farthest || rows.length <= limit || found.length >= wanted)
      return direction === 'older' ? found.slice(0, wanted) : found.slice(-wanted);
    from = farthest;
  }
};

/** Reads the content of a row. If the record changed since the row was read, the state is among the former ones. */
const readStateContent = async (
  engine: Engine,
  kind: Kind,
  row: StateRow,
  present: ReadonlyMap<string, Snapshot>,
): Promise<JsonObject | undefined> => {
  if (row.json !== undefined) return parseStoredState(engine, kind, row.json);
  const record = present.get(row.id);
  return record?.version === row.version
    ? storedSnapshot(engine, record)
    : readFormerState(engine, kind, row.id, row.version);
};

/** Reads the full states, without those of records that were hard-deleted meanwhile. */
const readContents = async (engine: Engine, kind: Kind, rows: readonly StateRow[]): Promise<JsonObject[]> => {
  const ids = rows.filter((row) => row.json === undefined).map((row) => row.id);
  const records = await engine.store.records(kind, ids, writeFields(kind));
  const present = new Map(records.map((record) => [record.id, record]));
  const found = await Promise.all(rows.map((row) => readStateContent(engine, kind, row, present)));
  return found.filter((state) => state !== undefined);
};

const countVisibleStates = async (
  engine: Engine,
  stretch: { readonly entityType: string; readonly from: number; readonly to: number },
  sees: Exclude<Visibility, 'all'>,
): Promise<number> => {
  const [current, former] = await Promise.all([
    engine.graph.read(countStatesByRecord.current, stretch),
    engine.graph.read(countStatesByRecord.former, stretch),
  ]);
  const tallies = [...current, ...former];
  const seen = await sees([...new Set(tallies.map(({ id }) => id))]);
  return tallies.reduce((sum, { id, total }) => sum + (seen.has(id) ? total : 0), 0);
};

const countStates = async (
  engine: Engine,
  kind: Kind,
  { from, to }: HistoryRequest,
  visibility: Visibility,
): Promise<number> => {
  const stretch = { entityType: kind.entityType, from, to };
  if (visibility !== 'all') return countVisibleStates(engine, stretch, visibility);
  const counts = await Promise.all([
    engine.graph.read(countCurrentStates, stretch),
    engine.graph.read(countFormerStates, stretch),
  ]);
  return counts.reduce((sum, [row]) => sum + (row?.total ?? 0), 0);
};

type HistoryPage = { readonly rows: readonly StateRow[]; readonly hasNewer: boolean; readonly hasOlder: boolean };

const readHistoryPage = async (
  engine: Engine,
  kind: Kind,
  request: HistoryRequest,
  visibility: Visibility,
): Promise<HistoryPage> => {
  const { limit, after, before } = request;
  if (before) {
    const found = await readVisibleStates(engine, kind, request, 'newer', before, visibility);
    return { rows: found.slice(-limit), hasNewer: found.length > limit, hasOlder: found.length > 0 };
  }
  const found = await readVisibleStates(engine, kind, request, 'older', after ?? NEWEST_POSITION, visibility);
  return { rows: found.slice(0, limit), hasNewer: after !== undefined, hasOlder: found.length > limit };
};

const buildCursors = ({ rows, hasNewer, hasOlder }: HistoryPage): JsonObject => {
  const [first, last] = [rows[0], rows.at(-1)];
  return {
    ...(hasNewer && first ? { before: encodeHistoryCursor(first) } : {}),
    ...(hasOlder && last ? { after: encodeHistoryCursor(last) } : {}),
  };
};

/** Reads all states of a kind's records in a time range: current, former and deleted ones. */
export const readHistory = async (
  engine: Engine,
  { kind, principal }: Writer,
  request: HistoryRequest,
): Promise<JsonObject> => {
  const visibility = visibilityOf(engine, principal, ['ViewBasic'], kind.entityType);
  const [page, total] = await Promise.all([
    readHistoryPage(engine, kind, request, visibility),
    countStates(engine, kind, request, visibility),
  ]);
  return { data: await readContents(engine, kind, page.rows), paging: { ...buildCursors(page), total } };
};
