/** Statements that list records page by page, and count them. */
import { type StatementPlaceholder, type StatementTemplate, statement, template } from '../graph/statement.ts';
import type { HistoryPosition } from '../model/cursor.ts';
import type { PropertyMap } from './queries.ts';

export type ListedRow = { readonly id: string; readonly sortKey: string };

/** Conditions that every list shares: equal properties, lists that contain an item, and name prefixes. */
type ListConditions = {
  readonly equals: PropertyMap;
  readonly items: PropertyMap;
  readonly prefixes: readonly string[];
};
type ListPaging = { readonly edge: string; readonly limit: number };
type ListTotalRow = { readonly total: number };

const CONDITION_PARAMS = ['equals', 'items', 'prefixes'] as const;
const PAGING_PARAMS = [...CONDITION_PARAMS, 'edge', 'limit'] as const;
const LISTED_COLUMNS = ['id', 'sortKey'] as const;

/** The three statements of one list: forward page, backward page, and count. */
export type ListStatements<P extends object> = {
  readonly forward: StatementTemplate<P & ListConditions & ListPaging, ListedRow>;
  readonly backward: StatementTemplate<P & ListConditions & ListPaging, ListedRow>;
  readonly count: StatementTemplate<P & ListConditions, ListTotalRow>;
};

const declareListStatements = <P extends object>(
  name: string,
  placeholder: StatementPlaceholder,
  params: readonly (keyof P & string)[],
): ListStatements<P> => ({
  forward: template(`catalog/list/list_${name}_forward`, placeholder, {
    params: [...params, ...PAGING_PARAMS] as never,
    row: LISTED_COLUMNS,
  }),
  backward: template(`catalog/list/list_${name}_backward`, placeholder, {
    params: [...params, ...PAGING_PARAMS] as never,
    row: LISTED_COLUMNS,
  }),
  count: template(`catalog/list/count_${name}`, placeholder, {
    params: [...params, ...CONDITION_PARAMS] as never,
    row: ['total'],
  }),
});

export const listWholeKind = declareListStatements<{ deleted: boolean }>('page', 'LABEL', ['deleted']);
export const listFilled = declareListStatements<{ deleted: boolean; domainId: string | null }>('filled', 'LABEL', [
  'deleted',
  'domainId',
]);
export const listScopes = [1, 2, 3, 4].map((depth) =>
  declareListStatements<{ deleted: boolean; scope: string }>(`scope${depth}`, 'LABEL', ['deleted', 'scope']),
);
export const listLinked = declareListStatements<{ deleted: boolean; anchorId: string; entityType: string }>(
  'linked',
  'TYPE',
  ['deleted', 'anchorId', 'entityType'],
);
export const listPointing = declareListStatements<{
  deleted: boolean;
  anchorId: string;
  entityType: string;
  domainId: string | null;
}>('pointing', 'TYPE', ['deleted', 'anchorId', 'entityType', 'domainId']);
export const listDomain = declareListStatements<{ deleted: boolean; anchorId: string }>('domain', 'LABEL', [
  'deleted',
  'anchorId',
]);

export const countRecordsOfKind = template<Record<string, never>, { stored: number; live: number }>(
  'catalog/list/count_all',
  'LABEL',
  {
    params: [],
    row: ['stored', 'live'],
  },
);

/** A time range in the history of a kind, and a position in it. */
type HistoryRange = { readonly entityType: string; readonly from: number; readonly to: number };
type HistoryRangePage = HistoryRange & HistoryPosition & { readonly limit: number };

/** A state of a record in the history of its kind; only former states come with their JSON. */
export type StateRow = HistoryPosition & { readonly json?: string };

const HISTORY_RANGE_PARAMS = ['entityType', 'from', 'to'] as const;
const HISTORY_PAGE_PARAMS = [...HISTORY_RANGE_PARAMS, 'at', 'id', 'version', 'limit'] as const;
const POSITION_COLUMNS = ['id', 'at', 'version'] as const;

export const listCurrentStates = {
  older: statement<HistoryRangePage, HistoryPosition>('catalog/version/list_current_older', {
    params: HISTORY_PAGE_PARAMS,
    row: POSITION_COLUMNS,
  }),
  newer: statement<HistoryRangePage, HistoryPosition>('catalog/version/list_current_newer', {
    params: HISTORY_PAGE_PARAMS,
    row: POSITION_COLUMNS,
  }),
};
export const listFormerStates = {
  older: statement<HistoryRangePage, StateRow>('catalog/version/list_former_older', {
    params: HISTORY_PAGE_PARAMS,
    row: [...POSITION_COLUMNS, 'json'],
  }),
  newer: statement<HistoryRangePage, StateRow>('catalog/version/list_former_newer', {
    params: HISTORY_PAGE_PARAMS,
    row: [...POSITION_COLUMNS, 'json'],
  }),
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
