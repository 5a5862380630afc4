import * as v from 'valibot';
import { AnyJson, Fqn, Integer, listOf, must, oneOf, Ref, shape, Text, Uuid } from '../../values.ts';
import { LineageDetails } from './lineage.ts';

/** The schema of lineage as a map: records by FQN, as search documents, and the edges between them. */

export const LINEAGE_DIRECTIONS = ['Upstream', 'Downstream'] as const;

const AnyObject = v.record(v.string(), AnyJson);

const LayerPaging = shape('LayerPaging', { entityDownstreamCount: must(Integer), entityUpstreamCount: must(Integer) });

const NodeInformation = shape('NodeInformation', {
  entity: must(AnyObject),
  paging: must(LayerPaging),
  nodeDepth: must(Integer),
});

const RelationshipRef = shape('RelationshipRef', {
  id: must(Uuid),
  type: must(Text),
  fullyQualifiedName: must(Fqn),
  fqnHash: must(Text),
});

/** The members of the details that edges of the map repeat under the same names. */
const { columnsLineage = AnyJson, pipeline: _, ...detailEntries } = LineageDetails.entries;

const EsLineageData = shape('EsLineageData', {
  fromEntity: must(RelationshipRef),
  toEntity: must(RelationshipRef),
  pipeline: AnyObject,
  pipelineEntityType: Text,
  columns: columnsLineage,
  ...detailEntries,
  docId: must(Text),
  docUniqueId: must(Text),
});

const DepthInfo = shape('DepthInfo', { depth: must(Integer), entityCount: must(Integer) });

export const LineagePaginationInfo = shape('LineagePaginationInfo', {
  totalUpstreamEntities: must(Integer),
  totalDownstreamEntities: must(Integer),
  upstreamDepthInfo: must(listOf(DepthInfo)),
  downstreamDepthInfo: must(listOf(DepthInfo)),
  maxUpstreamDepth: must(Integer),
  maxDownstreamDepth: must(Integer),
});

export const SearchLineageResult = shape('SearchLineageResult', {
  nodes: must(v.record(v.string(), NodeInformation)),
  upstreamEdges: must(v.record(v.string(), EsLineageData)),
  downstreamEdges: must(v.record(v.string(), EsLineageData)),
  paginationInfo: LineagePaginationInfo,
});

/** Records with failing tests, and the edges on the paths from them. */
export const DataQualityLineage = shape('DataQualityLineage', {
  nodes: must(listOf(AnyObject)),
  edges: must(listOf(EsLineageData)),
});

const MAX_HYDRATED_ENTITIES = 200;

export const HydrateLineageRequest = shape('HydrateLineageRequest', {
  entities: must(v.pipe(listOf(Ref, MAX_HYDRATED_ENTITIES), v.minLength(1, 'must have at least one item'))),
  fields: Text,
  include: oneOf(['non-deleted', 'deleted', 'all']),
});

export const HydrateLineageResponse = shape('HydrateLineageResponse', {
  entitiesByType: must(v.record(v.string(), v.array(AnyObject))),
  droppedCount: must(Integer),
});

export const LineageJobStart = shape('JobStart', { jobId: must(Text), message: must(Text) });
