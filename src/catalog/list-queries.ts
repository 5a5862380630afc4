/** Statements that list records page by page, and count them. */
import {
  declareVariants,
  type StatementPlaceholder,
  type StatementTemplate,
  type StatementVariant,
  statement,
  template,
} from '../graph/statement.ts';
import { SORT_ORDERS } from '../graph/statement-variants.ts';
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
  ...variants: readonly StatementVariant[]
): ListStatements<P> => ({
  forward: template(
    `catalog/list/list_${name}`,
    placeholder,
    { params: [...params, ...PAGING_PARAMS] as never, row: LISTED_COLUMNS },
    ...variants,
    SORT_ORDERS.ascending,
  ),
  backward: template(
    `catalog/list/list_${name}`,
    placeholder,
    { params: [...params, ...PAGING_PARAMS] as never, row: LISTED_COLUMNS },
    ...variants,
    SORT_ORDERS.descending,
  ),
  count: template(
    `catalog/list/count_${name}`,
    placeholder,
    { params: [...params, ...CONDITION_PARAMS] as never, row: ['total'] },
    ...variants,
  ),
});

export const listWholeKind = declareListStatements<{ deleted: boolean }>('page', 'LABEL', ['deleted']);
export const listFilled = declareListStatements<{ deleted: boolean; domainId: string | null }>('filled', 'LABEL', [
  'deleted',
  'domainId',
]);

/** The properties that hold the names of a record's ancestors, from the topmost one down. */
const SCOPES = declareVariants({
  scope1: { SCOPE: 'scope1' },
  scope2: { SCOPE: 'scope2' },
  scope3: { SCOPE: 'scope3' },
  scope4: { SCOPE: 'scope4' },
});

export const listScopes = [SCOPES.scope1, SCOPES.scope2, SCOPES.scope3, SCOPES.scope4].map((scope) =>
  declareListStatements<{ deleted: boolean; scope: string }>('below', 'LABEL', ['deleted', 'scope'], scope),
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
