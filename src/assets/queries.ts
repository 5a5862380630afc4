import type { RefNode } from '../catalog/queries.ts';
import { template } from '../graph/statement.ts';

type AssetPageParams = { readonly id: string; readonly offset: number; readonly limit: number };

const pageSpec = { params: ['id', 'offset', 'limit'], row: ['ref'] } as const;
const totalSpec = { params: ['id'], row: ['total'] } as const;

export const listAssets = {
  out: template<AssetPageParams, { ref: RefNode }>('assets/list_outgoing', 'TYPE', pageSpec),
  in: template<AssetPageParams, { ref: RefNode }>('assets/list_incoming', 'TYPE', pageSpec),
};

export const countAssets = {
  out: template<{ id: string }, { total: number }>('assets/count_outgoing', 'TYPE', totalSpec),
  in: template<{ id: string }, { total: number }>('assets/count_incoming', 'TYPE', totalSpec),
};

type AssetWalkParams = { readonly id: string; readonly limit: number };
export type AssetKeyRow = { readonly entityId: string; readonly entityType: string };

const walkSpec = { params: ['id', 'limit'], row: ['entityId', 'entityType'] } as const;

export const walkAssets = {
  out: template<AssetWalkParams, AssetKeyRow>('assets/walk_outgoing', 'TYPE', walkSpec),
  in: template<AssetWalkParams, AssetKeyRow>('assets/walk_incoming', 'TYPE', walkSpec),
};
