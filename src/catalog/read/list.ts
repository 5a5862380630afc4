import { badRequest, recordNotFound } from '../../errors.ts';
import type { Call } from '../../http/route.ts';
import { decodeCursor, encodeCursor } from '../../model/cursor.ts';
import type { Json } from '../../model/json.ts';
import { type Kind, resolveFqnText } from '../../model/kind/kind.ts';
import type { ListFilter } from '../../model/kind/list-filter.ts';
import { normaliseFqn, splitFqn } from '../../model/name.ts';
import { isUuid } from '../../model/uuid.ts';
import type { Engine } from '../engine.ts';
import {
  type ListedRow,
  type ListStatements,
  listDomain,
  listFilled,
  listLinked,
  listPointing,
  listScopes,
  listWholeKind,
  toListedRows,
} from '../list-queries.ts';
import { narrowByPatterns, parseNamePatterns } from './pattern-list.ts';
import type { IncludeDeleted } from './render.ts';

export const MAX_LIMIT = 1_000_000;
export const DEFAULT_LIMIT = 10;

/** A validated list request. */
export type ListRequest = {
  readonly kind: Kind;
  readonly limit: number;
  /** The cursor positions, in the order of names, after or before which the page lies; at most one is set. */
  readonly after: string | undefined;
  readonly before: string | undefined;
  readonly include: IncludeDeleted;
  readonly conditions: readonly ListCondition[];
};

/** One filter with its value. */
export type ListCondition = { readonly name: string; readonly filter: ListFilter; readonly value: string };

/** Parses the page size of a list. */
export const parseLimit = (text: string | null, fallback: number): number => {
  if (!text) return fallback;
  const limit = Number(text);
  if (!/^-?\d+$/.test(text)) throw badRequest('[limit must be a whole number]');
  if (limit < 0) throw badRequest('[limit must be greater than or equal to 0]');
  if (limit > MAX_LIMIT) throw badRequest(`[limit must be less than or equal to ${MAX_LIMIT}]`);
  return limit;
};

const parseCursor = (text: string | null): string | undefined => (text ? decodeCursor(text) : undefined);

const parseConditions = (kind: Kind, query: URLSearchParams): ListCondition[] => {
  const normalised = kind.normaliseFilters?.(query) ?? query;
  return Object.entries(kind.filters).flatMap(([name, filter]) => {
    const value = normalised.get(name);
    return value && filter.by !== 'ignored' ? [{ name, filter, value }] : [];
  });
};

/** Parses the parameters that every list has. Throws bad_request naming the wrong parameter. */
export const parseList = (kind: Kind, query: URLSearchParams, include: IncludeDeleted): ListRequest => {
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
    conditions: parseConditions(kind, query),
  };
};

type ListNarrowing = {
  readonly equals: Record<string, unknown>;
  readonly items: Record<string, string>;
  readonly prefixes: string[];
};

/** A list with its statements chosen and its parameters bound; only the position and the page size are open. */
export type ListPlan = {
  /** Returns the ids of a page in list order, from a position on. */
  page(direction: 'forward' | 'backward', edge: string, limit: number): Promise<ListedRow[]>;
  total(): Promise<number>;
  /** The best page size for a caller that reads all rows. */
  readonly atOnce: number;
  /** Records that the request names and that every row is related to. */
  readonly anchorIds: readonly string[];
  /** Whether reading may fail because of what the request asks for, so that nothing is written before all is read. */
  readonly mayBeRefused?: boolean;
};

/**
 * Rows in index order can be read in small pages; rows at the ends of edges are found and sorted anew for every page.
 */
const ORDERED_AT_ONCE = 1000;
const FOUND_AT_ONCE = 20_000;

/** Sorts by code point as the database does; JavaScript's order differs for characters outside the basic plane. */
const compareBySortKey = (a: ListedRow, b: ListedRow): number =>
  Buffer.compare(Buffer.from(a.sortKey), Buffer.from(b.sortKey));

const mergePages = (parts: readonly ListedRow[][], direction: 'forward' | 'backward', limit: number): ListedRow[] => {
  if (parts.length === 1) return parts[0] ?? [];
  const all = parts.flat().sort(compareBySortKey);
  return (direction === 'forward' ? all : all.reverse()).slice(0, limit);
};

const DELETED_VALUES: Readonly<Record<IncludeDeleted, readonly boolean[]>> = {
  'non-deleted': [false],
  deleted: [true],
  all: [false, true],
};

const createListPlan = <P extends { deleted: boolean; entityType: string }>(
  engine: Engine,
  { kind, include }: ListRequest,
  forms: ListStatements<P>,
  bound: Omit<P, 'deleted' | 'entityType'>,
  narrowing: ListNarrowing,
  atOnce: number,
): ListPlan => {
  const { entityType } = kind;
  const paramsFor = (deleted: boolean) =>
    ({ ...bound, ...narrowing, entityType, deleted }) as unknown as P & ListNarrowing;
  return {
    atOnce,
    anchorIds: [],
    page: async (direction, edge, limit) => {
      const statement = forms[direction];
      const pages = DELETED_VALUES[include].map(async (deleted) =>
        toListedRows(await engine.graph.read(statement, { ...paramsFor(deleted), edge, limit })),
      );
      return mergePages(await Promise.all(pages), direction, limit);
    },
    total: async () => {
      const counts = DELETED_VALUES[include].map((deleted) => engine.graph.read(forms.count, paramsFor(deleted)));
      return (await Promise.all(counts)).reduce((sum, rows) => sum + (rows[0]?.total ?? 0), 0);
    },
  };
};

const countKind = async ({ store: { countRecords } }: Engine, { kind, include }: ListRequest): Promise<number> => {
  const [stored, live] = await Promise.all([
    include === 'non-deleted' ? 0 : countRecords.stored(kind),
    include === 'all' ? 0 : countRecords.live(kind),
  ]);
  return { all: stored, 'non-deleted': live, deleted: stored - live }[include];
};

const parseFlagCondition = ({ name, value }: ListCondition): boolean => {
  const text = value.toLowerCase();
  if (text !== 'true' && text !== 'false') throw badRequest(`[${name} must be true or false]`);
  return text === 'true';
};

const parseChoice = ({ name, value }: ListCondition, values: readonly string[]): string => {
  if (!values.includes(value)) throw badRequest(`[${name} must be one of ${values.join(', ')}]`);
  return value;
};

/** Returns the value that a keyword stands for. A lenient filter ignores an unknown keyword. */
const parseWord = (condition: ListCondition, words: Readonly<Record<string, Json | undefined>>, lenient = false) => {
  const isKnown = Object.hasOwn(words, condition.value);
  if (!isKnown && !lenient) parseChoice(condition, Object.keys(words));
  return isKnown ? words[condition.value] : undefined;
};

const buildNarrowing = (conditions: readonly ListCondition[]): ListNarrowing => {
  const equals: Record<string, unknown> = {};
  const items: Record<string, string> = {};
  const prefixes: string[] = [];
  for (const condition of conditions) {
    const { filter, value } = condition;
    if (filter.by === 'flag') equals[filter.property] = parseFlagCondition(condition);
    if (filter.by === 'value') equals[filter.property] = filter.values ? parseChoice(condition, filter.values) : value;
    if (filter.by === 'word') {
      const meant = parseWord(condition, filter.words, filter.lenient);
      if (meant !== undefined) equals[filter.property] = meant;
    }
    if (filter.by === 'name') equals[filter.property] = normaliseFqn(value);
    if (filter.by === 'item') items[filter.property] = value;
    if (filter.by === 'root' && parseFlagCondition(condition)) equals['isRoot'] = true;
    if (filter.by === 'scope') prefixes.push(`${normaliseFqn(value)}.`);
  }
  return { equals, items, prefixes };
};

/** Returns the deepest scope that has an index; the other scopes are checked row by row. */
const deepestScope = (
  kind: Kind,
  conditions: readonly ListCondition[],
): { depth: number; scope: string } | undefined => {
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
  const rootsOnly = conditions.some((condition) => condition.filter.by === 'root' && parseFlagCondition(condition));
  // A root record stores its only scope twice, so that roots have an index of their own.
  return rootsOnly && deepest?.depth === 1 ? { ...deepest, depth: 2 } : deepest;
};

const parseUuid = ({ name, value }: ListCondition): string => {
  if (!isUuid(value)) throw badRequest(`[${name} must be a UUID]`);
  return value.toLowerCase();
};

const findAnchor = async (engine: Engine, entityType: string, name: string): Promise<string> => {
  const kind = engine.registry.byType.get(entityType);
  if (isUuid(name)) {
    const node = await engine.store.referenceById(name.toLowerCase());
    if (node?.entityType === entityType) return node.id;
  }
  const found = kind ? await engine.store.reference(kind, resolveFqnText(kind, name)) : undefined;
  if (!found) throw recordNotFound(entityType, name);
  return found.id;
};

/** Resolves a scope that is given by the id of its record. */
const resolveScope = async (engine: Engine, condition: ListCondition): Promise<ListCondition> => {
  const { filter, value } = condition;
  if (filter.by !== 'scope' || filter.idOf === undefined || !isUuid(value)) return condition;
  const found = await engine.store.referenceById(value.toLowerCase());
  if (found?.entityType !== filter.idOf) throw recordNotFound(filter.idOf, value);
  return { ...condition, value: found.fullyQualifiedName };
};

/** Chooses the statements of a list: below an ancestor, along an edge, in a domain, or over the whole kind. */
const planStatements = async (engine: Engine, request: ListRequest): Promise<ListPlan> => {
  const { kind } = request;
  const conditions = await Promise.all(request.conditions.map((condition) => resolveScope(engine, condition)));
  const narrowing = buildNarrowing(conditions);
  const edge = conditions.find(({ filter }) => filter.by === 'edge');
  if (edge?.filter.by === 'edge') {
    const { from } = edge.filter;
    const anchorId = from === undefined ? parseUuid(edge) : await findAnchor(engine, from, edge.value);
    const forms = listLinked(edge.filter.edge);
    const plan = createListPlan(engine, request, forms, { anchorId }, narrowing, FOUND_AT_ONCE);
    return { ...plan, anchorIds: [anchorId] };
  }
  const domain = conditions.find(({ filter }) => filter.by === 'domain');
  const domainId = domain ? await findAnchor(engine, 'domain', domain.value) : null;
  const domainIds = domainId === null ? [] : [domainId];
  const target = conditions.find(({ filter }) => filter.by === 'target');
  if (target?.filter.by === 'target') {
    const anchor = { anchorId: parseUuid(target), domainId };
    const forms = listPointing(target.filter.edge);
    const plan = createListPlan(engine, request, forms, anchor, narrowing, FOUND_AT_ONCE);
    return { ...plan, anchorIds: [anchor.anchorId, ...domainIds] };
  }
  const isFilled = conditions.some((condition) => condition.filter.by === 'filled' && !parseFlagCondition(condition));
  if (isFilled) {
    const plan = createListPlan(engine, request, listFilled, { domainId }, narrowing, ORDERED_AT_ONCE);
    return { ...plan, anchorIds: domainIds };
  }
  if (domainId !== null) {
    const bound = { anchorId: domainId };
    const plan = createListPlan(engine, request, listDomain, bound, narrowing, FOUND_AT_ONCE);
    return { ...plan, anchorIds: domainIds };
  }
  const scope = deepestScope(kind, conditions);
  const forms = scope ? listScopes[scope.depth - 1] : undefined;
  if (scope && forms) return createListPlan(engine, request, forms, { scope: scope.scope }, narrowing, ORDERED_AT_ONCE);
  const whole = createListPlan(engine, request, listWholeKind, {}, narrowing, ORDERED_AT_ONCE);
  return conditions.length === 0 ? { ...whole, total: () => countKind(engine, request) } : whole;
};

/** Plans a list by its conditions. */
export const planList = async (
  engine: Engine,
  request: ListRequest,
  caller: Pick<Call, 'signal' | 'countWork'>,
): Promise<ListPlan> => {
  const patterns = parseNamePatterns(request.conditions);
  const plan = await planStatements(engine, request);
  return patterns ? narrowByPatterns(engine.store, plan, patterns, caller) : plan;
};

export type ListPage = {
  readonly rows: readonly ListedRow[];
  readonly before: string | undefined;
  readonly after: string | undefined;
};

const encodeCursorAt = (row: ListedRow | undefined): string | undefined =>
  row ? encodeCursor(row.sortKey) : undefined;

/** Reads one page of a list, with its cursors. */
export const readListPage = async (plan: ListPlan, request: ListRequest): Promise<ListPage> => {
  const { limit, after, before } = request;
  if (limit === 0) return { rows: [], before: undefined, after: undefined };
  if (before !== undefined) {
    const found = await plan.page('backward', before, limit + 1);
    const rows = found.slice(0, limit).reverse();
    return {
      rows,
      before: found.length > limit ? encodeCursorAt(rows[0]) : undefined,
      after: encodeCursorAt(rows.at(-1)),
    };
  }
  const found = await plan.page('forward', after ?? '', limit + 1);
  const rows = found.slice(0, limit);
  return {
    rows,
    before: after === undefined ? undefined : encodeCursorAt(rows[0]),
    after: found.length > limit ? encodeCursorAt(rows.at(-1)) : undefined,
  };
};
