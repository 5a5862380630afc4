import { badRequest } from '../../errors.ts';
import { wholeNumber } from '../../http/query.ts';
import { decodeStateCursor, encodeStateCursor, type StatePlace } from '../../model/cursor.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind.ts';
import type { Engine, Writer } from '../engine.ts';
import {
  countCurrentStates,
  countFormerStates,
  listCurrentStates,
  listFormerStates,
  type StateRow,
  tallyStates,
} from '../queries.ts';
import { writeFields } from './fields.ts';
import { formerState, parseState } from './history.ts';
import { keptForm } from './kept.ts';
import { DEFAULT_LIMIT } from './list.ts';
import { type Sight, sightOf } from './sight.ts';
import type { Snapshot } from './snapshot.ts';

export const MAX_HISTORY_LIMIT = 500;

/** A stretch of the history of a kind as it was asked for, checked: newest first, from a place on or up to one. */
export type HistoryRequest = {
  readonly from: number;
  readonly to: number;
  readonly limit: number;
  readonly after: StatePlace | undefined;
  readonly before: StatePlace | undefined;
};

const placeIn = (text: string | null): StatePlace | undefined => (text ? decodeStateCursor(text) : undefined);

/** Reads the parameters of a history. Throws bad_request naming the one that is wrong. */
export const parseHistory = (query: URLSearchParams): HistoryRequest => {
  const from = wholeNumber(query, 'startTs', 0, 0, Number.MAX_SAFE_INTEGER);
  const to = wholeNumber(query, 'endTs', Number.MAX_SAFE_INTEGER, 0, Number.MAX_SAFE_INTEGER);
  if (from > to) throw badRequest('[startTs must be less than or equal to endTs]');
  const limit = wholeNumber(query, 'limit', DEFAULT_LIMIT, 1, MAX_HISTORY_LIMIT);
  const after = placeIn(query.get('after'));
  const before = placeIn(query.get('before'));
  if (after && before) throw badRequest('Only one of before or after query parameter allowed');
  return { from, to, limit, after, before };
};

type Direction = 'older' | 'newer';

/** Newer than every state there is. */
const OUTERMOST: StatePlace = { at: Number.MAX_SAFE_INTEGER, id: '~', version: Number.MAX_SAFE_INTEGER };

const byAge = (a: StatePlace, b: StatePlace): number =>
  b.at - a.at || (a.id < b.id ? 1 : a.id > b.id ? -1 : b.version - a.version);

/** A record that changed between the two looks is met twice in one state: as present and then as former. */
const distinct = (rows: readonly StateRow[]): StateRow[] => {
  const known = new Map<string, StateRow>();
  for (const row of rows) known.set(`${row.id} ${row.version}`, row);
  return [...known.values()];
};

/** The states next to a place, newest first, one more than are wanted if there is one. */
const statesFrom = async (
  engine: Engine,
  kind: Kind,
  { from, to, limit }: HistoryRequest,
  direction: Direction,
  place: StatePlace,
): Promise<StateRow[]> => {
  const { entityType } = kind;
  const stretch = direction === 'older' ? { from, to: Math.min(to, place.at) } : { from: Math.max(from, place.at), to };
  const params = { entityType, ...stretch, ...place, limit: limit + 1 };
  // One after the other: what is present no more when the former states are read is among them.
  const current: readonly StateRow[] = await engine.graph.read(listCurrentStates[direction], params);
  const former = await engine.graph.read(listFormerStates[direction], params);
  const sorted = distinct([...current, ...former]).sort(byAge);
  return direction === 'older' ? sorted.slice(0, limit + 1) : sorted.slice(-(limit + 1));
};

/** The same without the states of records that the caller does not see: so many fewer, so many more are read. */
const visibleStatesFrom = async (
  engine: Engine,
  kind: Kind,
  request: HistoryRequest,
  direction: Direction,
  place: StatePlace,
  sight: Sight,
): Promise<StateRow[]> => {
  if (sight === 'all') return statesFrom(engine, kind, request, direction, place);
  const wanted = request.limit + 1;
  let found: StateRow[] = [];
  for (let from: StatePlace = place; ; ) {
    const rows = await statesFrom(engine, kind, request, direction, from);
    const seen = await sight(rows.map(({ id }) => id));
    const visible = rows.filter(({ id }) => seen.has(id));
    found = direction === 'older' ? [...found, ...visible] : [...visible, ...found];
    const farthest = direction === 'older' ? rows.at(-1) : rows[0];
    if (!farthest || rows.length < wanted || found.length >= wanted)
      return direction === 'older' ? found.slice(0, wanted) : found.slice(-wanted);
    from = farthest;
  }
};

/** What a row stands for. A record that has moved on since it was found left that state behind. */
const contentOf = async (
  engine: Engine,
  kind: Kind,
  row: StateRow,
  present: ReadonlyMap<string, Snapshot>,
): Promise<JsonObject | undefined> => {
  if (row.json !== undefined) return parseState(engine, kind, row.json);
  const record = present.get(row.id);
  return record?.version === row.version ? keptForm(engine, record) : formerState(engine, kind, row.id, row.version);
};

/** The states in full, without those that were removed for good meanwhile. */
const contents = async (engine: Engine, kind: Kind, rows: readonly StateRow[]): Promise<JsonObject[]> => {
  const ids = rows.filter((row) => row.json === undefined).map((row) => row.id);
  const records = await engine.store.records(kind, ids, writeFields(kind));
  const present = new Map(records.map((record) => [record.id, record]));
  const found = await Promise.all(rows.map((row) => contentOf(engine, kind, row, present)));
  return found.filter((state) => state !== undefined);
};

const countVisible = async (
  engine: Engine,
  stretch: { readonly entityType: string; readonly from: number; readonly to: number },
  sees: Exclude<Sight, 'all'>,
): Promise<number> => {
  const [current, former] = await Promise.all([
    engine.graph.read(tallyStates.current, stretch),
    engine.graph.read(tallyStates.former, stretch),
  ]);
  const tallies = [...current, ...former];
  const seen = await sees([...new Set(tallies.map(({ id }) => id))]);
  return tallies.reduce((sum, { id, total }) => sum + (seen.has(id) ? total : 0), 0);
};

const countStates = async (engine: Engine, kind: Kind, { from, to }: HistoryRequest, sight: Sight): Promise<number> => {
  const stretch = { entityType: kind.entityType, from, to };
  if (sight !== 'all') return countVisible(engine, stretch, sight);
  const counts = await Promise.all([
    engine.graph.read(countCurrentStates, stretch),
    engine.graph.read(countFormerStates, stretch),
  ]);
  return counts.reduce((sum, [row]) => sum + (row?.total ?? 0), 0);
};

type Page = { readonly rows: readonly StateRow[]; readonly hasNewer: boolean; readonly hasOlder: boolean };

const readPage = async (engine: Engine, kind: Kind, request: HistoryRequest, sight: Sight): Promise<Page> => {
  const { limit, after, before } = request;
  if (before) {
    const found = await visibleStatesFrom(engine, kind, request, 'newer', before, sight);
    return { rows: found.slice(-limit), hasNewer: found.length > limit, hasOlder: found.length > 0 };
  }
  const found = await visibleStatesFrom(engine, kind, request, 'older', after ?? OUTERMOST, sight);
  return { rows: found.slice(0, limit), hasNewer: after !== undefined, hasOlder: found.length > limit };
};

const cursors = ({ rows, hasNewer, hasOlder }: Page): JsonObject => {
  const [first, last] = [rows[0], rows.at(-1)];
  return {
    ...(hasNewer && first ? { before: encodeStateCursor(first) } : {}),
    ...(hasOlder && last ? { after: encodeStateCursor(last) } : {}),
  };
};

/** All states that records of a kind were brought to in a stretch of time, present, former and deleted ones. */
export const readHistory = async (
  engine: Engine,
  { kind, principal }: Writer,
  request: HistoryRequest,
): Promise<JsonObject> => {
  const sight = sightOf(engine, principal, ['ViewBasic'], kind.entityType);
  const [page, total] = await Promise.all([
    readPage(engine, kind, request, sight),
    countStates(engine, kind, request, sight),
  ]);
  return { data: await contents(engine, kind, page.rows), paging: { ...cursors(page), total } };
};
