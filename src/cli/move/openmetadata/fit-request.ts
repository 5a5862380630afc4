import type { JsonObject } from '../../../model/json.ts';
import { type CatalogAnswer, objectOf, textOf } from '../../catalog-client.ts';
import { STATES } from './collections.ts';

/**
 * Turns what OpenMetadata answers into what the service takes for the same record, by the schema of its own API document:
 * references by names instead of IDs, and nothing that the service does not know.
 */

/** A schema of the API document, as far as it is read here. */
export type ApiSchema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, ApiSchema>>;
  readonly additionalProperties?: boolean | ApiSchema;
  readonly items?: ApiSchema;
  readonly anyOf?: readonly ApiSchema[];
};

export type ApiSchemas = Readonly<Record<string, ApiSchema>>;

export type FitRoom = {
  readonly schemas: ApiSchemas;
  /** Whether something that is referred to does not come. */
  isAbsent(type: string, name: string): boolean;
  /** Tells what is left out, by the path of the member. */
  onLeftOut(what: string): void;
};

const REFERENCE = '#/components/schemas/EntityReference';

/** What servers say of a record by themselves, which is no loss. */
const SERVER_MADE: ReadonlySet<string> = new Set([
  'id',
  'version',
  'updatedAt',
  'updatedBy',
  'impersonatedBy',
  'href',
  'changeDescription',
  'incrementalChangeDescription',
  'deleted',
  'fullyQualifiedName',
  'provider',
  'processedLineage',
  'allowDelete',
  'allowEdit',
  'allowImpersonation',
  'testConnectionResult',
]);

/** What a record inherits or what the one that it lies in tells. */
const TOLD_ELSEWHERE: ReadonlySet<string> = new Set([
  'service',
  'serviceType',
  'database',
  'databaseSchema',
  'apiCollection',
  'checksum',
  'children',
  'childrenCount',
  'usageCount',
  'termCount',
  'userCount',
  'entityFQN',
  'testSuite',
  'testCaseStatus',
  'testCaseResult',
  'testSuites',
  'createdBy',
  'isEmailVerified',
  'lastLoginTime',
  'lastActivityTime',
]);

/** The states that a record is in when nobody has decided on it. */
const UNDECIDED: readonly unknown[] = ['Unprocessed', 'Approved'];

const isReference = (value: unknown): boolean => {
  const { id, type } = objectOf(value);
  return typeof id === 'string' && typeof type === 'string';
};

const nameOfReference = (value: unknown): string => {
  const { fullyQualifiedName, name } = objectOf(value);
  return textOf(fullyQualifiedName) || textOf(name);
};

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === false ||
  value === 0 ||
  (typeof value === 'object' && Object.keys(value).length === 0);

const saysNothing = (member: string, value: unknown): boolean =>
  SERVER_MADE.has(member) ||
  TOLD_ELSEWHERE.has(member) ||
  isEmpty(value) ||
  (member === 'entityStatus' && UNDECIDED.includes(value));

const schemaOf = (room: FitRoom, { $ref }: ApiSchema): ApiSchema | undefined =>
  $ref === undefined ? undefined : room.schemas[$ref.slice($ref.lastIndexOf('/') + 1)];

/** What is inherited there and not here, so that it comes as what the record has itself. */
const INHERITED_THERE = /\.reviewers$/;

/** Whether a reference stands: not inherited, and neither deleted nor left out. */
const stands = (room: FitRoom, value: unknown, place: string): boolean => {
  const { inherited, deleted, type } = objectOf(value);
  if (inherited === true && !INHERITED_THERE.test(place)) return false;
  if (deleted !== true && !room.isAbsent(textOf(type), nameOfReference(value))) return true;
  room.onLeftOut(`${place}: a ${textOf(type)} that does not come`);
  return false;
};

const fitReference = (value: unknown): JsonObject => ({
  type: textOf(objectOf(value)['type']),
  fullyQualifiedName: nameOfReference(value),
});

/** Values of custom properties may be references, which have other IDs here. */
const nameReferences = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(nameReferences);
  if (isReference(value)) return fitReference(value);
  return value;
};

const fitOpenObject = (value: CatalogAnswer): JsonObject =>
  Object.fromEntries(Object.entries(value).map(([member, one]) => [member, nameReferences(one)])) as JsonObject;

/** Newer versions say how terms relate, where the service knows that they do. */
const plainRelation = (room: FitRoom, value: unknown, place: string): unknown => {
  const { term, relationType } = objectOf(value);
  if (!isReference(term)) return value;
  if (!['', 'relatedTo'].includes(textOf(relationType))) room.onLeftOut(`${place}.relationType`);
  return term;
};

const fitObject = (room: FitRoom, value: CatalogAnswer, schema: ApiSchema, place: string): JsonObject => {
  const { properties } = schema;
  // A schema without properties takes what it is given.
  if (properties === undefined) return fitOpenObject(value);
  const fitted: Record<string, unknown> = {};
  for (const [member, content] of Object.entries(value)) {
    const inner = Object.hasOwn(properties, member) ? properties[member] : undefined;
    if (inner !== undefined && !SERVER_MADE.has(member)) {
      const fit = fitValue(room, content, inner, `${place}.${member}`);
      if (fit !== undefined && fit !== null) fitted[member] = fit;
    } else if (!saysNothing(member, content) && STATES[place]?.member !== member) {
      room.onLeftOut(`${place}.${member}`);
    }
  }
  return fitted as JsonObject;
};

const fitValue = (room: FitRoom, value: unknown, given: ApiSchema, place: string): unknown => {
  if (value === null || value === undefined) return undefined;
  const schema = schemaOf(room, given) ?? given;
  if (Array.isArray(value)) {
    const items = schema.items ?? {};
    return value
      .map((one) => plainRelation(room, one, place))
      .filter((one) => !isReference(one) || stands(room, one, place))
      .map((one) => fitValue(room, one, items, place))
      .filter((one) => one !== undefined);
  }
  if (isReference(value)) {
    if (!stands(room, value, place)) return undefined;
    return given.$ref === REFERENCE ? fitReference(value) : nameOfReference(value);
  }
  if (typeof value === 'object') return fitObject(room, objectOf(value), schema, place);
  return value;
};

/** Fits a record to the schema of the service. The place begins what is told to be left out. */
export const fitRequest = (room: FitRoom, record: CatalogAnswer, schema: ApiSchema, place: string): JsonObject =>
  fitObject(room, record, schemaOf(room, schema) ?? schema, place);

const MASKED = /^\*+$/;

/** Removes secrets that the other catalog shows as stars; it tells them to nobody. */
export const dropMasked = (value: unknown, onDropped: () => void): unknown => {
  if (Array.isArray(value)) return value.map((one) => dropMasked(one, onDropped));
  if (typeof value !== 'object' || value === null) return value;
  const kept: Record<string, unknown> = {};
  for (const [member, content] of Object.entries(value)) {
    if (typeof content === 'string' && MASKED.test(content)) onDropped();
    else kept[member] = dropMasked(content, onDropped);
  }
  return kept;
};
