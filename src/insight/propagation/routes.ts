import { createView } from '../../catalog/read/answer.ts';
import { NO_FIELDS } from '../../catalog/read/fields.ts';
import { badRequest } from '../../errors.ts';
import { takePage } from '../../http/computed-page.ts';
import { integerParameter, textParameter } from '../../http/query-parameters.ts';
import type { Answer, Call, QueryParameter, Route } from '../../http/route.ts';
import { engineWithAbortSignal } from '../../lineage/read/abort-signal.ts';
import { PropagationAnswer } from '../../model/schemas/insight/propagation.ts';
import type { LineageViews } from '../graph/lineage-view.ts';
import {
  answerPage,
  INSIGHT_PAGE_PARAMETERS,
  insightList,
  readStates,
  SCOPE_PARAMETER,
  statesParameter,
} from '../insight-parameters.ts';
import type { ValueNode } from '../properties/nearest-sources.ts';
import { FLOWING_PROPERTIES, type FlowingProperty, isAssetProperty } from '../properties/property-value.ts';
import { judgedNodeCells, renderJudgedNode } from '../properties/render-nodes.ts';
import { type PropertySurvey, surveyAssets, surveyColumns } from '../properties/survey.ts';
import { requireScope } from '../scope.ts';
import { findPropagation, PROPAGATION_STATES, type PropagationState } from './judge-columns.ts';
import { createTrustRules, defaultDepth, type PropagationDeps } from './propagation-deps.ts';
import { judgedColumnCells, renderJudgedColumn } from './render-rows.ts';

/**
 * The route of what columns and assets inherit by lineage. `ways.ts` follows a label along mappings, `judge-columns.ts`
 * compares it with what columns carry, and `render-rows.ts` writes what was found. `apply-route.ts` gives columns the
 * label, and `label-follower.ts` keeps such labels true from then on. Other properties are in the room `properties`.
 */

export type PropagationRoom = PropagationDeps & { readonly views: LineageViews };

/** What a request asks about: either a tag or a property. */
type Subject = { readonly tag: string } | { readonly property: FlowingProperty };

const readSubject = ({ query }: Call): Subject => {
  const [tag, name] = [query.get('tag'), query.get('property')];
  if (tag && !name) return { tag };
  if (tag || !name) throw badRequest('[exactly one of tag and property must be given]');
  const property = FLOWING_PROPERTIES.find((one) => one === name);
  if (!property) throw badRequest(`[property must be one of ${FLOWING_PROPERTIES.join(', ')}]`);
  return { property };
};

/** How far the request looks. */
const readReach = async ({ engine, maxDepth }: PropagationDeps, { principal, query }: Call) => ({
  scope: await requireScope(engine, principal, query.get('scope') ?? ''),
  maxDepth: integerParameter(query, 'maxDepth', defaultDepth(maxDepth), 1, maxDepth),
});

const countStates = (rows: readonly { readonly state: PropagationState }[], sources: number) => ({
  sources,
  ...Object.fromEntries(PROPAGATION_STATES.map((state) => [state, rows.filter((row) => row.state === state).length])),
});

const answerTag = async (room: PropagationDeps, call: Call, tagName: string): Promise<Answer> => {
  const { engine, budget, blockers } = room;
  const states = readStates(call, PROPAGATION_STATES);
  const found = await findPropagation(engine, call.principal, {
    tag: tagName,
    ...(await readReach(room, call)),
    budget,
    trust: createTrustRules(blockers, engine.clock()),
  });
  const { tag, cut } = found;
  const rows = found.rows.filter(({ state }) => states.has(state));
  const page = takePage(call, { rows, cut }, ({ column }) => column.key);
  const view = createView(engine, call, NO_FIELDS);
  return answerPage(call, page, {
    columns: judgedColumnCells(tag),
    render: () => ({
      data: page.rows.map((row) => renderJudgedColumn(row, tag, view)),
      paging: page.paging,
      summary: countStates(found.rows, found.sources),
    }),
  });
};

const answerSurvey = async <N extends ValueNode>(
  { engine }: PropagationRoom,
  call: Call,
  survey: PropertySurvey<N>,
): Promise<Answer> => {
  const states = readStates(call, PROPAGATION_STATES);
  const rows = survey.rows.filter(({ state }) => states.has(state));
  const page = takePage(call, { rows, cut: survey.cut }, ({ node }) => node.key);
  const facts = await survey.readPage(call, page.rows);
  const view = createView(engine, call, NO_FIELDS);
  return answerPage(
    call,
    { ...page, rows: page.rows.filter(({ node }) => facts.renderNode(node)) },
    {
      columns: judgedNodeCells(survey, facts),
      render: () => ({
        data: page.rows.flatMap((row) => renderJudgedNode(row, survey, facts, view) ?? []),
        paging: page.paging,
        summary: countStates(survey.rows, survey.sources),
      }),
    },
  );
};

const answerProperty = async (room: PropagationRoom, call: Call, property: FlowingProperty): Promise<Answer> => {
  readStates(call, PROPAGATION_STATES);
  const reach = await readReach(room, call);
  const view = await room.views.viewFor(call.principal);
  return isAssetProperty(property)
    ? answerSurvey(room, call, await surveyAssets(room, call, view, property, reach))
    : answerSurvey(room, call, await surveyColumns(room, call, view, property, reach));
};

/** Answers what inherits a tag, by the parameters of the query. */
export const answerTagPropagation = (room: PropagationDeps, call: Call, tagName: string): Promise<Answer> =>
  answerTag({ ...room, engine: engineWithAbortSignal(room.engine, call.signal) }, call, tagName);

const handlePropagation =
  (room: PropagationRoom) =>
  async (call: Call): Promise<Answer> => {
    const subject = readSubject(call);
    const bound = { ...room, engine: engineWithAbortSignal(room.engine, call.signal) };
    return 'tag' in subject
      ? answerTagPropagation(room, call, subject.tag)
      : answerProperty(bound, call, subject.property);
  };

const depthParameter = (most: number): QueryParameter => ({
  name: 'maxDepth',
  description: 'Number of mappings, or edges between assets, that may be followed',
  schema: { type: 'integer', minimum: 1, maximum: most, default: defaultDepth(most) },
});

export const propagationRoutes = (room: PropagationRoom): Route[] => [
  {
    ...insightList,
    tag: 'Lineage',
    method: 'GET',
    path: '/v1/lineage/propagation',
    summary: 'List what inherits a tag or another property along lineage',
    query: [
      textParameter('tag', 'Fully qualified name of the tag; exactly one of `tag` and `property` is given'),
      {
        name: 'property',
        description: 'Property to follow instead of a tag: along edges between assets, or along mappings of columns',
        schema: { type: 'string', enum: [...FLOWING_PROPERTIES] },
      },
      SCOPE_PARAMETER,
      depthParameter(room.maxDepth),
      statesParameter(PROPAGATION_STATES),
      ...INSIGHT_PAGE_PARAMETERS,
    ],
    responses: { 200: PropagationAnswer },
    handle: handlePropagation(room),
  },
];
