import { readDocuments } from '../../../catalog/read/documents.ts';
import { createRedactor } from '../../../catalog/read/redaction.ts';
import type { EdgeTuple } from '../../queries.ts';
import { readVisibleTests } from '../record-tests.ts';
import { walkVisibleEdges } from '../walk-edges.ts';
import { buildMap } from './build-map.ts';
import { readMapLayers } from './map-layers.ts';
import type { MapQuery, MapRoom } from './map-query.ts';
import { type MapRequest, readMapFilter, readMapScope, readUpstreamDepth } from './map-request.ts';
import { readPipelineRecords } from './pipeline-records.ts';
import { renderMapEdge } from './render-map-edge.ts';
import { readVisibleLineage } from './visible-lineage.ts';

/** A page that covers every layer completely. */
const WHOLE_LAYERS = { from: 0, size: 10_000 } as const;

/** Returns the edges on the paths from some records down to the root, among edges that all lead there. */
const listEdgesFrom = (starts: readonly string[], edges: readonly EdgeTuple[]): readonly EdgeTuple[] =>
  walkVisibleEdges('downstream', starts, edges, edges.length, () => true).steps.flat();

/** Creates a query for the upstream records with failing tests, and the paths from there to the root. */
export const createQualityQuery = (room: MapRoom, request: MapRequest): MapQuery => {
  const scope = readMapScope(request);
  const span = { upstream: readUpstreamDepth(request, 1), downstream: 0 };
  const wanted = readMapFilter(request, room.engine.registry, room.engine.clock());
  const { engine, budget } = room;
  return async (caller, root) => {
    const choice = { wanted, preservePaths: true };
    const ground = await readVisibleLineage(room, caller, root, span, scope, budget);
    const drawing = buildMap(ground, await readMapLayers(room, caller, ground, span, choice, WHOLE_LAYERS), budget);
    const tests = await readVisibleTests(engine, caller.principal, [...drawing.places.keys()], 'Failed');
    const found = await readDocuments(engine, [...tests.keys()], {
      hrefBase: caller.hrefBase,
      redact: createRedactor(engine, caller.principal),
    });
    const failing = [...found].filter(([, document]) => wanted.document?.(document) ?? true);
    const edges = listEdgesFrom(
      failing.map(([id]) => id),
      drawing.upstream,
    );
    const { carrierOf } = await readPipelineRecords(
      engine,
      caller,
      edges.map(([, , pipelineId]) => pipelineId),
    );
    const shown = edges.flatMap((edge) => {
      const [from, to] = [drawing.nodes.get(edge[0]), drawing.nodes.get(edge[1])];
      return from && to ? [renderMapEdge(edge, from, to, (end) => end.fullyQualifiedName, carrierOf)[1]] : [];
    });
    const nodes = failing.map(([, document]) => document);
    return { json: { nodes, edges: shown }, truncated: drawing.truncated };
  };
};
