import { createView, readRequiredJson } from '../../catalog/read/answer.ts';
import { NO_FIELDS } from '../../catalog/read/fields.ts';
import { bulkResultOf } from '../../catalog/routes/schemas.ts';
import type { BulkResult } from '../../catalog/write/bulk.ts';
import { type Answer, asOwn, type Call, type Route } from '../../http/route.ts';
import type { Json } from '../../model/json.ts';
import { Integer, listOf, must, oneOf, Ref, shape, Text } from '../../model/values.ts';
import type { EdgeSqlParser } from '../ingest/edge-sql-parser.ts';
import { createPrepare, editEdgeAccess, JSON_BODY, PARSE_SQL_PARAMETERS } from '../ingest/routes.ts';
import type { EdgeStore } from '../write/edge-store.ts';
import { adoptRoutes } from './adopt-routes.ts';
import { answerEventBatch, OpenLineageBatchAnswer, UnappliedFacetResult, UnresolvedSql } from './batch-answer.ts';
import type { NamespaceMap } from './dataset-homes.ts';
import { MATCH_REASONS } from './dataset-meaning.ts';
import { OpenLineageEvent } from './event.ts';
import type { IngestRoom } from './event-edges.ts';
import type { FacetStores } from './facets/facet-room.ts';
import { ingestEventList, ingestOpenLineageEvent, ingestOpenLineageEvents, type PassedEvent } from './ingest-events.ts';
import { namespaceRoutes } from './namespace-routes.ts';
import { eventNeeds } from './resolve-names.ts';
import { unmatchedRoutes } from './unmatched-routes.ts';

/**
 * Routes for OpenLineage events. Read `event.ts` for what is read of an event, `resolve-names.ts` with
 * `dataset-meaning.ts` and `dataset-naming.ts` for which record a dataset is, `create-records.ts` for those that are
 * missing, `ingest-events.ts` with `event-edges.ts` for the edges, `declarations.ts` for what events withdraw,
 * `facets/apply-event.ts` for the facets, and `adopt-table.ts` for what becomes of tables of unknown namespaces.
 */

export type OpenLineageDeps = {
  readonly edges: EdgeStore;
  readonly parser: EdgeSqlParser;
  readonly namespaces: NamespaceMap;
  readonly stores: FacetStores;
};

const roomFor = ({ edges, parser, namespaces, stores }: OpenLineageDeps, call: Call): IngestRoom => ({
  edges,
  namespaces,
  stores,
  principal: call.principal,
  view: createView(edges.engine, call, NO_FIELDS),
  prepare: createPrepare(parser, call),
});

type Ingest = (room: IngestRoom, body: Json) => Promise<PassedEvent | BulkResult>;

const handleWith =
  (deps: OpenLineageDeps, ingest: Ingest) =>
  async (call: Call): Promise<Answer> => ({
    status: 200,
    json: await ingest(roomFor(deps, call), (await readRequiredJson(call)) as Json),
  });

/** The record that a dataset is: one that was there and why it was taken, or a new one. */
const ToldDataset = shape('OpenLineageDatasetResult', {
  namespace: must(Text),
  name: must(Text),
  matched: Ref,
  by: oneOf(MATCH_REASONS),
  created: Ref,
});

/** The outcome of one event, with the name of its job or dataset. */
const EventTaken = shape('OpenLineageResult', {
  request: must(Text),
  status: must(Integer),
  datasets: must(listOf(ToldDataset)),
  unresolved: listOf(UnresolvedSql),
  unknownColumns: listOf(Text),
  unappliedFacets: listOf(UnappliedFacetResult),
});

const eventRouteOf = (deps: OpenLineageDeps) =>
  ({
    ...editEdgeAccess,
    access: {
      ...editEdgeAccess.access,
      also: 'It is needed on both endpoints of each edge; assets that do not exist yet also need Create.',
      anyOf: eventNeeds(deps.edges.engine.registry),
    },
    method: 'POST',
    query: PARSE_SQL_PARAMETERS,
  }) as const;

/** The addresses of one operation: our own, that of OpenMetadata, and the one that clients of OpenLineage have built in. */
const EVENT_PATHS = ['/v1/lineage/openlineage', '/v1/openlineage/lineage', '/v1/lineage'] as const;

/** Routes that accept OpenLineage events, and that say what their namespaces mean. */
export const openLineageRoutes = (deps: OpenLineageDeps): Route[] =>
  asOwn([
    ...EVENT_PATHS.map(
      (path): Route => ({
        ...eventRouteOf(deps),
        path,
        summary: path === EVENT_PATHS[0] ? 'Ingest an OpenLineage event' : `Ingest an OpenLineage event at ${path}`,
        body: { schema: OpenLineageEvent, mediaTypes: JSON_BODY },
        responses: { 200: EventTaken },
        handle: handleWith(deps, ingestOpenLineageEvent),
      }),
    ),
    {
      ...eventRouteOf(deps),
      path: '/v1/lineage/openlineage/batch',
      summary: 'Ingest OpenLineage events in bulk, each independently',
      body: { schema: listOf(OpenLineageEvent, 1000), mediaTypes: JSON_BODY },
      responses: { 200: bulkResultOf('OpenLineageBatchResult', EventTaken) },
      handle: handleWith(deps, ingestOpenLineageEvents),
    },
    {
      ...eventRouteOf(deps),
      path: '/v1/lineage/batch',
      summary: 'Ingest OpenLineage events in bulk, answered as OpenLineage specifies',
      body: { schema: listOf(OpenLineageEvent, 1000), mediaTypes: JSON_BODY },
      responses: { 200: OpenLineageBatchAnswer, 204: undefined },
      handle: async (call) =>
        answerEventBatch(await ingestEventList(roomFor(deps, call), (await readRequiredJson(call)) as Json)),
    },
    ...adoptRoutes(deps),
    ...namespaceRoutes(deps),
    ...unmatchedRoutes(deps),
  ]);
