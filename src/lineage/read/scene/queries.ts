import type { AncestorNode, InheritedNode, RefNode } from '../../../catalog/queries.ts';
import { type IndexedRows, statement } from '../../../graph/statement.ts';

/** Where a record stands: what is above it, itself included, its domains and the data products that have it. */
export type PlaceRow = {
  readonly id: string;
  readonly above: readonly AncestorNode[];
  readonly domains: readonly InheritedNode[];
  readonly products: readonly RefNode[];
};

export const readPlaces = statement<{ ids: readonly string[] }, PlaceRow>('lineage/scene/read_places', {
  params: ['ids'],
  row: ['id', 'above', 'domains', 'products'],
});

/** A chart, which is a field of the dashboard that shows it. */
export type ChartNode = RefNode & { readonly chartType: string | null };

export const listCharts = statement<{ ids: readonly string[] }, { id: string; chart: ChartNode }>(
  'lineage/scene/list_charts',
  { params: ['ids'], row: ['id', 'chart'] },
);

type AssetListParams = {
  readonly entityTypes: readonly string[];
  readonly includeDeleted: boolean;
  /** How many records are examined, and how many of them are returned. */
  readonly look: number;
  readonly limit: number;
};

type NodeRow = { readonly node: RefNode };

const ASSET_LIST_PARAMS = ['entityTypes', 'includeDeleted', 'look', 'limit'] as const;

export const listAssetsInScope = statement<AssetListParams & { scope: string }, NodeRow>(
  'lineage/scene/list_in_scope',
  { params: [...ASSET_LIST_PARAMS, 'scope'], row: ['node'] },
);

export const listAssetsInDomain = statement<AssetListParams & { id: string }, NodeRow>('lineage/scene/list_in_domain', {
  params: [...ASSET_LIST_PARAMS, 'id'],
  row: ['node'],
});

export const listAssetsInProduct = statement<AssetListParams & { id: string }, NodeRow>(
  'lineage/scene/list_in_product',
  { params: [...ASSET_LIST_PARAMS, 'id'], row: ['node'] },
);

export const listContained = statement<
  { id: string; entityType: string; includeDeleted: boolean; limit: number },
  NodeRow
>('lineage/scene/list_contained', { params: ['id', 'entityType', 'includeDeleted', 'limit'], row: ['node'] });

type CountParams = { readonly includeDeleted: boolean; readonly limit: number };

export const countAssetsInScopes = statement<
  CountParams & IndexedRows<{ entityType: string; scope: string }>,
  { at: number; count: number }
>('lineage/scene/count_in_scope', { params: ['rows', 'includeDeleted', 'limit'], row: ['at', 'count'] });

type AssetCount = { readonly id: string; readonly entityType: string; readonly count: number };
type MemberCountParams = CountParams & { readonly ids: readonly string[]; readonly entityTypes: readonly string[] };

const memberCountShape = {
  params: ['ids', 'entityTypes', 'includeDeleted', 'limit'],
  row: ['id', 'entityType', 'count'],
} as const;

export const countAssetsInDomains = statement<MemberCountParams, AssetCount>(
  'lineage/scene/count_in_domain',
  memberCountShape,
);
export const countAssetsInProducts = statement<MemberCountParams, AssetCount>(
  'lineage/scene/count_in_product',
  memberCountShape,
);
