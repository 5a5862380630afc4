import { FUNCTION_NAMES } from './translate/functions.ts';
import { ASSET_LABEL, COLUMN_LABEL, type GraphView, type ViewLabel, type ViewProperty } from './view.ts';

/** Describes the part of the graph that queries may ask for, as `GET /v1/graph/schema` answers it. */

/** What a member of a kind means, from the words of the API document. */
export type DescribeMember = (kind: string, member: string) => string | undefined;

const CLAUSES = [
  ...['MATCH', 'OPTIONAL MATCH', 'WHERE', 'WITH', 'UNWIND', 'RETURN', 'DISTINCT', 'ORDER BY', 'SKIP', 'LIMIT'],
  ...['UNION', 'UNION ALL', 'EXISTS { }', 'COUNT { }', 'CASE'],
];

/** Properties that belong to no member of an answer, or mean the same wherever they stand. */
const PROPERTY_TEXTS: Readonly<Record<string, string>> = {
  since: 'When the edge came to be, in milliseconds',
  source: 'Who or what said so',
  labelType: 'How the label came to be: given by hand, derived, propagated or automated',
  state: 'Whether the label is suggested or confirmed',
  appliedAt: 'When the label was given',
  dataType: 'Data type of the column',
};

const renderProperty = (describe: DescribeMember, owner: string, { name, type }: ViewProperty) => ({
  name,
  type,
  description: PROPERTY_TEXTS[name] ?? describe(owner, name) ?? name,
});

const renderLabel = (describe: DescribeMember, { name, description, properties }: ViewLabel) => ({
  name,
  description,
  properties: [...properties.values()].map((one) => renderProperty(describe, name, one)),
});

/** The label that stands for many has the properties that all of them have. */
const renderGroup = ({ labels }: GraphView, describe: DescribeMember, members: readonly string[]) => {
  const [first, ...others] = members.flatMap((name) => labels.get(name) ?? []);
  const shared = [...(first?.properties.values() ?? [])].filter(({ name }) =>
    others.every(({ properties }) => properties.has(name)),
  );
  return {
    name: ASSET_LABEL,
    description: `Whatever can have lineage: ${members.join(', ')}`,
    properties: shared.map((one) => renderProperty(describe, first?.name ?? '', one)),
  };
};

export const describeView = (view: GraphView, describe: DescribeMember) => ({
  labels: [
    ...[...view.groups.values()].map((members) => renderGroup(view, describe, members)),
    ...[...view.labels.values()].map((label) => renderLabel(describe, label)),
  ],
  edges: [...view.edges.values()].map(({ name, description, from, to, properties }) => ({
    name,
    description,
    from,
    to,
    properties: [...properties.values()].map((one) => renderProperty(describe, COLUMN_LABEL, one)),
  })),
  functions: FUNCTION_NAMES,
  clauses: CLAUSES,
});
