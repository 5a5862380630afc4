import { randomUUID } from 'node:crypto';
import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import type { RefNode } from '../../catalog/queries.ts';
import type { LinkedTest } from '../../contracts/validation/broken-clauses.ts';
import { badRequest } from '../../errors.ts';
import type { BoundStatement } from '../../graph/statement.ts';
import { type EdgeState, serializeDetails } from '../../lineage/edge.ts';
import type { Endpoint } from '../../lineage/endpoints.ts';
import { mergeAssertions } from '../../lineage/merge-assertions.ts';
import type { EdgeTuple } from '../../lineage/queries.ts';
import { type EdgeStore, openEdgeStore } from '../../lineage/write/edge-store.ts';
import type { JsonObject } from '../../model/json.ts';
import type { ColumnOverlay } from './column-overlay.ts';

/**
 * What the changes of one request make of the catalog, in memory. Read `apply-changes.ts` for how changes get here,
 * `overlay-graph.ts` for how reads of lineage are answered with them, and `routes.ts` for who asks.
 */

/** An edge that changes touch: as it is stored, and as it would be. */
export type OverlayEdge = {
  /** The ID of the stored edge, or one that only this request knows. */
  readonly id: string;
  readonly from: Endpoint;
  readonly to: Endpoint;
  readonly before: EdgeState | undefined;
  readonly after: EdgeState | undefined;
};

/** An asset that the changes add: nothing but dbt artifacts name assets that the catalog does not have. */
export type AddedAsset = {
  readonly node: RefNode;
  /** The nearest record above it that the catalog has, which decides who may see it. */
  readonly parentId: string | undefined;
};

/** A contract that would be that of an asset. */
export type ProposedContract = {
  readonly node: RefNode;
  readonly content: JsonObject;
  /** The tests that it requires to pass. */
  readonly tests: readonly LinkedTest[];
  readonly asset: Endpoint;
  /** Whether the asset has none yet, as far as the caller sees. */
  readonly isNew: boolean;
};

/** Asks the database, which knows nothing of the changes. */
export type ReadStored = <P extends object, R extends object>(
  statement: BoundStatement<P, R>,
  params: P,
) => Promise<R[]>;

/** The number of edges that the changes of one request may touch. */
const MAX_EDGES = 100_000;

export const pairKeyOf = (from: string, to: string): string => `${from} ${to}`;

export type Overlay = {
  /** The engine without the changes, which cancels its reads with the request. */
  readonly stored: Engine;
  readonly principal: Principal;
  /** Whether columns and assets stay when changes remove them, so that their readers can be found. */
  readonly keepsRemoved: boolean;
  /** Reads edges as they are stored. */
  readonly storedEdges: EdgeStore;
  readonly edges: Map<string, OverlayEdge>;
  /** The keys of the edges that touch an asset, by its ID. */
  readonly touching: Map<string, Set<string>>;
  /** The keys of the edges that run or have run through a pipeline, by its ID. */
  readonly carried: Map<string, Set<string>>;
  /** The columns of assets that have others than before, by the ID of the asset. */
  readonly columns: Map<string, ColumnOverlay>;
  readonly added: Map<string, AddedAsset>;
  /** The IDs of added assets by `nameKeyOf`. */
  readonly addedNames: Map<string, string>;
  readonly removed: Set<string>;
  readonly contracts: Map<string, ProposedContract>;
};

export const createOverlay = (stored: Engine, principal: Principal, keepsRemoved: boolean): Overlay => ({
  stored,
  principal,
  keepsRemoved,
  storedEdges: openEdgeStore(stored),
  edges: new Map(),
  touching: new Map(),
  carried: new Map(),
  columns: new Map(),
  added: new Map(),
  addedNames: new Map(),
  removed: new Set(),
  contracts: new Map(),
});

export const nameKeyOf = (entityType: string, fqn: string): string => `${entityType} ${fqn}`;

export const addAsset = ({ added, addedNames }: Overlay, asset: AddedAsset): void => {
  added.set(asset.node.id, asset);
  addedNames.set(nameKeyOf(asset.node.entityType, asset.node.fullyQualifiedName), asset.node.id);
};

const addKey = (into: Map<string, Set<string>>, id: string, key: string): void => {
  into.set(id, (into.get(id) ?? new Set()).add(key));
};

/** Sets what an edge would be. */
export const setEdge = ({ edges, touching, carried }: Overlay, edge: OverlayEdge): void => {
  const key = pairKeyOf(edge.from.id, edge.to.id);
  edges.set(key, edge);
  for (const { id } of [edge.from, edge.to]) addKey(touching, id, key);
  for (const { content } of edge.after?.assertions ?? []) {
    if (content.pipelineId !== undefined) addKey(carried, content.pipelineId, key);
  }
  if (edges.size > MAX_EDGES) throw badRequest(`[changes touch more than ${MAX_EDGES} edges]`);
};

/** The edges of an overlay that touch an asset. */
export const edgesTouching = ({ edges, touching }: Overlay, id: string): readonly OverlayEdge[] =>
  [...(touching.get(id) ?? [])].flatMap((key) => edges.get(key) ?? []);

/** The edges of an overlay that run or have run through a pipeline. */
export const edgesCarriedBy = ({ edges, carried }: Overlay, id: string): readonly OverlayEdge[] =>
  [...(carried.get(id) ?? [])].flatMap((key) => edges.get(key) ?? []);

/** Forgets the edges that were read and have not changed. */
export const dropUnchangedEdges = ({ edges }: Overlay): void => {
  for (const [key, { before, after }] of edges) if (before === after) edges.delete(key);
};

const NO_COLUMNS = { keys: [], fromParts: [], toParts: [] };

/** Returns what an edge would be, as it is stored where no change has touched it yet. */
export const readOverlayEdge = async (overlay: Overlay, from: Endpoint, to: Endpoint): Promise<OverlayEdge> => {
  const known = overlay.edges.get(pairKeyOf(from.id, to.id));
  if (known) return known;
  const isNew = overlay.added.has(from.id) || overlay.added.has(to.id);
  const content = isNew ? undefined : await overlay.storedEdges.read({ from: from.id, to: to.id, ...NO_COLUMNS });
  const before = content?.state;
  return { id: before?.id ?? randomUUID(), from, to, before, after: before };
};

/** Writes an edge as walks return it; undefined when it would be gone. */
export const toTuple = ({ from, to, after }: OverlayEdge): EdgeTuple | undefined => {
  const merged = after && mergeAssertions(after.assertions);
  return merged && [from.id, to.id, merged.pipelineId ?? null, serializeDetails(merged)];
};
