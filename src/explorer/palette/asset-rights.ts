import { useQuery } from '@tanstack/react-query';
import type { AssetName } from '../addresses.ts';
import { ask } from '../api/ask.ts';
import { mayWriteContract } from '../api/contracts.ts';
import { fetchCsvRights } from '../api/csv.ts';
import { csvKindOf } from '../api/csv-kinds.ts';
import { kindOf } from '../api/kinds.ts';
import { canHaveContract } from '../contract/subjects.ts';
import { type AssetRights, NO_RIGHTS } from './commands.ts';

/** Asks what the visitor may do with the asset of a page, for the commands that only some may use. */

const readAssetRights = async ({ type, fqn }: AssetName, signal: AbortSignal): Promise<AssetRights> => {
  const path = `/v1/${kindOf(type)?.path}/name/${encodeURIComponent(fqn)}`;
  const query = { include: 'all' };
  const { id, deleted } = await ask<{ readonly id: string; readonly deleted?: boolean }>(path, { query, signal });
  // The API refuses changes of what is deleted.
  if (deleted) return NO_RIGHTS;
  const [csv, isWriter] = await Promise.all([
    csvKindOf(type) && fetchCsvRights({ type, id }, signal),
    canHaveContract(type) && mayWriteContract({ type, id }, signal),
  ]);
  return { ...NO_RIGHTS, ...csv, mayWriteContract: isWriter };
};

/** What the visitor may do with an asset. Until that is known, nothing. */
export const useAssetRights = (asset: AssetName | undefined): AssetRights => {
  const { data } = useQuery({
    queryKey: ['asset rights', asset?.type, asset?.fqn],
    queryFn: ({ signal }) => (asset ? readAssetRights(asset, signal) : NO_RIGHTS),
    enabled: asset !== undefined && (canHaveContract(asset.type) || csvKindOf(asset.type) !== undefined),
  });
  return data ?? NO_RIGHTS;
};
