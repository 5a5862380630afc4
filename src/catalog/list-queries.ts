/** Statements that list records page by page, and count them. */
import type { Graph } from '../graph/client.ts';
import { coalesce } from '../graph/coalesce.ts';
import {
  type BoundStatement,
  declareVariants,
  type StatementVariant,
  statement,
  template,
} from '../graph/statement.ts';
import { SORT_ORDERS } from '../graph/statement-variants.ts';
import type { HistoryPosition } from '../model/cursor.ts';
import type { EdgeType } from '../model/kind/edges.ts';
import type { Kind } from '../model/kind/kind.ts';
import type { PropertyMap } from './queries.ts';

export type ListedRow = { readonly id: string; readonly sortKey: string; readonly revision: number };

/** The rows of a page by columns: the database sends three lists faster than a hundred rows. */
type ListedColumns = {
  readonly ids: readonly string[];
  readonly sortKeys: readonly string[];
  readonly revisions: readonly number[];
};

export const toListedRows = ([page]: readonly ListedColumns[]): ListedRow[] =>
  (page?.ids ?? []).map((id, at) => ({
    id,
    sortKey: page?.sortKeys[at] ?? '',
    revision: page?.revisions[at] ?? Number.NaN,
  }));

/** Conditions that every list shares: equal properties, lists that contain an item, and name prefixes. */
type ListConditions = {
  readonly equals: PropertyMap;
  readonly items: PropertyMap;
  readonly prefixes: readonly string[];
};
type ListPaging = { readonly edge: string; readonly limit: number };
type ListTotalRow = { readonly total: number };

/** The three statements of one list: forward page, backward page, and count. */
export type ListStatements<P extends object> = {
  readonly forward: BoundStatement<P & ListConditions & ListPaging, ListedColumns>;
  readonly backward: BoundStatement<P & ListConditions & ListPaging, ListedColumns>;
  readonly count: BoundStatement<P & ListConditions, ListTotalRow>;
};

/** The parameters of every list. */
type KindList = { readonly entityType: string; readonly deleted: boolean };

const listShapes = (params: readonly string[]) => {
  const shared = ['entityType', 'deleted', 'equals', 'items', 'prefixes', ...params];
  return {
    page: { params: [...shared, 'edge', 'limit'] as never, row: ['ids', 'sortKeys', 'revisions'] as const },
    count: { params: shared as never, row: ['total'] as const },
  };
};

const declareListStatements = <P extends object>(
  name: string,
  params: readonly (keyof P & string)[],
  ...variants: readonly StatementVariant[]
): ListStatements<KindList & P> => {
  const { page, count } = listShapes(params);
  return {
    forward: statement(`catalog/list/list_${name}`, page, ...variants, SORT_ORDERS.ascending),
    backward: statement(`catalog/list/list_${name}`, page, ...variants, SORT_ORDERS.descending),
    count: statement(`catalog/list/count_${name}`, count, ...variants),
  };
};

/** Lists along an edge start from the record at its other end. */
type EdgeList = KindList & { readonly anchorId: string };

/** Declares lists along an edge of any type. */
const declareEdgeListStatements = <P extends object>(
  name: string,
  params: readonly (keyof P & string)[],
): ((edge: EdgeType) => ListStatements<EdgeList & P>) => {
  type Page = EdgeList & P & ListConditions & ListPaging;
  const { page, count } = listShapes(['anchorId', ...params]);
  const forward = template<Page, ListedColumns>(`catalog/list/list_${name}`, 'TYPE', page, SORT_ORDERS.ascending);
  const backward = template<Page, ListedColumns>(`catalog/list/list_${name}`, 'TYPE', page, SORT_ORDERS.descending);
  const total = template<EdgeList & P & ListConditions, ListTotalRow>(`catalog/list/count_${name}`, 'TYPE', count);
  return (edge) => ({ forward: forward.for(edge), backward: backward.for(edge), count: total.for(edge) });
};

type DomainParams = { readonly domainId: string | null };

export const listWholeKind = declareListStatements<object>('page', []);
export const listFilled = declareListStatements<DomainParams>('filled', ['domainId']);

/** The properties that hold the names of a record's ancestors, from the topmost one down. */
const SCOPES = declareVariants({
  scope1: { SCOPE: 'scope1' },
  scope2: { SCOPE: 'scope2' },
  scope3: { SCOPE: 'scope3' },
  scope4: { SCOPE: 'scope4' },
});

export const listScopes = [SCOPES.scope1, SCOPES.scope2, SCOPES.scope3, SCOPES.scope4].map((scope) =>
  declareListStatements<{ scope: string }>('below', ['scope'], scope),
);

export const listLinked = declareEdgeListStatements<object>('linked', []);
export const listPointing = declareEdgeListStatements<DomainParams>('pointing', ['domainId']);
export const listDomain = declareListStatements<{ anchorId: string }>('domain', ['anchorId']);

/** Counts the nodes with a label. The database keeps these numbers. */
const countLabel = template<Record<string, never>, ListTotalRow>('catalog/list/count_all', 'LABEL', {
  params: [],
  row: ['total'],
});

/** The number of records of a kind, without or with deleted ones. */
export type RecordCounter = {
  readonly live: (kind: Kind) => Promise<number>;
  readonly stored: (kind: Kind) => Promise<number>;
};

/** Pages that are read at the same time share the query of their total. */
export const createRecordCounter = (graph: Pick<Graph, 'read' | 'observer'>): RecordCounter => {
  const countNodes = async (label: string) => (await graph.read(countLabel.for(label), {}))[0]?.total ?? 0;
  const count = coalesce({
    name: 'records:count',
    observer: graph.observer,
    identity: (label: string) => label,
    load: (labels: readonly string[]) => Promise.all(labels.map(countNodes)),
  });
  return { live: ({ label }) => count(`Live${label}`), stored: ({ label }) => count(label) };
};

/** A time range in the history of a kind, and a position in it. */
type HistoryRange = { readonly entityType: string; readonly from: number; readonly to: number };
type HistoryRangePage = HistoryRange & HistoryPosition & { readonly limit: number };

/** A state of a record in the history of its kind; only former states come with their JSON. */
export type StateRow = HistoryPosition & { readonly json?: string };

const HISTORY_RANGE_PARAMS = ['entityType', 'from', 'to'] as const;
const HISTORY_PAGE_PARAMS = [...HISTORY_RANGE_PARAMS, 'at', 'id', 'version', 'limit'] as const;
const CURRENT_SHAPE = { params: HISTORY_PAGE_PARAMS, row: ['id', 'at', 'version'] } as const;
const FORMER_SHAPE = { params: HISTORY_PAGE_PARAMS, row: [...CURRENT_SHAPE.row, 'json'] } as const;

export const listCurrentStates = {
  older: statement<HistoryRangePage, HistoryPosition>(
    'catalog/version/list_current',
    CURRENT_SHAPE,
    SORT_ORDERS.descending,
  ),
  newer: statement<HistoryRangePage, HistoryPosition>(
    'catalog/version/list_current',
    CURRENT_SHAPE,
    SORT_ORDERS.ascending,
  ),
};
export const listFormerStates = {
  older: statement<HistoryRangePage, StateRow>('catalog/version/list_former', FORMER_SHAPE, SORT_ORDERS.descending),
  newer: statement<HistoryRangePage, StateRow>('catalog/version/list_former', FORMER_SHAPE, SORT_ORDERS.ascending),
};
export const countCurrentStates = statement<HistoryRange, ListTotalRow>('catalog/version/count_current', {
  params: HISTORY_RANGE_PARAMS,
  row: ['total'],
});
export const countFormerStates = statement<HistoryRange, ListTotalRow>('catalog/version/count_former', {
  params: HISTORY_RANGE_PARAMS,
  row: ['total'],
});

/** The number of states of each record. */
type RecordTotalRow = ListTotalRow & { readonly id: string };

export const countStatesByRecord = {
  current: statement<HistoryRange, RecordTotalRow>('catalog/version/count_current_by_record', {
    params: HISTORY_RANGE_PARAMS,
    row: ['id', 'total'],
  }),
  former: statement<HistoryRange, RecordTotalRow>('catalog/version/count_former_by_record', {
    params: HISTORY_RANGE_PARAMS,
    row: ['id', 'total'],
  }),
};
