import { createView, parseQueryFlag } from '../../../catalog/read/answer.ts';
import { NO_FIELDS } from '../../../catalog/read/fields.ts';
import { flagParameter } from '../../../http/query-parameters.ts';
import type { Call, QueryParameter } from '../../../http/route.ts';
import type { JsonObject } from '../../../model/json.ts';
import type { PipelineLookup } from '../../render-edge.ts';
import { readPipelineReferences } from '../entity-lineage.ts';
import type { GraphReader } from './graph-reader.ts';
import type { GraphRoom } from './graph-room.ts';
import type { AssertionAuthor } from './queries.ts';
import { endpointIdsOf, type GraphRendering } from './render-graph.ts';

/** Says of the edges of a graph who states each of them: one answer instead of a question for every edge. */

export const ASSERTIONS_PARAMETER: QueryParameter = flagParameter(
  'assertions',
  'Whether edges list which sources state them, the newest first: since when, when last, by whom and through which pipeline',
  false,
);

const renderAuthor = (
  { source, sourceName, pipelineId, createdAt, createdBy, updatedAt, updatedBy, seenAt }: AssertionAuthor,
  carrierOf: PipelineLookup,
  isPresent: boolean,
): JsonObject => {
  const pipeline = pipelineId === null ? undefined : carrierOf(pipelineId);
  return {
    source,
    ...(sourceName === null ? {} : { sourceName }),
    ...(pipeline ? { pipeline } : {}),
    ...{ createdAt, createdBy, updatedAt, updatedBy },
    // When something was said last is known of today only.
    ...(isPresent ? { seenAt: seenAt ?? updatedAt } : {}),
  };
};

const pairKey = ([from, to]: readonly [string, string]): string => `${from} ${to}`;

/**
 * Reads who states edges where the request asks for it. Edges without details have nothing to tell: they bridge omitted
 * records, or one of their ends is hidden.
 */
export const createAssertionReader = (
  room: GraphRoom,
  call: Call,
  moment: GraphReader,
  isPresent: boolean,
): GraphRendering['readAssertions'] => {
  if (!parseQueryFlag(call, 'assertions')) return undefined;
  return async (edges) => {
    const ends = new Map(
      edges.flatMap(({ tuple }) => (tuple ? [endpointIdsOf(tuple)] : [])).map((pair) => [pairKey(pair), pair]),
    );
    const stated = await moment.assertionsAbout([...ends.values()]);
    const carriers = stated.flatMap(({ assertions }) => assertions.map(({ pipelineId }) => pipelineId));
    const carrierOf = await readPipelineReferences(room, call, carriers, createView(room.engine, call, NO_FIELDS));
    const known = new Map(stated.map(({ from, to, assertions }) => [pairKey([from, to]), assertions]));
    return ({ tuple }) => {
      const assertions = tuple && known.get(pairKey(endpointIdsOf(tuple)));
      return assertions ? { assertions: assertions.map((one) => renderAuthor(one, carrierOf, isPresent)) } : {};
    };
  };
};
