import { createView } from '../../../catalog/read/answer.ts';
import { NO_FIELDS } from '../../../catalog/read/fields.ts';
import { renderRef } from '../../../catalog/read/render.ts';
import { integerParameter, momentParameter, readMoment, textParameter } from '../../../http/query-parameters.ts';
import type { Answer, Call, Route } from '../../../http/route.ts';
import type { JsonObject } from '../../../model/json.ts';
import { LineageHealth } from '../../../model/schemas/lineage/lineage-graph.ts';
import { findEndpointsByIds } from '../../endpoints.ts';
import { withAbortSignal } from '../abort-signal.ts';
import { graphRouteAccess } from './graph-parameters.ts';
import type { GraphRoom } from './graph-room.ts';
import { examineLineage, type HealthReport } from './health.ts';

/** Routes that report problems of lineage in a scope. */

const MAX_ITEMS = 1000;

const mentionedIds = ({ cycles, orphans, dangling, unconfirmed }: HealthReport): readonly string[] => [
  ...cycles.items.flat(),
  ...orphans.items,
  ...dangling.items.map(({ owner }) => owner),
  ...unconfirmed.items.flatMap(({ from, to }) => [from.id, to.id]),
];

const handleHealth =
  (room: GraphRoom) =>
  async (call: Call): Promise<Answer> => {
    const { engine, budget } = withAbortSignal(room, call.signal);
    const health = await examineLineage(
      engine,
      call.principal,
      {
        scope: call.query.get('scope') ?? '',
        olderThan: readMoment(call.query, 'olderThan'),
        limit: integerParameter(call.query, 'limit', 100, 1, MAX_ITEMS),
      },
      budget,
    );
    const view = createView(engine, call, NO_FIELDS);
    const sites = await findEndpointsByIds(engine, [...new Set(mentionedIds(health))]);
    const refs = new Map(sites.map(({ id, node }) => [id, renderRef(node, view)]));
    const refsOf = (ids: readonly string[]): JsonObject[] =>
      ids
        .flatMap((id): JsonObject[] => {
          const known = refs.get(id);
          return known ? [known] : [];
        })
        .sort((a, b) => (String(a['fullyQualifiedName']) < String(b['fullyQualifiedName']) ? -1 : 1));
    const { cycles, orphans, dangling, unconfirmed, hubs } = health;
    return {
      status: 200,
      json: {
        cycles: cycles.items.map(refsOf),
        orphans: refsOf(orphans.items),
        danglingColumns: dangling.items.map(({ from, to, owner, column }) => ({
          entity: refs.get(owner),
          column,
          edge: { fromEntity: from, toEntity: to },
        })),
        unconfirmedEdges: unconfirmed.items.map(({ from, to, seenAt }) => ({
          fromEntity: refs.get(from.id),
          toEntity: refs.get(to.id),
          seenAt,
        })),
        unownedHubs: hubs.items.map(({ node, upstream, downstream }) => ({
          entity: renderRef(node, view),
          upstream,
          downstream,
        })),
        truncated: Object.entries({
          cycles,
          orphans,
          danglingColumns: dangling,
          unconfirmedEdges: unconfirmed,
          unownedHubs: hubs,
        }).flatMap(([name, { isCut }]) => (isCut ? [name] : [])),
      },
    };
  };

export const healthRoutes = (room: GraphRoom): Route[] => [
  {
    ...graphRouteAccess,
    method: 'GET',
    path: '/v1/lineage/health',
    summary: 'Get the lineage health of a scope',
    query: [
      textParameter(
        'scope',
        'Fully qualified name of the asset to check with its descendants; the whole catalog by default',
      ),
      momentParameter('olderThan', 'Time since which an edge must have been confirmed not to be reported as stale'),
      {
        name: 'limit',
        description: 'Maximum number of items per list',
        schema: { type: 'integer', minimum: 1, maximum: MAX_ITEMS, default: 100 },
      },
    ],
    responses: { 200: LineageHealth },
    handle: handleHealth(room),
  },
];
