import type { Engine } from '../../catalog/engine.ts';
import type { LabelNode, RefNode } from '../../catalog/queries.ts';
import { isColumnKey } from '../../lineage/column-mappings.ts';
import { serializeContent } from '../../lineage/edge.ts';
import { findLineageColumns, type LineageColumnRow } from '../../lineage/read/graph/queries.ts';
import { recordIdOf } from '../columns/column-graph.ts';
import { listEdgeStatements, type OwnedColumnsRow, readOwnedColumns, type StatedMappings } from '../columns/queries.ts';
import { listLabelSources } from '../propagation/queries.ts';
import type { Overlay, ReadStored } from './overlay.ts';
import type { OverlayIndex } from './overlay-index.ts';

/** Answers reads of columns, of their labels and of what sources state of them, with an overlay. */

/** The key under which a column is stored; undefined for one that is gone or that nothing stores. */
const storedKeyOf = ({ columns }: Overlay, key: string): string | undefined => {
  const own = isColumnKey(key) ? columns.get(recordIdOf(key)) : undefined;
  if (!own) return key;
  const column = own.byKey.get(key);
  return column ? column.origin : own.gone.has(key) ? undefined : key;
};

/** The keys of columns as they would be, by the keys under which they are stored. */
const mapStoredKeys = (overlay: Overlay, keys: readonly string[]): ReadonlyMap<string, string> =>
  new Map(
    keys.flatMap((key) => {
      const stored = storedKeyOf(overlay, key);
      return stored === undefined ? [] : [[stored, key] as const];
    }),
  );

const overlayColumn = ({ columns }: Overlay, key: string) => columns.get(recordIdOf(key))?.byKey.get(key);

/** Columns that are not stored. */
const listFreshKeys = (overlay: Overlay, keys: readonly string[]): readonly string[] =>
  keys.filter((key) => {
    const column = overlayColumn(overlay, key);
    return column !== undefined && column.origin === undefined;
  });

type FindParams = { readonly id: string; readonly keys: readonly string[]; readonly names: readonly string[] };

export const correctColumnKeys =
  (overlay: Overlay) =>
  async (read: ReadStored, { id, keys, names }: FindParams): Promise<LineageColumnRow[]> => {
    const stored = mapStoredKeys(overlay, keys);
    const rows = await read(findLineageColumns, { id, keys: [...stored.keys()], names });
    const found = rows.map((row) => {
      const key = stored.get(row.key) ?? row.key;
      return { key, name: overlayColumn(overlay, key)?.fullyQualifiedName ?? row.name };
    });
    const fresh = listFreshKeys(overlay, keys).map((key) => ({
      key,
      name: overlayColumn(overlay, key)?.fullyQualifiedName ?? '',
    }));
    return [...found, ...fresh];
  };

type OwnedParams = {
  readonly keys: readonly string[];
  readonly edgeIds: readonly string[];
  readonly tagNames: readonly string[];
  readonly withTerms: boolean;
};

const NO_LABELS: readonly LabelNode[] = [];

/** The records at the ends of the mappings that the overlay makes, by the keys of their columns. */
const ownersOf = ({ pairs }: OverlayIndex): ReadonlyMap<string, RefNode> =>
  new Map(pairs.flatMap(({ from, fromNode, to, toNode }) => [[from, fromNode] as const, [to, toNode] as const]));

export const correctOwnedColumns = (overlay: Overlay, index: OverlayIndex) => {
  const owners = ownersOf(index);
  return async (read: ReadStored, params: OwnedParams): Promise<OwnedColumnsRow[]> => {
    const stored = mapStoredKeys(overlay, params.keys);
    const rows = await read(readOwnedColumns, { ...params, keys: [...stored.keys()] });
    const renamed = rows
      .filter(({ owner }) => !overlay.removed.has(owner.id))
      .map(({ owner, columns }) => ({
        owner,
        columns: columns.map(([old, name, fqn, labels]) => {
          const key = stored.get(old) ?? old;
          const column = overlayColumn(overlay, key);
          return [key, column?.name ?? name, column?.fullyQualifiedName ?? fqn, labels] as const;
        }),
      }));
    const known = new Set(renamed.flatMap(({ columns }) => columns.map(([key]) => key)));
    // Where only the overlay leads to a record that represents a column, no stored edge tells whose column that is.
    const missing = params.keys.filter((key) => !known.has(key) && (overlayColumn(overlay, key) || !isColumnKey(key)));
    const fresh = missing.flatMap((key): OwnedColumnsRow[] => {
      const owner = owners.get(key);
      const column = overlayColumn(overlay, key);
      const name = column?.name ?? index.partName(key);
      if (!owner || owner.deleted === true || overlay.removed.has(owner.id) || name === undefined) return [];
      return [{ owner, columns: [[key, name, column?.fullyQualifiedName ?? null, NO_LABELS]] }];
    });
    return [...renamed, ...fresh];
  };
};

export const correctStatements =
  (index: OverlayIndex) =>
  async (read: ReadStored, { edgeIds }: { readonly edgeIds: readonly string[] }): Promise<StatedMappings[]> => {
    const stored = edgeIds.filter((id) => !index.isTouchedEdge(id));
    const rows = stored.length === 0 ? [] : await read(listEdgeStatements, { edgeIds: stored });
    const stated = edgeIds.flatMap((edgeId) =>
      (index.byEdgeId.get(edgeId)?.after?.assertions ?? []).map(
        ({ source, seenAt, updatedAt, content }): StatedMappings => ({
          edgeId,
          source,
          seenAt: seenAt ?? updatedAt,
          contentJson: serializeContent(content),
        }),
      ),
    );
    return [...rows, ...stated];
  };

/** Lists the stored sources, and the columns with the tag that nothing is made from until the changes are made. */
export const correctLabelSources = (overlay: Overlay, index: OverlayIndex, { referenceById }: Engine['store']) => {
  const readColumns = correctOwnedColumns(overlay, index);
  return async (read: ReadStored, params: { readonly tagId: string; readonly limit: number }) => {
    const { tagId } = params;
    const rows = await read(listLabelSources, params);
    const found = new Set(rows.flatMap(({ key }) => toPresentKey(overlay, key)));
    const keys = [...new Set(index.pairs.map(({ from }) => from))].filter((key) => !found.has(key));
    const tag = keys.length === 0 ? undefined : await referenceById(tagId);
    if (!tag) return [...found].map((key) => ({ key }));
    const edgeIds = [...index.byEdgeId.keys()];
    const columns = await readColumns(read, { keys, edgeIds, tagNames: [tag.fullyQualifiedName], withTerms: false });
    for (const { columns: some } of columns) {
      for (const [key, , , labels] of some) {
        if (labels.some((label) => label.tagId === tagId && label.labelType !== 'Propagated')) found.add(key);
      }
    }
    return [...found].map((key) => ({ key }));
  };
};

/** The key that a stored column would have; none when it is gone. */
const toPresentKey = ({ columns }: Overlay, stored: string): readonly string[] => {
  const own = isColumnKey(stored) ? columns.get(recordIdOf(stored)) : undefined;
  if (!own) return [stored];
  const moved = own.byOrigin.get(stored);
  return moved !== undefined ? [moved] : own.gone.has(stored) ? [] : [stored];
};
