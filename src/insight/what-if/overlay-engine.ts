import type { Engine } from '../../catalog/engine.ts';
import type { TargetNode } from '../../catalog/queries.ts';
import { type ColumnNode, columnKey } from '../../catalog/read/column-tree.ts';
import type { FactsReader } from '../../catalog/read/facts.ts';
import type { Snapshot } from '../../catalog/read/snapshot.ts';
import type { Store } from '../../catalog/read/store.ts';
import { type ColumnPathReader, readColumnPaths } from '../../lineage/ingest/edge-sql-parser.ts';
import { foldCase } from '../../model/kind/columns.ts';
import { listColumnPaths, toColumnNodes } from './column-overlay.ts';
import { nameKeyOf, type Overlay } from './overlay.ts';

/** The catalog with an overlay: which records there are, what columns they have, and who may see what is new. */

const NOBODY_SPECIAL = {
  isBot: null,
  allowImpersonation: null,
  disabled: null,
  mutuallyExclusive: null,
  serviceType: null,
  styleJson: null,
  category: null,
} as const;

const findAdded = ({ added }: Overlay, id: string | undefined): TargetNode | undefined => {
  const found = id === undefined ? undefined : added.get(id);
  return found && { ...found.node, ...NOBODY_SPECIAL };
};

const withoutRemoved = <T extends { readonly id: string }>(
  { removed }: Overlay,
  found: T | undefined,
): T | undefined => (found && removed.has(found.id) ? undefined : found);

const columnNodesOf = ({ columns }: Overlay, { id, kind }: Pick<Snapshot, 'id' | 'kind'>): readonly ColumnNode[] => {
  const own = columns.get(id);
  if (!own) return [];
  const fold = kind.columnTrees.find(([name]) => name === own.section)?.[1].nameKey ?? foldCase;
  return toColumnNodes(own.columns, (path) => columnKey(id, own.section, path, fold));
};

const withColumns = (overlay: Overlay, found: Snapshot | undefined): Snapshot | undefined => {
  const own = found && overlay.columns.get(found.id);
  if (!found || !own) return found;
  return { ...found, columns: { ...found.columns, [own.section]: columnNodesOf(overlay, found) } };
};

const createOverlayStore = (overlay: Overlay, store: Store): Store => ({
  ...store,
  reference: async (kind, fqn) => {
    const added = findAdded(overlay, overlay.addedNames.get(nameKeyOf(kind.entityType, fqn)));
    return added ?? withoutRemoved(overlay, await store.reference(kind, fqn));
  },
  referenceById: async (id) => findAdded(overlay, id) ?? withoutRemoved(overlay, await store.referenceById(id)),
  record: async (kind, address, fields) =>
    withColumns(overlay, withoutRemoved(overlay, await store.record(kind, address, fields))),
});

/** What is new is seen by whoever sees what it would lie in, or whose contract it would be. */
const createOverlayFacts = ({ added, contracts }: Overlay, facts: FactsReader): FactsReader => {
  const assetOf = (contractId: string): string | undefined => {
    for (const { node, asset, isNew } of contracts.values()) if (isNew && node.id === contractId) return asset.id;
    return undefined;
  };
  const placeOf = (id: string): string => added.get(id)?.parentId ?? assetOf(id) ?? id;
  return {
    read: (id, needs) => facts.read(placeOf(id), needs),
    readMany: async (ids, needs) => {
      const found = await facts.readMany([...new Set(ids.map(placeOf))], needs);
      return new Map(
        ids.flatMap((id) => {
          const known = found.get(placeOf(id));
          return known ? [[id, known] as const] : [];
        }),
      );
    },
  };
};

/** Returns the engine as if the changes were made, apart from the graph that lineage is read from. */
export const createOverlayEngine = (overlay: Overlay): Engine => ({
  ...overlay.stored,
  store: createOverlayStore(overlay, overlay.stored.store),
  facts: createOverlayFacts(overlay, overlay.stored.facts),
});

/** Reads the names of an asset's columns, also of one that only the overlay has. */
export const createColumnPathReader =
  (overlay: Overlay): ColumnPathReader =>
  async (engine, record) => {
    const own = overlay.columns.get(record.id);
    return own ? listColumnPaths(own.columns) : readColumnPaths(engine, record);
  };
