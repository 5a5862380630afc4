import type { JsonObject } from '../../../model/json.ts';
import { decodeDetails } from '../../edge.ts';
import type { EdgeTuple } from '../../queries.ts';
import type { LineageDirection } from '../walk-edges.ts';
import {
  findNodesOnPaths,
  type LayerWalk,
  pageLayers,
  pageNodes,
  type ReachedLayers,
  restrictReach,
  walkLayers,
} from './layers.ts';
import type { MapFilter, MapPage, MapPageRequest } from './map-request.ts';
import type { VisibleLineage } from './visible-lineage.ts';

/** Search documents by record ID. */
export type DocumentsById = ReadonlyMap<string, JsonObject>;

/** The selection from the lineage around a record that a request wants. */
export type LayerFilter = {
  readonly wanted: MapFilter;
  readonly preservePaths: boolean;
};

const layerWalkOf = ({ root, nodes }: VisibleLineage, depth: number): LayerWalk => ({
  root: root.id,
  depth,
  nameOf: (id) => nodes.get(id)?.fullyQualifiedName ?? '',
});

/** Walks everything in one direction. */
export const walkAllLayers = (ground: VisibleLineage, direction: LineageDirection, depth: number): ReachedLayers =>
  walkLayers(ground.paths[direction], layerWalkOf(ground, depth));

/** A column may be named by its own name, by its path below the record, or by its full name. */
const isNamedColumn = (columns: ReadonlySet<string>, name: string, record: string): boolean => {
  const path = name.toLowerCase();
  return (
    columns.has(path) ||
    columns.has(path.slice(path.lastIndexOf('.') + 1)) ||
    columns.has(`${record.toLowerCase()}.${path}`)
  );
};

const createColumnEdgeCheck = ({ nodes }: VisibleLineage, columns: ReadonlySet<string>) => {
  const nameOf = (id: string): string => nodes.get(id)?.fullyQualifiedName ?? '';
  return ([fromId, toId, pipelineId, text]: EdgeTuple): boolean =>
    decodeDetails(text, pipelineId).mappings.some(
      ({ from, to }) =>
        isNamedColumn(columns, to, nameOf(toId)) || from.some((name) => isNamedColumn(columns, name, nameOf(fromId))),
    );
};

type NodeSelection = {
  readonly isChosen: (id: string) => boolean;
  readonly isEdgeSelected: (edge: EdgeTuple) => boolean;
};

const SELECT_ALL = () => true;

/** Selects the reached records and edges that match a filter. */
const selectNodes = (
  ground: VisibleLineage,
  { edges }: ReachedLayers,
  { document, columns }: MapFilter,
  documents: DocumentsById,
): NodeSelection => {
  const isEdgeSelected = columns ? createColumnEdgeCheck(ground, columns) : SELECT_ALL;
  const told = columns ? new Set(edges.filter(isEdgeSelected).flatMap((edge) => [edge[0], edge[1]])) : undefined;
  const isFound = (id: string): boolean => {
    const found = document && documents.get(id);
    return !document || (found !== undefined && document(found));
  };
  return { isChosen: (id) => (told?.has(id) ?? true) && isFound(id), isEdgeSelected };
};

const isRestricted = ({ document, columns }: MapFilter): boolean => document !== undefined || columns !== undefined;

const selectedIds = (reach: ReachedLayers, root: string, { isChosen }: NodeSelection): ReadonlySet<string> =>
  new Set([...reach.depths.keys()].filter((id) => id === root || isChosen(id)));

const restrictLayers = (
  reach: ReachedLayers,
  kept: ReadonlySet<string>,
  isTold: NodeSelection['isEdgeSelected'] = SELECT_ALL,
): ReachedLayers => {
  const { depths, edges } = restrictReach(reach, (id) => kept.has(id));
  return { depths, edges: edges.filter(isTold) };
};

/** Selects one page of each layer in one direction. */
export const selectLayers = (
  ground: VisibleLineage,
  direction: LineageDirection,
  depth: number,
  { wanted, preservePaths }: LayerFilter,
  page: MapPage,
  documents: DocumentsById,
): ReachedLayers => {
  const paths = ground.paths[direction];
  const walking = layerWalkOf(ground, depth);
  if (!isRestricted(wanted)) return walkLayers(paths, walking, page);
  const whole = walkLayers(paths, walking);
  const chosen = selectNodes(ground, whole, wanted, documents);
  const ends = selectedIds(whole, walking.root, chosen);
  if (!preservePaths) return pageLayers(restrictLayers(whole, ends, chosen.isEdgeSelected), page);
  const kept = findNodesOnPaths(paths, whole, ends);
  return walkLayers(paths, walking, page, (id) => kept.has(id));
};

/** Selects one page of all records in one direction. */
export const selectPage = (
  ground: VisibleLineage,
  { direction, depth, nodeDepth }: MapPageRequest,
  { wanted, preservePaths }: LayerFilter,
  page: MapPage,
  documents: DocumentsById,
): ReachedLayers => {
  const whole = walkAllLayers(ground, direction, depth);
  const chosen = selectNodes(ground, whole, wanted, documents);
  const root = ground.root.id;
  const isAt = (id: string): boolean => nodeDepth === undefined || id === root || whole.depths.get(id) === nodeDepth;
  const all = restrictReach(whole, (id) => isAt(id) && (id === root || chosen.isChosen(id)));
  const some = pageNodes(all, page);
  if (!preservePaths) return restrictLayers(whole, some, chosen.isEdgeSelected);
  return restrictLayers(whole, findNodesOnPaths(ground.paths[direction], whole, some));
};

/** Counts the records at each distance. */
export const countLayers = (
  ground: VisibleLineage,
  direction: LineageDirection,
  depth: number,
  wanted: MapFilter,
  documents: DocumentsById,
) => {
  const whole = walkAllLayers(ground, direction, depth);
  const chosen = selectNodes(ground, whole, wanted, documents);
  const counts = new Map<number, number>();
  for (const [id, step] of whole.depths) {
    if (step > 0 && chosen.isChosen(id)) counts.set(step, (counts.get(step) ?? 0) + 1);
  }
  return [...counts].map(([at, entityCount]) => ({ depth: at, entityCount }));
};
