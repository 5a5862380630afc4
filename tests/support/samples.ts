import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { requireKind } from '../../src/catalog/registry.ts';
import { createSchema } from '../../src/catalog/resolve/candidate.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import type { Attribute, RelationAttribute } from '../../src/model/kind/attribute.ts';
import type { Kind } from '../../src/model/kind/kind.ts';
import type { ParentDeclaration } from '../../src/model/kind/parent.ts';
import type { Service } from './service.ts';
import { uniqueName } from './service.ts';

/** Creates sample records of every kind. */

/**
 * Members whose sample cannot be derived from their schema, or whose derived sample would have a special meaning (a
 * system record cannot be deleted). A key names a member of every kind, or of one kind: `team.email`.
 */
const SAMPLES: Readonly<Record<string, (name: string) => Json>> = {
  email: () => `${uniqueName('mail')}@example.com`,
  provider: () => 'user',
  'testCase.entityLink': () => '<#E::table::sample>',
  // Of what has defaults the sample says them itself, so that it comes back as it is sent.
  'testDefinition.parameterDefinition': () => [{ name: 'sample', required: false, optionValues: [] }],
  'table.tableProfilerConfig': () => ({
    sampleDataCount: 50,
    randomizedSample: false,
    computeTableMetrics: true,
    computeColumnMetrics: true,
  }),
  'ingestionPipeline.airflowConfig': () => ({
    pausePipeline: false,
    concurrency: 1,
    pipelineTimezone: 'UTC',
    retries: 0,
    retryDelay: 300,
    pipelineCatchup: false,
    maxActiveRuns: 1,
    workflowDefaultView: 'tree',
    workflowDefaultViewOrientation: 'LR',
  }),
  // What every definition lets a test say, and a column that every sample of a table has.
  'testCase.parameterValues': () => [{ name: 'threshold', value: '1' }],
  'testCase.dimensionColumns': () => ['id'],
  columns: () => [{ name: 'id', dataType: 'INT' }],
  'type.schema': () => '{"type":"object"}',
  'policy.rules': (name) => [
    { name: 'look', fullyQualifiedName: `${name}.look`, effect: 'allow', operations: ['ViewAll'], resources: ['all'] },
  ],
  'query.triggeredBy': () => ({ type: 'team', fullyQualifiedName: 'Organization' }),
  // A subscription that is enabled would call somebody.
  'eventsubscription.enabled': () => false,
  'eventsubscription.input': () => ({
    filters: [
      {
        name: 'filterBySource',
        effect: 'include',
        prefixCondition: 'AND',
        arguments: [{ name: 'sourceList', input: ['table'] }],
      },
    ],
  }),
  'eventsubscription.destinations': () => [{ category: 'Followers', type: 'ActivityFeed', enabled: false }],
  'classification.autoClassificationConfig': () => ({ enabled: true, conflictResolution: 'most_specific' }),
  'tag.recognizers': (name) => [
    { name, recognizerConfig: { type: 'predefined', name: 'IbanRecognizer', supportedLanguage: 'en' } },
  ],
  'dataContract.entityStatus': () => 'Approved',
  'dataContract.termsOfUse': () => ({ content: 'sample' }),
  'dataContract.schema': () => [{ name: 'id', dataType: 'INT' }],
  'dataContract.sla': () => ({ timezone: 'GMT+00:00 (Europe/London)' }),
  'dataContract.semantics': (name) => [
    { name, description: 'sample', rule: '{"==": [1, 1]}', enabled: true, provider: 'user' },
  ],
  'dataContract.effectiveFrom': () => '2024-12-31T12:00:00Z',
  'dataContract.effectiveUntil': () => '2025-12-31T12:00:00Z',
  'team.profile': () => ({ images: { image: 'https://example.com/team.png' } }),
  'user.profile': () => ({ images: { image512: 'https://example.com/face.png' } }),
  'query.query': (name) => `SELECT 1 FROM ${name}`,
};

/** Strings for schemas that want a certain form; the first that a schema accepts is its sample. */
const TEXTS: readonly string[] = [
  'sample',
  'https://example.com/sample',
  'P1D',
  '2024-12-31',
  '2024-12-31T12:00:00Z',
  '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
  'sample@example.com',
];

/** What is looked at of a schema, whatever type of schema it is. */
type Shape = v.GenericSchema & {
  readonly pipe?: readonly Shape[];
  readonly wrapped?: Shape;
  readonly item?: Shape;
  readonly entries?: Readonly<Record<string, Shape>>;
  readonly options?: readonly (Shape | string)[];
  readonly getter?: (input: unknown) => Shape;
};

const sampleObject = (entries: Readonly<Record<string, Shape>>): Json | undefined => {
  const members = Object.entries(entries)
    .filter(([, schema]) => schema.type !== 'optional')
    .map(([name, schema]) => [name, derive(schema)] as const);
  return members.some(([, value]) => value === undefined) ? undefined : (Object.fromEntries(members) as JsonObject);
};

const candidatesFor = (schema: Shape): readonly (Json | undefined)[] => {
  const [first] = schema.pipe ?? [];
  if (first && first !== schema && first.type !== schema.type) return candidatesFor(first);
  switch (schema.type) {
    case 'string':
      return TEXTS;
    case 'number':
      return [1];
    case 'boolean':
      return [true];
    case 'picklist':
      return schema.options as readonly string[];
    case 'optional':
      return schema.wrapped ? candidatesFor(schema.wrapped) : [];
    case 'lazy':
      return schema.getter ? candidatesFor(schema.getter(undefined)) : [];
    case 'array':
      return schema.item ? [[derive(schema.item) ?? null]] : [];
    case 'strict_object':
      return schema.entries ? [sampleObject(schema.entries)] : [];
    case 'union':
      return (schema.options as readonly Shape[]).map(derive);
    case 'custom':
      return [{ sample: 'value' }, 'sample'];
    default:
      return [];
  }
};

/** A value that the schema accepts, with required members only; undefined when none is found. */
const derive = (schema: Shape): Json | undefined =>
  candidatesFor(schema).find((value) => value !== undefined && v.safeParse(schema, value).success);

/** A valid value for one member of one kind. Fails loudly: a new shape needs one line in the table above. */
const sampleFor = (kind: Kind, member: string, schema: v.GenericSchema, name: string): Json => {
  const made = SAMPLES[`${kind.entityType}.${member}`] ?? SAMPLES[member];
  const value = made ? made(name) : derive(schema as Shape);
  if (value === undefined || !v.safeParse(schema, value).success) {
    throw new Error(`no sample for ${kind.entityType}.${member}: add one line to SAMPLES in tests/support/samples.ts`);
  }
  return value;
};

/** A record as it was answered when it was made. */
export type CreatedRecord = JsonObject & {
  readonly id: string;
  readonly name: string;
  readonly fullyQualifiedName: string;
};

/** A kind, or its name. */
type Named = Kind | string;

/** Makes valid create bodies and records of any declared kind, below parents of its own. */
export type Samples = {
  /** The kind of that name. Throws when there is none. */
  kind(entityType: string): Kind;
  /** The parents of a kind as members of a create body; the same parents every time. */
  parents(kind: Kind): Promise<JsonObject>;
  /** The smallest valid create body, with further members as wished. */
  body(kind: Named, more?: JsonObject): Promise<JsonObject>;
  /** A create body with every plain value that a request may set. */
  fullBody(kind: Named, more?: JsonObject): Promise<JsonObject>;
  create(kind: Named, more?: JsonObject): Promise<CreatedRecord>;
  /** The members of a create body by which it means a record that is there: its name, and what it is the only one about. */
  meaning(kind: Kind, made: CreatedRecord): JsonObject;
  /** The members of a create body by which a record comes to lie below another one, through that parent. */
  placeIn(kind: Kind, parent: ParentDeclaration, above: Pick<CreatedRecord, 'fullyQualifiedName'>): JsonObject;
  /** A kind that hangs below the given one, if there is any, and how its create body names its parent. */
  childOf(
    kind: Kind,
  ): { readonly kind: Kind; place(parent: Pick<CreatedRecord, 'fullyQualifiedName'>): JsonObject } | undefined;
};

/** A record at the root is found again by this prefix; names are in lower case because some kinds keep them so. */
const sampleName = (kind: Kind): string => uniqueName(`s_${kind.entityType.toLowerCase()}`);

/** Custom properties need a type that defines them, so no sample value can be made up for them. */
const isPlain = (name: string, attribute: Attribute): boolean =>
  name !== 'extension' &&
  'request' in attribute &&
  attribute.request === true &&
  attribute.store !== 'empty' &&
  !('hidden' in attribute && (attribute.hidden || attribute.adminOnly));

/** The parents a record needs: those that are required, else the outermost one of several. */
const neededParents = (kind: Kind): readonly ParentDeclaration[] => {
  // Of the kinds of parents that one member may name, the first will do.
  const offered = kind.parents.filter(
    ({ setByOperation, field }, at, all) => !setByOperation && all.findIndex((other) => other.field === field) === at,
  );
  const required = offered.filter((parent) => parent.required);
  if (required.length > 0 || offered.length < 2) return required;
  return offered.slice(-1);
};

/** Whether a create body that names such a parent decides where the record hangs: what is founded is decided by the record. */
export const isPlacing = ({ setByOperation, createMissing }: ParentDeclaration): boolean =>
  !setByOperation && !createMissing;

/** How a create body points at a parent of this name. */
export const parentPointer = (parent: ParentDeclaration, fqn: string): Json =>
  parent.namedBy === 'ref' ? { type: parent.kind, fullyQualifiedName: fqn } : fqn;

export const createSamples = (service: Service): Samples => {
  const { registry, admin } = service;
  const made = new Map<string, Promise<CreatedRecord>>();

  const kindOf = (kind: Named): Kind => (typeof kind === 'string' ? requireKind(registry, kind) : kind);

  const shared = (kind: Kind): Promise<CreatedRecord> => {
    const known = made.get(kind.entityType) ?? create(kind);
    made.set(kind.entityType, known);
    return known;
  };

  const placeBelow = async (wanted: readonly ParentDeclaration[]): Promise<JsonObject> => {
    const members: Record<string, Json> = {};
    for (const parent of wanted) {
      members[parent.field] = parentPointer(parent, (await shared(kindOf(parent.kind))).fullyQualifiedName);
    }
    return members;
  };

  const parents: Samples['parents'] = (kind) => placeBelow(neededParents(kind));

  const relationSample = async (kind: Kind, name: string, attribute: RelationAttribute): Promise<Json> => {
    const type = attribute.kinds.includes('table') ? 'table' : attribute.kinds[0];
    if (type === undefined) throw new Error(`no sample for ${kind.entityType}.${name}: it may point at anything`);
    // Of some kinds there is one about each record.
    const isOnly = kind.naturalKey?.alone === true && attribute.required;
    const isOwn = attribute.exclusive || attribute.where !== undefined || isOnly;
    const target = await (isOwn ? create(kindOf(type), attribute.where) : shared(kindOf(type)));
    const pointer = {
      id: target.id,
      name: target.name,
      fqn: target.fullyQualifiedName,
      ref: { id: target.id, type },
    }[attribute.request ?? 'ref'];
    return attribute.many ? [pointer] : pointer;
  };

  const schemaOf = (attribute: Attribute): v.GenericSchema | undefined =>
    'schema' in attribute ? attribute.schema : undefined;

  const values = async (
    kind: Kind,
    name: string,
    wanted: (name: string, attribute: Attribute) => boolean,
  ): Promise<JsonObject> => {
    const members: Record<string, Json> = {};
    for (const [member, attribute] of Object.entries(kind.members)) {
      if (!wanted(member, attribute)) continue;
      const schema = schemaOf(attribute);
      if (schema) members[member] = sampleFor(kind, member, schema, name);
      else if (attribute.store === 'relation') members[member] = await relationSample(kind, member, attribute);
    }
    return members;
  };

  /** What a record is about, where it says so by a link. */
  const linked = async (kind: Kind): Promise<JsonObject> =>
    kind.entityType === 'testCase'
      ? { entityLink: `<#E::table::${(await shared(kindOf('table'))).fullyQualifiedName}>` }
      : {};

  const placeIn: Samples['placeIn'] = ({ entityType }, parent, { fullyQualifiedName }) =>
    entityType === 'testCase'
      ? { entityLink: `<#E::${parent.kind}::${fullyQualifiedName}>` }
      : { [parent.field]: parentPointer(parent, fullyQualifiedName) };

  const isRequired = (_name: string, attribute: Attribute) => 'required' in attribute && attribute.required;

  const requiredCommon = async (kind: Kind): Promise<JsonObject> =>
    kind.required?.includes('domains') ? { domains: [(await shared(kindOf('domain'))).fullyQualifiedName] } : {};

  const checked = (kind: Kind, body: JsonObject): JsonObject => {
    const result = v.safeParse(createSchema(kind), body);
    if (!result.success) {
      const [issue] = result.issues;
      throw new Error(`the sample of ${kind.entityType} is not valid: ${v.getDotPath(issue)} ${issue.message}`);
    }
    return body;
  };

  const assemble = async (kind: Kind, more: JsonObject, wanted: (name: string, attribute: Attribute) => boolean) => {
    const name = typeof more['name'] === 'string' ? more['name'] : sampleName(kind);
    const own = await values(kind, name, wanted);
    // Whoever names one of several possible parents has decided where the record hangs.
    const isPlaced = kind.parents.some((parent) => !parent.required && more[parent.field] !== undefined);
    const needed = neededParents(kind).filter((parent) => parent.required || !isPlaced);
    return {
      name,
      ...(await requiredCommon(kind)),
      ...own,
      ...(await placeBelow(needed)),
      ...(await linked(kind)),
      ...more,
    };
  };

  const body: Samples['body'] = async (kind, more = {}) => assemble(kindOf(kind), more, isRequired);

  const fullBody: Samples['fullBody'] = async (named, more = {}) => {
    const kind = kindOf(named);
    const isWanted = (name: string, attribute: Attribute) =>
      isRequired(name, attribute) || (isPlain(name, attribute) && attribute.store !== 'relation');
    return checked(kind, await assemble(kind, more, isWanted));
  };

  const create = async (named: Named, more: JsonObject = {}): Promise<CreatedRecord> => {
    const kind = kindOf(named);
    const reply = await admin.post(`/v1/${kind.path}`, checked(kind, await body(kind, more)));
    if (reply.status !== 201) throw new Error(`no sample of ${kind.entityType}: ${reply.status} ${reply.text}`);
    return reply.json as CreatedRecord;
  };

  const meaning: Samples['meaning'] = ({ naturalKey }, made) => {
    const about = naturalKey?.alone ? (made['entity'] as JsonObject) : undefined;
    const { id = null, type = null } = about ?? {};
    return { name: made.name, ...(about ? { entity: { id, type } } : {}) };
  };

  const childOf: Samples['childOf'] = (kind) => {
    for (const child of registry.kinds) {
      const parent = child.parents.find((candidate) => candidate.kind === kind.entityType && isPlacing(candidate));
      if (parent) {
        return {
          kind: child,
          place: ({ fullyQualifiedName }) => ({ [parent.field]: parentPointer(parent, fullyQualifiedName) }),
        };
      }
    }
    return undefined;
  };

  return { kind: kindOf, parents, body, fullBody, create, meaning, placeIn, childOf };
};

/** An id that no record has. */
export const strayId = (): string => randomUUID();
