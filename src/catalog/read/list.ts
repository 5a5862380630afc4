import { badRequest, recordNotFound } from '../../errors.ts';
import { decodeCursor, encodeCursor } from '../../model/cursor.ts';
import type { Filter } from '../../model/filter.ts';
import type { Json } from '../../model/json.ts';
import { type Kind, lookupFqn } from '../../model/kind.ts';
import { normaliseFqn, splitFqn } from '../../model/name.ts';
import { isUuid } from '../../model/uuid.ts';
import type { Engine } from '../engine.ts';
import {
  countAll,
  type ListedRow,
  type ListForms,
  listDomain,
  listFilled,
  listLinked,
  listPage,
  listPointing,
  listScopes,
} from '../queries.ts';
import type { Include } from './render.ts';

export const MAX_LIMIT = 1_000_000;
export const DEFAULT_LIMIT = 10;

/** A list as it was asked for, checked. */
export type ListRequest = {
  readonly kind: Kind;
  readonly limit: number;
  /** The place in the order of names where the page begins or ends; one of both at most. */
  readonly after: string | undefined;
  readonly before: string | undefined;
  readonly include: Include;
  readonly conditions: readonly Condition[];
};

/** One filter with its value. */
export type Condition = { readonly name: string; readonly filter: Filter; readonly value: string };

const parseLimit = (text: string | null, fallback: number): number => {
  if (!text) return fallback;
  const limit = Number(text);
  if (!/^-?\d+$/.test(text)) throw badRequest('[limit must be a whole number]');
  if (limit < 0) throw badRequest('[limit must be greater than or equal to 0]');
  if (limit > MAX_LIMIT) throw badRequest(`[limit must be less than or equal to ${MAX_LIMIT}]`);
  return limit;
};

const parseCursor = (text: string | null): string | undefined => (text ? decodeCursor(text) : undefined);

const conditionsOf = (kind: Kind, query: URLSearchParams): Condition[] => {
  const asked = kind.readFilters?.(query) ?? query;
  return Object.entries(kind.filters).flatMap(([name, filter]) => {
    const value = asked.get(name);
    return value && filter.by !== 'ignored' ? [{ name, filter, value }] : [];
  });
};

/** Reads the parameters that every list has. Throws bad_request naming the one that is wrong. */
export const parseList = (kind: Kind, query: URLSearchParams, include: Include): ListRequest => {
  const after = parseCursor(query.get('after'));
  const before = parseCursor(query.get('before'));
  if (after !== undefined && before !== undefined) {
    throw badRequest('Only one of before or after query parameter allowed');
  }
  return {
    kind,
    limit: parseLimit(query.get('limit'), kind.defaultLimit ?? DEFAULT_LIMIT),
    after,
    before,
    include,
    conditions: conditionsOf(kind, query),
  };
};

type Narrowing = {
  readonly equals: Record<string, unknown>;
  readonly items: Record<string, string>;
  readonly prefixes: string[];
};

/** A list with its statements chosen and its values bound: what is left is where it begins and how long it is. */
export type ListPlan = {
  /** Ids in the order asked for, from a place on. */
  page(direction: 'forward' | 'backward', edge: string, limit: number): Promise<ListedRow[]>;
  total(): Promise<number>;
  /** How many rows are best read at once by whoever reads them all. */
  readonly atOnce: number;
  /** Records that the request names and every row is joined to. */
  readonly anchorIds: readonly string[];
};

/** Rows in the order of an index can be read bit by bit; those at the ends of edges are found and sorted anew each time. */
const ORDERED_AT_ONCE = 1000;
const FOUND_AT_ONCE = 20_000;

/** Sorts as the database does, by code point: JavaScript's own order differs beyond the basic plane. */
const byPlace = (a: ListedRow, b: ListedRow): number => Buffer.compare(Buffer.from(a.sortKey), Buffer.from(b.sortKey));

const merge = (parts: readonly ListedRow[][], direction: 'forward' | 'backward', limit: number): ListedRow[] => {
  if (parts.length === 1) return parts[0] ?? [];
  const all = parts.flat().sort(byPlace);
  return (direction === 'forward' ? all : all.reverse()).slice(0, limit);
};

const STATES: Readonly<Record<Include, readonly boolean[]>> = {
  'non-deleted': [false],
  deleted: [true],
  all: [false, true],
};

const planWith = <P extends { deleted: boolean }>(
  engine: Engine,
  forms: ListForms<P>,
  fill: string,
  bound: Omit<P, 'deleted'>,
  narrowing: Narrowing,
  include: Include,
  atOnce: number,
): ListPlan => {
  const paramsFor = (deleted: boolean) => ({ ...bound, ...narrowing, deleted }) as unknown as P & Narrowing;
  return {
    atOnce,
    anchorIds: [],
    page: async (direction, edge, limit) => {
      const statement = forms[direction].for(fill);
      const pages = STATES[include].map((deleted) =>
        engine.graph.read(statement, { ...paramsFor(deleted), edge, limit }),
      );
      return merge(await Promise.all(pages), direction, limit);
    },
    total: async () => {
      const counts = STATES[include].map((deleted) => engine.graph.read(forms.count.for(fill), paramsFor(deleted)));
      return (await Promise.all(counts)).reduce((sum, rows) => sum + (rows[0]?.total ?? 0), 0);
    },
  };
};

const countKind = async (engine: Engine, kind: Kind, include: Include): Promise<number> => {
  const [counts] = await engine.graph.read(countAll.for(kind.label), {});
  const { stored, live } = counts ?? { stored: 0, live: 0 };
  return { all: stored, 'non-deleted': live, deleted: stored - live }[include];
};

const parseFlag = ({ name, value }: Condition): boolean => {
  const text = value.toLowerCase();
  if (text !== 'true' && text !== 'false') throw badRequest(`[${name} must be true or false]`);
  return text === 'true';
};

const parseChoice = ({ name, value }: Condition, values: readonly string[]): string => {
  if (!values.includes(value)) throw badRequest(`[${name} must be one of ${values.join(', ')}]`);
  return value;
};

/** What a word stands for; a word without a meaning is no condition where such words are let pass. */
const parseWord = (condition: Condition, words: Readonly<Record<string, Json | undefined>>, lenient = false) => {
  const isKnown = Object.hasOwn(words, condition.value);
  if (!isKnown && !lenient) parseChoice(condition, Object.keys(words));
  return isKnown ? words[condition.value] : undefined;
};

const narrow = (conditions: readonly Condition[]): Narrowing => {
  const equals: Record<string, unknown> = {};
  const items: Record<string, string> = {};
  const prefixes: string[] = [];
  for (const condition of conditions) {
    const { filter, value } = condition;
    if (filter.by === 'flag') equals[filter.property] = parseFlag(condition);
    if (filter.by === 'value') equals[filter.property] = filter.values ? parseChoice(condition, filter.values) : value;
    if (filter.by === 'word') {
      const meant = parseWord(condition, filter.words, filter.lenient);
      if (meant !== undefined) equals[filter.property] = meant;
    }
    if (filter.by === 'name') equals[filter.property] = normaliseFqn(value);
    if (filter.by === 'item') items[filter.property] = value;
    if (filter.by === 'root' && parseFlag(condition)) equals['isRoot'] = true;
    if (filter.by === 'scope') prefixes.push(`${normaliseFqn(value)}.`);
  }
  return { equals, items, prefixes };
};

/** The scope with the most parts that has an index; the others are checked row by row. */
const deepestScope = (kind: Kind, conditions: readonly Condition[]): { depth: number; scope: string } | undefined => {
  const scopes = conditions
    .filter(({ filter }) => filter.by === 'scope' || filter.by === 'name')
    .map(({ value }) => {
      const parts = splitFqn(value);
      const depth = Math.min(parts.length, kind.scopeDepth);
      return {
        depth,
        scope: parts
          .slice(0, depth)
          .map((part) => (part.includes('.') ? `"${part}"` : part))
          .join('.'),
      };
    })
    .sort((a, b) => b.depth - a.depth);
  const [deepest] = scopes;
  const rootsOnly = conditions.some((condition) => condition.filter.by === 'root' && parseFlag(condition));
  // A record at the root repeats its one scope, so that roots have an index of their own.
  return rootsOnly && deepest?.depth === 1 ? { ...deepest, depth: 2 } : deepest;
};

const uuidIn = ({ name, value }: Condition): string => {
  if (!isUuid(value)) throw badRequest(`[${name} must be a UUID]`);
  return value.toLowerCase();
};

const findAnchor = async (engine: Engine, entityType: string, name: string): Promise<string> => {
  const kind = engine.registry.byType.get(entityType);
  if (isUuid(name)) {
    const node = await engine.store.referenceById(name.toLowerCase());
    if (node?.entityType === entityType) return node.id;
  }
  const found = kind ? await engine.store.reference(kind, lookupFqn(kind, name)) : undefined;
  if (!found) throw recordNotFound(entityType, name);
  return found.id;
};

/** A scope may be given by the id of the record that makes it. */
const nameScope = async (engine: Engine, condition: Condition): Promise<Condition> => {
  const { filter, value } = condition;
  if (filter.by !== 'scope' || filter.idOf === undefined || !isUuid(value)) return condition;
  const found = await engine.store.referenceById(value.toLowerCase());
  if (found?.entityType !== filter.idOf) throw recordNotFound(filter.idOf, value);
  return { ...condition, value: found.fullyQualifiedName };
};

/** Chooses the statements that serve a list: below an ancestor, along an edge, in a domain, or the whole kind. */
export const planList = async (engine: Engine, request: ListRequest): Promise<ListPlan> => {
  const { kind, include } = request;
  const conditions = await Promise.all(request.conditions.map((condition) => nameScope(engine, condition)));
  const narrowing = narrow(conditions);
  const edge = conditions.find(({ filter }) => filter.by === 'edge');
  if (edge?.filter.by === 'edge') {
    const { from } = edge.filter;
    const anchorId = from === undefined ? uuidIn(edge) : await findAnchor(engine, from, edge.value);
    const bound = { anchorId, entityType: kind.entityType };
    const plan = planWith(engine, listLinked, edge.filter.edge, bound, narrowing, include, FOUND_AT_ONCE);
    return { ...plan, anchorIds: [anchorId] };
  }
  const domain = conditions.find(({ filter }) => filter.by === 'domain');
  const domainId = domain ? await findAnchor(engine, 'domain', domain.value) : null;
  const domainIds = domainId === null ? [] : [domainId];
  const target = conditions.find(({ filter }) => filter.by === 'target');
  if (target?.filter.by === 'target') {
    const anchor = { anchorId: uuidIn(target), entityType: kind.entityType, domainId };
    const plan = planWith(engine, listPointing, target.filter.edge, anchor, narrowing, include, FOUND_AT_ONCE);
    return { ...plan, anchorIds: [anchor.anchorId, ...domainIds] };
  }
  const isFilled = conditions.some((condition) => condition.filter.by === 'filled' && !parseFlag(condition));
  if (isFilled) {
    const plan = planWith(engine, listFilled, kind.label, { domainId }, narrowing, include, ORDERED_AT_ONCE);
    return { ...plan, anchorIds: domainIds };
  }
  if (domainId !== null) {
    const bound = { anchorId: domainId };
    const plan = planWith(engine, listDomain, kind.label, bound, narrowing, include, FOUND_AT_ONCE);
    return { ...plan, anchorIds: domainIds };
  }
  const scope = deepestScope(kind, conditions);
  const forms = scope ? listScopes[scope.depth - 1] : undefined;
  if (scope && forms)
    return planWith(engine, forms, kind.label, { scope: scope.scope }, narrowing, include, ORDERED_AT_ONCE);
  const whole = planWith(engine, listPage, kind.label, {}, narrowing, include, ORDERED_AT_ONCE);
  return conditions.length === 0 ? { ...whole, total: () => countKind(engine, kind, include) } : whole;
};

export type Page = {
  readonly rows: readonly ListedRow[];
  readonly before: string | undefined;
  readonly after: string | undefined;
};

const cursorAt = (row: ListedRow | undefined): string | undefined => (row ? encodeCursor(row.sortKey) : undefined);

/** One page of a list, with the cursors that lead on from it. */
export const readPage = async (plan: ListPlan, request: ListRequest): Promise<Page> => {
  const { limit, after, before } = request;
  if (limit === 0) return { rows: [], before: undefined, after: undefined };
  if (before !== undefined) {
    const found = await plan.page('backward', before, limit + 1);
    const rows = found.slice(0, limit).reverse();
    return { rows, before: found.length > limit ? cursorAt(rows[0]) : undefined, after: cursorAt(rows.at(-1)) };
  }
  const found = await plan.page('forward', after ?? '', limit + 1);
  const rows = found.slice(0, limit);
  return {
    rows,
    before: after === undefined ? undefined : cursorAt(rows[0]),
    after: found.length > limit ? cursorAt(rows.at(-1)) : undefined,
  };
};
