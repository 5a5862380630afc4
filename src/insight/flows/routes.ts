import { createView } from '../../catalog/read/answer.ts';
import { NO_FIELDS } from '../../catalog/read/fields.ts';
import { renderRef, type View } from '../../catalog/read/render.ts';
import { badRequest } from '../../errors.ts';
import { takePage } from '../../http/computed-page.ts';
import { integerParameter, textParameter } from '../../http/query-parameters.ts';
import type { Answer, Call, QueryParameter, Route } from '../../http/route.ts';
import { engineWithAbortSignal } from '../../lineage/read/abort-signal.ts';
import { readTypes } from '../../lineage/read/graph/graph-parameters.ts';
import type { JsonObject } from '../../model/json.ts';
import { DEFAULT_FLOW_TARGETS } from '../../model/language/flow-wish.ts';
import { WAY_MARK } from '../../model/lineage-way.ts';
import { LabelFlows } from '../../model/schemas/insight/flows.ts';
import { renderTracedColumn } from '../columns/render-column.ts';
import {
  answerPage,
  type CsvColumns,
  INSIGHT_PAGE_PARAMETERS,
  insightList,
  SCOPE_PARAMETER,
} from '../insight-parameters.ts';
import { createTrustRules, type PropagationDeps } from '../propagation/propagation-deps.ts';
import { requireScope } from '../scope.ts';
import { readBoundary } from './asset-places.ts';
import { countTargets, FLOW_GROUPINGS, groupFlows, readFlowGrouping, sumWays } from './group-flows.ts';
import { type FlowQuestion, type LabelledFlow, listFlows } from './list-flows.ts';

/**
 * The route of where labels flow. `read-flow-graph.ts` reads the columns and assets that labels reach, `find-flows.ts`
 * finds the ways in them, and `list-flows.ts` chooses those that were asked for.
 */

const readQuestion = async (
  { engine, budget, maxDepth, blockers }: PropagationDeps,
  call: Call,
): Promise<FlowQuestion> => {
  const { query, principal } = call;
  const tag = query.get('tag');
  if (!tag) throw badRequest('[tag must be given]');
  const types = readTypes(engine, call, 'toTypes');
  return {
    tag,
    toTypes: new Set(types.length === 0 ? DEFAULT_FLOW_TARGETS : types),
    leaves: readBoundary(query.get('leaves')),
    scope: await requireScope(engine, principal, query.get('scope') ?? ''),
    maxDepth: integerParameter(query, 'maxDepth', maxDepth, 1, maxDepth),
    budget,
    trust: createTrustRules(blockers, engine.clock()),
  };
};

const namesOf = ({ path }: LabelledFlow): readonly string[] => path.map((node) => node.fullyQualifiedName);

const depthOf = ({ path }: LabelledFlow): number => path.length - 1;

const renderFlow = (flow: LabelledFlow, view: View): JsonObject => ({
  source: renderTracedColumn(flow.source, view),
  target: renderRef(flow.target, view),
  depth: depthOf(flow),
  path: namesOf(flow),
  ways: flow.ways,
  certain: flow.isCertain,
});

const FLOW_CELLS: CsvColumns<LabelledFlow> = {
  source: ({ source }) => source.fullyQualifiedName,
  tags: ({ tags }) => tags.join(' '),
  targetType: ({ target }) => target.entityType,
  target: ({ target }) => target.fullyQualifiedName,
  depth: depthOf,
  ways: ({ ways }) => ways,
  certain: ({ isCertain }) => String(isCertain),
  path: (flow) => namesOf(flow).join(WAY_MARK),
};

const flowKey = ({ source, target }: LabelledFlow): string => `${source.key} ${target.id}`;

const handleFlows =
  (deps: PropagationDeps) =>
  async (call: Call): Promise<Answer> => {
    const engine = engineWithAbortSignal(deps.engine, call.signal);
    const grouping = readFlowGrouping(call.query.get('groupBy'));
    const { flows, cut } = await listFlows(engine, call.principal, await readQuestion({ ...deps, engine }, call));
    const page = takePage(call, { rows: flows, cut }, flowKey);
    const groups = await groupFlows(engine, call.principal, grouping, flows);
    const view = createView(engine, call, NO_FIELDS);
    return answerPage(call, page, {
      columns: FLOW_CELLS,
      render: () => ({
        data: page.rows.map((flow) => renderFlow(flow, view)),
        groups,
        paging: page.paging,
        summary: {
          sources: new Set(flows.map(({ source }) => source.key)).size,
          targets: countTargets(flows),
          ways: sumWays(flows),
        },
      }),
    });
  };

const flowParameters = (maxDepth: number): readonly QueryParameter[] => [
  textParameter('tag', 'Fully qualified name of a tag or of a classification; tags below it count too'),
  textParameter('toTypes', `Comma-separated entity types of the targets; ${DEFAULT_FLOW_TARGETS.join(',')} by default`),
  SCOPE_PARAMETER,
  textParameter(
    'leaves',
    'Only flows that end elsewhere: `domain` for another domain, or `extension.` and the name of a custom property for another value of it. What lies inside something has the value of it unless it has its own',
  ),
  {
    name: 'groupBy',
    description:
      'What flows are counted by: the tag of their source, or the owner, the name or the domain of their target',
    schema: { type: 'string', enum: FLOW_GROUPINGS },
  },
  {
    name: 'maxDepth',
    description: 'Number of steps that a label may flow along columns, and behind them along assets',
    schema: { type: 'integer', minimum: 1, maximum: maxDepth, default: maxDepth },
  },
  ...INSIGHT_PAGE_PARAMETERS,
];

export const flowRoutes = (deps: PropagationDeps): Route[] => [
  {
    ...insightList,
    tag: 'Lineage',
    method: 'GET',
    path: '/v1/lineage/flows',
    summary: 'List where the labels of columns flow',
    query: flowParameters(deps.maxDepth),
    responses: { 200: LabelFlows },
    isHeavy: true,
    handle: handleFlows(deps),
  },
];
