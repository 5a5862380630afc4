import type { Snapshot } from '../../catalog/read/snapshot.ts';
import { badRequest } from '../../errors.ts';
import { readLiveColumns, refuseDuplicateColumn } from '../../impact/proposal.ts';
import type { Endpoint } from '../../lineage/endpoints.ts';
import type { JsonObject } from '../../model/json.ts';
import { columnSections } from '../../model/kind/column-sections.ts';
import { moveEdgeColumns } from './change-edges.ts';
import { buildColumnOverlay, moveColumns, type TracedTree, withFormerColumns } from './column-overlay.ts';
import type { Overlay } from './overlay.ts';

/** Changes the columns of an asset of an overlay. */

/** The list of columns of a kind that lineage joins. */
export const requireColumnTree = ({ kind }: Pick<Endpoint, 'kind'>): TracedTree => {
  const [tree, ...others] = columnSections(kind);
  if (!tree) throw badRequest(`[entity must have columns, but a ${kind.entityType} has none]`);
  if (others.length > 0)
    throw badRequest(`[entity must have one list of columns, but a ${kind.entityType} has several]`);
  return tree;
};

/** The columns that an asset has by now. */
export const presentColumns = (overlay: Overlay, subject: Snapshot): readonly JsonObject[] =>
  overlay.columns.get(subject.id)?.columns ?? readLiveColumns(subject);

/** Gives an asset other columns, as a patch of its list of columns would. */
export const replaceColumns = async (
  overlay: Overlay,
  asset: Endpoint,
  before: readonly JsonObject[],
  columns: readonly JsonObject[],
): Promise<void> => {
  const tree = requireColumnTree(asset);
  const fold = tree[1].nameKey;
  refuseDuplicateColumn(columns, fold, 'columns');
  const known = overlay.columns.get(asset.id);
  const after = overlay.keepsRemoved ? withFormerColumns(before, columns, fold) : columns;
  const { origins, ...moves } = moveColumns(asset, tree, before, after);
  // A column that several changes rename still continues the stored one.
  const originOf = (key: string): string | undefined => {
    const former = origins.get(key);
    if (former === undefined) return undefined;
    return known ? known.byKey.get(former)?.origin : overlay.added.has(asset.id) ? undefined : former;
  };
  const stored = known?.stored ?? before;
  overlay.columns.set(asset.id, buildColumnOverlay(asset, tree, { stored, columns: after }, originOf));
  await moveEdgeColumns(overlay, asset, moves);
};
