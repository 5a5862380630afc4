import type { GenericSchema } from 'valibot';
import { namesRecords } from '../catalog/read/record-references.ts';
import type { Registry } from '../catalog/registry.ts';
import type { StoredAttribute } from '../model/kind/attribute.ts';
import type { EdgeType } from '../model/kind/edges.ts';
import type { Kind } from '../model/kind/kind.ts';
import { kindWords } from '../model/kind/kind-words.ts';
import { operationsToReadFields } from '../model/kind/required-operations.ts';

/**
 * The part of the graph that queries may ask for. Labels and properties follow from the declarations of the kinds, so
 * that a new kind is in it at once; whatever is not named here is not in it: sealed values, tokens, jobs, sessions,
 * search documents, events and former states.
 */

export type ViewProperty = {
  readonly name: string;
  readonly type: string;
  /** The operations that reading the property requires, besides seeing the record. */
  readonly operations: readonly string[];
};

export type ViewLabel = {
  readonly name: string;
  readonly description: string;
  /** The entity type of its records; absent for columns. */
  readonly entityType?: string;
  readonly properties: ReadonlyMap<string, ViewProperty>;
};

/** What an end of an edge may be. */
export type EdgeEnd = 'record' | 'column' | 'any';

export type ViewEdge = {
  readonly name: EdgeType;
  readonly description: string;
  readonly source: EdgeEnd;
  readonly target: EdgeEnd;
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly operations: readonly string[];
  readonly properties: ReadonlyMap<string, ViewProperty>;
};

export type GraphView = {
  readonly labels: ReadonlyMap<string, ViewLabel>;
  readonly edges: ReadonlyMap<string, ViewEdge>;
  /** The labels of records, that is all but columns. */
  readonly recordLabels: readonly string[];
  /** Labels that stand for several, such as `Asset`. */
  readonly groups: ReadonlyMap<string, readonly string[]>;
};

export const COLUMN_LABEL = 'Column';
export const ASSET_LABEL = 'Asset';

const property = (name: string, type: string, operations: readonly string[] = []): ViewProperty => ({
  name,
  type,
  operations,
});

const byName = <T extends { readonly name: string }>(all: readonly T[]): ReadonlyMap<string, T> =>
  new Map(all.map((one) => [one.name, one]));

/** What every record has, whatever its kind. */
export const COMMON_PROPERTIES: readonly ViewProperty[] = [
  property('id', 'string'),
  property('name', 'string'),
  property('fullyQualifiedName', 'string'),
  property('displayName', 'string'),
  property('description', 'string'),
  property('entityType', 'string'),
  property('deleted', 'boolean'),
  property('updatedAt', 'integer'),
  property('version', 'number'),
];

const COLUMN_PROPERTIES = [
  property('name', 'string'),
  property('fullyQualifiedName', 'string'),
  property('dataType', 'string'),
];

type SchemaShape = GenericSchema & { readonly pipe?: readonly { readonly type: string }[]; readonly item?: unknown };

const typeOfSchema = (schema: SchemaShape): string => {
  const isInteger = schema.pipe?.some(({ type }) => type === 'integer' || type === 'safe_integer') ?? false;
  const names: Readonly<Record<string, string>> = { boolean: 'boolean', number: isInteger ? 'integer' : 'number' };
  if (schema.type === 'array') return 'list of string';
  return names[schema.type] ?? 'string';
};

const isShown = (attribute: StoredAttribute): boolean =>
  attribute.store === 'property' &&
  !attribute.hidden &&
  !attribute.hashed &&
  !attribute.transient &&
  !attribute.confidential;

const kindProperties = (kind: Kind): readonly ViewProperty[] =>
  Object.entries(kind.members).flatMap(([name, attribute]) => {
    // Who is named in a text may be hidden; edges lead to those who are not.
    if (attribute.store !== 'property' || !isShown(attribute) || namesRecords(name)) return [];
    const operations = attribute.gated ? operationsToReadFields(kind, new Set([name])) : [];
    return [property(name, typeOfSchema(attribute.schema), operations)];
  });

const labelOf = (kind: Kind): ViewLabel => ({
  name: kind.label,
  description: `${kindWords(kind).many}, as \`/v1/${kind.path}\` has them`,
  entityType: kind.entityType,
  properties: byName([...kindProperties(kind), ...COMMON_PROPERTIES]),
});

const COLUMN: ViewLabel = {
  name: COLUMN_LABEL,
  description: 'Columns and fields at any depth: of tables, topics, containers, data models, search indexes and others',
  properties: byName(COLUMN_PROPERTIES),
};

type EdgeDeclaration = {
  readonly description: string;
  readonly source?: EdgeEnd;
  readonly target?: EdgeEnd;
  readonly operations?: readonly string[];
  readonly properties?: readonly ViewProperty[];
};

const VIEW_ALL: readonly string[] = ['ViewAll'];
const VIEW_TESTS: readonly string[] = ['ViewTests'];

/** The edges of the view. Those that a caller may only read with more than the right to see a record say so. */
const EDGES: Readonly<Partial<Record<EdgeType, EdgeDeclaration>>> = {
  FEEDS: {
    description: 'What something is made from feeds it: the present lineage, mostly between assets',
    properties: [property('id', 'string'), property('source', 'string'), property('since', 'integer')],
  },
  DERIVES: {
    description: 'Column to column that is made from it: the present lineage of columns',
    source: 'any',
    target: 'any',
    properties: [property('since', 'integer')],
  },
  CONTAINS: { description: 'Parent to child, such as database to schema and schema to table' },
  PARENT_OF: { description: 'Team to team, term to term, tag to tag, domain to data product' },
  HAS_COLUMN: { description: 'Asset or column to the columns in it', source: 'any', target: 'column' },
  OWNS: { description: 'Person or team to what they own' },
  FOLLOWS: { description: 'Person to what they follow' },
  REVIEWS: { description: 'Person or team to what they review' },
  EXPERT_IN: { description: 'Person to the domain or data product that they know' },
  HAS_MEMBER: { description: 'Team to person', operations: VIEW_ALL },
  HAS_ROLE: { description: 'Person or team to role', operations: VIEW_ALL },
  HAS_POLICY: { description: 'Role or team to policy', operations: VIEW_ALL },
  ACTS_AS: { description: 'Bot to its user' },
  TAGGED: {
    description: 'Asset or column to its tag or glossary term',
    source: 'any',
    properties: ['labelType', 'state', 'source', 'appliedAt'].map((name) => property(name, 'string')),
  },
  IN_DOMAIN: { description: 'What belongs to a domain to that domain' },
  HAS_ASSET: { description: 'Data product to its assets' },
  HAS_INPUT: { description: 'Data product to what it takes from outside', operations: VIEW_ALL },
  HAS_OUTPUT: { description: 'Data product to what it offers', operations: VIEW_ALL },
  RELATED_TO: { description: 'Glossary term to term, metric to metric', operations: VIEW_ALL },
  MENTIONED_IN: { description: 'Query to the tables that it reads', operations: [...VIEW_ALL, 'ViewQueries'] },
  SHOWS: { description: 'Dashboard to its charts and data models', operations: VIEW_ALL },
  USES: {
    description: 'ML model to dashboard, person to query, database or policy to container',
    operations: VIEW_ALL,
  },
  TESTS: { description: 'Test case to what it tests', target: 'any', operations: VIEW_TESTS },
  DEFINED_BY: { description: 'Test case to its definition', operations: VIEW_TESTS },
  HAS_TEST: { description: 'Test suite to its test cases', operations: VIEW_TESTS },
  HAS_CONTRACT: { description: 'Asset to its data contract' },
  EXPECTS: { description: 'Data contract to the test cases that must pass', operations: VIEW_TESTS },
};

type Pair = readonly [source: string, target: string];

/** The labels that the relations and parents of all kinds join by each edge. */
const declaredPairs = ({ kinds, byType }: Registry): ReadonlyMap<string, readonly Pair[]> => {
  const pairs = new Map<string, Pair[]>();
  const add = (edge: string, ...some: readonly Pair[]) => pairs.set(edge, [...(pairs.get(edge) ?? []), ...some]);
  const labelOfType = (type: string) => byType.get(type)?.label ?? '';
  for (const kind of kinds) {
    for (const parent of kind.parents) add(parent.edge, [labelOfType(parent.kind), kind.label]);
    for (const attribute of Object.values(kind.members)) {
      if (attribute.store !== 'relation') continue;
      const others = attribute.kinds.map(labelOfType);
      add(
        attribute.edge,
        ...others.map((other): Pair => (attribute.direction === 'out' ? [kind.label, other] : [other, kind.label])),
      );
    }
  }
  return pairs;
};

const PEOPLE = ['User', 'Team'];

/** The ends of edges that many kinds have in common and none declares as a relation of its own. */
const commonEnds = ({ kinds }: Registry): Readonly<Record<string, readonly [readonly string[], readonly string[]]>> => {
  const having = (member: Kind['gated'][number]) =>
    kinds.filter(({ gated }) => gated.includes(member)).map((one) => one.label);
  const assets = kinds.filter(({ isAsset }) => isAsset).map(({ label }) => label);
  const withColumns = kinds.filter(({ columnTrees }) => columnTrees.length > 0).map(({ label }) => label);
  const contracted = kinds.filter(({ contract }) => contract).map(({ label }) => label);
  return {
    FEEDS: [kinds.map(({ label }) => label), kinds.map(({ label }) => label)],
    PARENT_OF: [['Domain'], ['DataProduct']],
    DERIVES: [
      [COLUMN_LABEL, 'Chart'],
      [COLUMN_LABEL, 'Chart'],
    ],
    HAS_COLUMN: [[...withColumns, COLUMN_LABEL], [COLUMN_LABEL]],
    OWNS: [PEOPLE, having('owners')],
    FOLLOWS: [['User'], having('followers')],
    TAGGED: [
      [...having('tags'), COLUMN_LABEL],
      ['Tag', 'GlossaryTerm'],
    ],
    IN_DOMAIN: [having('domains'), ['Domain']],
    HAS_ASSET: [['DataProduct'], having('dataProducts')],
    HAS_INPUT: [['DataProduct'], assets],
    HAS_OUTPUT: [['DataProduct'], assets],
    MENTIONED_IN: [['Query'], assets],
    TESTS: [['TestCase'], ['Table', COLUMN_LABEL]],
    HAS_TEST: [['TestSuite'], ['TestCase']],
    HAS_CONTRACT: [contracted, ['DataContract']],
  };
};

const edgesOf = (registry: Registry): ReadonlyMap<string, ViewEdge> => {
  const pairs = declaredPairs(registry);
  const common = commonEnds(registry);
  const distinct = (labels: readonly string[]) => [...new Set(labels)].filter((label) => label !== '').sort();
  return byName(
    Object.entries(EDGES).map(([name, declared]): ViewEdge => {
      const [from, to] = common[name] ?? [[], []];
      const own = pairs.get(name) ?? [];
      return {
        name: name as EdgeType,
        description: declared.description,
        source: declared.source ?? 'record',
        target: declared.target ?? 'record',
        from: distinct([...from, ...own.map(([source]) => source)]),
        to: distinct([...to, ...own.map(([, target]) => target)]),
        operations: declared.operations ?? [],
        properties: byName(declared.properties ?? []),
      };
    }),
  );
};

export const buildGraphView = (registry: Registry): GraphView => {
  const labels = [...registry.kinds.map(labelOf), COLUMN];
  const assets = registry.kinds.filter(({ isAsset }) => isAsset).map(({ label }) => label);
  return {
    labels: byName(labels),
    edges: edgesOf(registry),
    recordLabels: registry.kinds.map(({ label }) => label),
    groups: new Map([[ASSET_LABEL, assets]]),
  };
};
