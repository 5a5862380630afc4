import type { RefNode } from '../catalog/queries.ts';
import { template } from '../graph/statement.ts';
import { EDGE_DIRECTIONS } from '../graph/statement-variants.ts';

type AssetPageParams = { readonly id: string; readonly offset: number; readonly limit: number };

const pageSpec = { params: ['id', 'offset', 'limit'], row: ['ref'] } as const;
const totalSpec = { params: ['id'], row: ['total'] } as const;

export const listAssets = {
  out: template<AssetPageParams, { ref: RefNode }>('assets/list', 'TYPE', pageSpec, EDGE_DIRECTIONS.outgoing),
  in: template<AssetPageParams, { ref: RefNode }>('assets/list', 'TYPE', pageSpec, EDGE_DIRECTIONS.incoming),
};

export const countAssets = {
  out: template<{ id: string }, { total: number }>('assets/count', 'TYPE', totalSpec, EDGE_DIRECTIONS.outgoing),
  in: template<{ id: string }, { total: number }>('assets/count', 'TYPE', totalSpec, EDGE_DIRECTIONS.incoming),
};

type AssetWalkParams = { readonly id: string; readonly limit: number };
export type AssetKeyRow = { readonly entityId: string; readonly entityType: string };

const walkSpec = { params: ['id', 'limit'], row: ['entityId', 'entityType'] } as const;

export const walkAssets = {
  out: template<AssetWalkParams, AssetKeyRow>('assets/walk', 'TYPE', walkSpec, EDGE_DIRECTIONS.outgoing),
  in: template<AssetWalkParams, AssetKeyRow>('assets/walk', 'TYPE', walkSpec, EDGE_DIRECTIONS.incoming),
};
