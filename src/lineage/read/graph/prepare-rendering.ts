import type { Engine } from '../../../catalog/engine.ts';
import { createView } from '../../../catalog/read/answer.ts';
import { authorizeRecord, VIEW_OPERATIONS } from '../../../catalog/read/facts.ts';
import { NO_FIELDS } from '../../../catalog/read/fields.ts';
import { createRedactor } from '../../../catalog/read/redaction.ts';
import type { Call } from '../../../http/route.ts';
import type { Endpoint } from '../../endpoints.ts';
import type { PipelineLookup } from '../../render-edge.ts';
import { readPipelineReferences } from '../entity-lineage.ts';
import { readVisibleContracts } from '../record-contracts.ts';
import { readTestStatuses, readVisibleTests } from '../record-tests.ts';
import type { LineageGraph } from './build-graph.ts';
import { createAssertionReader } from './edge-assertions.ts';
import { findGraphRoot, findGraphRoots } from './graph-parameters.ts';
import { createPastReader, createPresentReader, type GraphReader } from './graph-reader.ts';
import type { GraphRoom, ScoredGraphRoom } from './graph-room.ts';
import { createMemberReader } from './node-members.ts';
import { collectJoinedColumns, type GraphRendering } from './render-graph.ts';

/** Reads what graphs and their comparisons are rendered with. */

/** Opens lineage of a time, or of the present. */
export const openGraphReader = ({ engine, walker, budget }: GraphRoom, at: number | undefined) =>
  at === undefined ? createPresentReader(engine.graph, walker, budget) : createPastReader(engine.graph, at, budget);

/** Finds the roots that a query names. Throws forbidden when the caller may not see one of them. */
export const findPermittedRoots = async (engine: Engine, call: Call, alsoDeleted = false) => {
  const roots = await findGraphRoots(engine, call, alsoDeleted);
  await Promise.all(roots.map((root) => authorizeRecord(engine, call.principal, VIEW_OPERATIONS, root)));
  return roots;
};

/** Finds the only root that a query names. Throws forbidden when the caller may not see it. */
export const findPermittedRoot = async (engine: Engine, call: Call, alsoDeleted = false): Promise<Endpoint> => {
  const root = await findGraphRoot(engine, call, alsoDeleted);
  await authorizeRecord(engine, call.principal, VIEW_OPERATIONS, root);
  return root;
};

type RenderingOptions = Pick<
  GraphRendering,
  'carrierOf' | 'fit' | 'hasColumnEdges' | 'readAssertions' | 'readMembers'
> & {
  readonly isPresent: boolean;
};

/** Reads the pipelines that edges of the graphs name. */
export const readCarriers = (
  room: GraphRoom,
  call: Call,
  ...drawings: readonly LineageGraph[]
): Promise<PipelineLookup> => {
  const carriers = drawings.flatMap(({ edges }) => edges.map(({ tuple }) => tuple?.[2]));
  return readPipelineReferences(room, call, carriers, createView(room.engine, call, NO_FIELDS));
};

export const prepareRendering = (
  room: GraphRoom,
  call: Call,
  drawing: LineageGraph,
  { carrierOf, fit, hasColumnEdges, isPresent, readAssertions, readMembers }: RenderingOptions,
): GraphRendering => {
  const view = createView(room.engine, call, NO_FIELDS);
  return {
    drawing,
    view,
    redact: createRedactor(room.engine, call.principal),
    carrierOf,
    names: new Map([...drawing.roots, ...drawing.nodes].map(({ node }) => [node.id, node.fullyQualifiedName])),
    columns:
      hasColumnEdges || fit.fields?.has('columns')
        ? (drawing.trail?.columns ?? collectJoinedColumns(drawing.edges))
        : undefined,
    hasColumnEdges,
    fit,
    readAssertions,
    readMembers,
    // The current test results and contracts do not describe a past state, so graphs of the past omit them.
    statesOf: isPresent
      ? (known) => readTestStatuses(room.engine, call.principal, known)
      : () => Promise.resolve(new Map()),
    testsOf: isPresent ? (ids) => readVisibleTests(room.engine, call.principal, ids) : () => Promise.resolve(new Map()),
    contractsOf: isPresent
      ? (ids) => readVisibleContracts(room.engine, call.principal, ids)
      : () => Promise.resolve(new Map()),
  };
};

type AnswerOptions = Pick<GraphRendering, 'fit' | 'hasColumnEdges'> & {
  readonly moment: GraphReader;
  /** The time of the lineage; undefined for the present. */
  readonly at: number | undefined;
};

/** Prepares the rendering of one graph as its request asks for it. */
export const prepareGraph = async (
  room: ScoredGraphRoom,
  call: Call,
  drawing: LineageGraph,
  { moment, at, fit, hasColumnEdges }: AnswerOptions,
): Promise<GraphRendering> => {
  const isPresent = at === undefined;
  const view = createView(room.engine, call, NO_FIELDS);
  return prepareRendering(room, call, drawing, {
    carrierOf: await readCarriers(room, call, drawing),
    readMembers: createMemberReader(room, { principal: call.principal, view, fields: fit.fields, isPresent }),
    readAssertions: createAssertionReader(room, call, moment, isPresent),
    ...{ fit, hasColumnEdges, isPresent },
  });
};
