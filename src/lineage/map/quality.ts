import { readDocuments } from '../../catalog/read/documents.ts';
import { redactorFor } from '../../catalog/read/visibility.ts';
import type { EdgeTuple } from '../queries.ts';
import { walkFrom } from '../subgraph.ts';
import { testsOf } from '../tests.ts';
import { type Request, scopeAsked, upstreamAsked, wantedAsked } from './asked.ts';
import { readWholeCarriers } from './carriers.ts';
import { readGround } from './ground.ts';
import { draw } from './map.ts';
import { reachAround } from './reach.ts';
import type { MapRoom, Question } from './read.ts';
import { showData } from './show.ts';

/** Every layer as it is, whatever it holds. */
const WHOLE = { from: 0, size: 10_000 } as const;

/** The edges on the ways from some records down to another one, among edges that all lead there. */
const waysFrom = (starts: readonly string[], edges: readonly EdgeTuple[]): readonly EdgeTuple[] =>
  walkFrom('downstream', starts, edges, edges.length, () => true).steps.flat();

/** Asks which records that a record is made from have failing tests, and how what is wrong there comes to it. */
export const askQuality = (room: MapRoom, request: Request): Question => {
  const scope = scopeAsked(request);
  const span = { upstream: upstreamAsked(request, 1), downstream: 0 };
  const wanted = wantedAsked(request, room.engine.registry, room.engine.clock());
  const { engine, budget } = room;
  return async (caller, root) => {
    const choice = { wanted, preservePaths: true };
    const ground = await readGround(room, caller, root, span, scope, budget);
    const drawing = draw(ground, await reachAround(room, caller, ground, span, choice, WHOLE), budget);
    const tests = await testsOf(engine, caller.principal, [...drawing.places.keys()], 'Failed');
    const found = await readDocuments(
      engine,
      [...tests.keys()],
      caller.hrefBase,
      undefined,
      redactorFor(engine, caller.principal),
    );
    const failing = [...found].filter(([, document]) => wanted.document?.(document) ?? true);
    const edges = waysFrom(
      failing.map(([id]) => id),
      drawing.upstream,
    );
    const carrierOf = await readWholeCarriers(
      engine,
      caller,
      edges.map(([, , pipelineId]) => pipelineId),
    );
    const shown = edges.flatMap((edge) => {
      const [from, to] = [drawing.nodes.get(edge[0]), drawing.nodes.get(edge[1])];
      return from && to ? [showData(edge, from, to, (end) => end.fullyQualifiedName, carrierOf)[1]] : [];
    });
    const nodes = failing.map(([, document]) => document);
    return { json: { nodes, edges: shown }, truncated: drawing.truncated };
  };
};
