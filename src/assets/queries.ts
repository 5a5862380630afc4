import type { RefNode } from '../catalog/queries.ts';
import { template } from '../graph/statement.ts';

type Page = { readonly id: string; readonly offset: number; readonly limit: number };

const page = { params: ['id', 'offset', 'limit'], row: ['ref'] } as const;
const total = { params: ['id'], row: ['total'] } as const;

export const listAssets = {
  out: template<Page, { ref: RefNode }>('asset/list_outgoing', 'TYPE', page),
  in: template<Page, { ref: RefNode }>('asset/list_incoming', 'TYPE', page),
};

export const countAssets = {
  out: template<{ id: string }, { total: number }>('asset/count_outgoing', 'TYPE', total),
  in: template<{ id: string }, { total: number }>('asset/count_incoming', 'TYPE', total),
};

type Walk = { readonly id: string; readonly limit: number };
export type AssetRow = { readonly entityId: string; readonly entityType: string };

const walk = { params: ['id', 'limit'], row: ['entityId', 'entityType'] } as const;

export const walkAssets = {
  out: template<Walk, AssetRow>('asset/walk_outgoing', 'TYPE', walk),
  in: template<Walk, AssetRow>('asset/walk_incoming', 'TYPE', walk),
};
