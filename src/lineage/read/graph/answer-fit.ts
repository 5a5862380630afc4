import { parseQueryFlag } from '../../../catalog/read/answer.ts';
import { badRequest } from '../../../errors.ts';
import { flagParameter, textParameter } from '../../../http/query-parameters.ts';
import type { Call, QueryParameter } from '../../../http/route.ts';
import { nearestOf } from '../../../model/nearest.ts';
import { EDGE_DETAILS } from '../../../model/schemas/lineage/lineage.ts';
import { faultsError } from '../../../model/validate.ts';
import { readListParameter } from './graph-parameters.ts';
import { NAMED_NODE_FIELDS } from './node-members.ts';

/**
 * Reads how an answer about lineage fits its reader: grouped, with fewer members, or with each reference once. Read
 * `reference-fitter.ts` for members and references, and `asset-groups.ts` for groups.
 */

const GROUPINGS = ['type', 'owner', 'service', 'domain'] as const;

/** What assets may be grouped by. */
export type AssetGrouping = (typeof GROUPINGS)[number];

/** The members of every reference in an answer, besides its ID and type. */
const REFERENCE_FIELDS = [
  'name',
  'fullyQualifiedName',
  'displayName',
  'description',
  'deleted',
  'inherited',
  'href',
] as const;

/** The members that describe an asset. */
const DESCRIPTION_FIELDS = ['service', 'owners', 'tier', 'domains'] as const;

/** The members of assets that `fields` chooses from. */
export const ASSET_FIELDS: readonly string[] = [...REFERENCE_FIELDS, ...DESCRIPTION_FIELDS];

/** Those of the nodes of a graph. */
export const GRAPH_NODE_FIELDS: readonly string[] = [
  ...ASSET_FIELDS,
  'depth',
  'contractStatus',
  'testStatus',
  'columns',
  ...NAMED_NODE_FIELDS,
];

/** Every asset and reference has these, whatever `fields` names. */
const IDENTITY_FIELDS = ['id', 'type'];

/** How an answer fits its reader. */
export type AnswerFit = {
  readonly groupBy: AssetGrouping | undefined;
  /** The members to keep among `choices`; undefined when nobody chose. */
  readonly fields: ReadonlySet<string> | undefined;
  readonly choices: readonly string[];
  /** The members of the details of edges to keep; undefined when nobody chose. */
  readonly edgeFields: ReadonlySet<string> | undefined;
  readonly isCompact: boolean;
};

/** Whether the answer stays as it is. */
export const isPlainAnswer = ({ groupBy, fields, edgeFields, isCompact }: AnswerFit): boolean =>
  groupBy === undefined && fields === undefined && edgeFields === undefined && !isCompact;

/** Whether assets have to be described because `fields` names what describes them. */
export const describesAssets = ({ fields }: AnswerFit): boolean =>
  fields !== undefined && DESCRIPTION_FIELDS.some((name) => fields.has(name));

/** Whether nodes have a member, unless the caller chose others. */
export const hasMember = ({ fields }: AnswerFit, ...names: readonly string[]): boolean =>
  fields === undefined || names.some((name) => fields.has(name));

/** Whether nodes of graphs need their descriptions: to show them, to group by them, or for the states of their tests. */
export const needsDescriptions = (fit: AnswerFit): boolean =>
  fit.groupBy !== undefined || hasMember(fit, ...DESCRIPTION_FIELDS, 'testStatus', 'columns');

const readGrouping = ({ query }: Call): AssetGrouping | undefined => {
  const text = query.get('groupBy');
  if (!text) return undefined;
  const known = GROUPINGS.find((grouping) => grouping === text);
  if (!known) throw badRequest(`[groupBy must be one of ${GROUPINGS.join(', ')}]`);
  return known;
};

const readFields = (call: Call, parameter: string, known: readonly string[]): ReadonlySet<string> | undefined => {
  const names = readListParameter(call, parameter);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const text = `[${parameter} has the unknown name "${unknown.slice(0, 100)}", expected some of ${known.join(', ')}]`;
    throw faultsError([{ text, suggest: () => nearestOf(unknown, known) }]);
  }
  return names.length === 0 ? undefined : new Set(names);
};

/** Reads how the answer shall fit; `choices` are the members that `fields` may name. */
export const readAnswerFit = (call: Call, choices: readonly string[]): AnswerFit => ({
  groupBy: readGrouping(call),
  fields: readFields(call, 'fields', [...IDENTITY_FIELDS, ...choices]),
  choices,
  edgeFields: readFields(call, 'edgeFields', EDGE_DETAILS),
  isCompact: parseQueryFlag(call, 'compact'),
});

/** Declares the parameters; `what` says which assets of the answer are grouped. */
export const answerFitParameters = (what: string, choices: readonly string[]): readonly QueryParameter[] => [
  {
    name: 'groupBy',
    description: `Adds \`groups\`: ${what} by type, or by the full name of their owner, service or domain; an asset with several is in the group of each, and one without is in that of \`null\`. Hidden assets are grouped by type only`,
    schema: { type: 'string', enum: GROUPINGS },
  },
  textParameter(
    'fields',
    `Comma-separated members that assets have besides \`id\` and \`type\`: ${choices.join(', ')}. References inside them, such as owners, have those among them that references have`,
  ),
  flagParameter(
    'compact',
    'Whether each reference appears once, in `entities` by ID, and as an ID everywhere else',
    false,
  ),
];

/** Declares the parameter of answers that have edges. */
export const EDGE_FIELDS_PARAMETER: QueryParameter = textParameter(
  'edgeFields',
  `Comma-separated members that \`lineageDetails\` of edges have: ${EDGE_DETAILS.join(', ')}. Edges then say in \`hasSql\` and \`columnPairs\` what can be read of them`,
);
