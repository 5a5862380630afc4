import { readDocuments } from '../../../catalog/read/documents.ts';
import { createRedactor } from '../../../catalog/read/redaction.ts';
import type { JsonObject } from '../../../model/json.ts';
import type { LineageDepth, LineageReader } from '../read-subgraph.ts';
import type { ReachedLayers } from './layers.ts';
import type { MapFilter, MapPage, MapPageRequest } from './map-request.ts';
import {
  countLayers,
  type DocumentsById,
  type LayerFilter,
  selectLayers,
  selectPage,
  walkAllLayers,
} from './select-layers.ts';
import type { MapCaller, VisibleLineage } from './visible-lineage.ts';

/** The reached layers in both directions. */
export type MapLayers = { readonly upstream: ReachedLayers; readonly downstream: ReachedLayers };

const emptyLayers = ({ root }: VisibleLineage): ReachedLayers => ({ depths: new Map([[root.id, 0]]), edges: [] });

const listReachableIds = (ground: VisibleLineage, { upstream, downstream }: LineageDepth): readonly string[] => [
  ...walkAllLayers(ground, 'upstream', upstream).depths.keys(),
  ...walkAllLayers(ground, 'downstream', downstream).depths.keys(),
];

const NO_DOCUMENTS: DocumentsById = new Map();

/** Reads the documents that the filter needs, if there is a filter on documents. */
const readDocumentsToFilter = (
  { engine }: LineageReader,
  caller: MapCaller,
  ground: VisibleLineage,
  span: LineageDepth,
  { document }: MapFilter,
): Promise<DocumentsById> =>
  document
    ? readDocuments(engine, listReachableIds(ground, span), {
        hrefBase: caller.hrefBase,
        redact: createRedactor(engine, caller.principal),
      })
    : Promise.resolve(NO_DOCUMENTS);

/** Reads the layers around a record in both directions. */
export const readMapLayers = async (
  reader: LineageReader,
  caller: MapCaller,
  ground: VisibleLineage,
  span: LineageDepth,
  choice: LayerFilter,
  page: MapPage,
): Promise<MapLayers> => {
  const documents = await readDocumentsToFilter(reader, caller, ground, span, choice.wanted);
  return {
    upstream: selectLayers(ground, 'upstream', span.upstream, choice, page, documents),
    downstream: selectLayers(ground, 'downstream', span.downstream, choice, page, documents),
  };
};

/** Returns the depth of a walk for a paged list in one direction. */
export const pageDepthOf = ({ direction, depth }: MapPageRequest): LineageDepth => ({
  upstream: 0,
  downstream: 0,
  [direction]: depth,
});

/** Reads one page of the records in one direction. */
export const readMapPageLayers = async (
  reader: LineageReader,
  caller: MapCaller,
  ground: VisibleLineage,
  asked: MapPageRequest,
  choice: LayerFilter,
  page: MapPage,
): Promise<MapLayers> => {
  const documents = await readDocumentsToFilter(reader, caller, ground, pageDepthOf(asked), choice.wanted);
  const reach = selectPage(ground, asked, choice, page, documents);
  return { upstream: emptyLayers(ground), downstream: emptyLayers(ground), [asked.direction]: reach };
};

const sumEntities = (counts: readonly { readonly entityCount: number }[]) =>
  counts.reduce((total, { entityCount }) => total + entityCount, 0);

const deepestLayer = (counts: readonly { readonly depth: number }[]) =>
  Math.max(0, ...counts.map(({ depth }) => depth));

/** Counts the records around a root, layer by layer. */
export const countMapLayers = async (
  reader: LineageReader,
  caller: MapCaller,
  ground: VisibleLineage,
  span: LineageDepth,
  wanted: MapFilter,
): Promise<JsonObject> => {
  const documents = await readDocumentsToFilter(reader, caller, ground, span, wanted);
  const up = countLayers(ground, 'upstream', span.upstream, wanted, documents);
  const down = countLayers(ground, 'downstream', span.downstream, wanted, documents);
  return {
    totalUpstreamEntities: sumEntities(up),
    totalDownstreamEntities: sumEntities(down),
    upstreamDepthInfo: up,
    downstreamDepthInfo: down,
    maxUpstreamDepth: deepestLayer(up),
    maxDownstreamDepth: deepestLayer(down),
  };
};
