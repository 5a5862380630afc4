import { notAllowedMessage } from '../../access/authorization.ts';
import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import { createView } from '../../catalog/read/answer.ts';
import { checkPermissions } from '../../catalog/read/facts.ts';
import { NO_FIELDS } from '../../catalog/read/fields.ts';
import { renderRecord } from '../../catalog/read/render.ts';
import { requireKind } from '../../catalog/registry.ts';
import { createRecord } from '../../catalog/write/create.ts';
import { reviseRecord } from '../../catalog/write/update.ts';
import { CatalogError, recordNotFound } from '../../errors.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { addMissingColumns } from '../../model/kind/missing-columns.ts';
import { joinFqn } from '../../model/name.ts';
import { type Endpoint, toEndpoint } from '../endpoints.ts';
import { readNodeVisibility } from '../node-visibility.ts';
import type { Placement } from './dataset-meaning.ts';
import type { OpenLineageName } from './event.ts';

/** Creates the records that events name and the catalog lacks. */

/** The service for datasets and jobs that belong to no existing service. */
export const DEFAULT_SERVICE = 'openlineage';
const DEFAULT_SCHEMA = 'default';

/**
 * The source hash of tables that events created below known services. A connector that brings such a table in replaces
 * it, and from then on events add no columns.
 */
export const MADE_BY_EVENTS = 'openlineage';

/** Removes characters that catalog names must not contain. */
const cleanName = (name: string): string => name.replace(/["\p{Cc}\p{Cs}]/gu, '').replace(/:{2,}/g, ':');

const jobName = ({ namespace, name }: OpenLineageName): string => cleanName(`${namespace}/${name}`);

/** The full name of the database that stands for a namespace which belongs to no known service. */
export const islandFqn = (namespace: string): string => joinFqn(DEFAULT_SERVICE, cleanName(namespace));

type MissingRecord = { readonly type: string; readonly fqn: string; readonly body: () => Promise<JsonObject> };

const EDIT_ALL = ['EditAll'];
const COLUMNS: ReadonlySet<string> = new Set(['columns']);

/** Returns the columns in the document of a record. */
const columnsOf = (document: JsonObject): readonly JsonObject[] => (document['columns'] ?? []) as readonly JsonObject[];

/** Reads the columns of a table as its document contains them. */
export const readColumns = async (
  engine: Engine,
  { id, kind }: Endpoint,
): Promise<readonly JsonObject[] | undefined> => {
  const record = await engine.store.record(kind, { id }, NO_FIELDS);
  return record && columnsOf(renderRecord(record, createView(engine, { hrefBase: '' }, COLUMNS)));
};

/**
 * Adds columns to a table that was created from events. It removes none, because an event may list only some columns. A
 * caller who may not edit the table leaves it unchanged, and the lineage is still accepted.
 */
export const addReportedColumns = async (
  engine: Engine,
  principal: Principal,
  table: Endpoint,
  told: readonly JsonObject[],
): Promise<void> => {
  if (told.length === 0) return;
  const { id, kind } = table;
  const present = await readColumns(engine, table);
  if (!present || !addMissingColumns(present, told)) return;
  const [isAllowed] = await checkPermissions(engine, principal, EDIT_ALL, [
    { entityId: id, entityType: kind.entityType },
  ]);
  if (!isAllowed) return;
  const revise = (document: JsonObject): JsonObject => {
    const columns = addMissingColumns(columnsOf(document), told);
    return columns ? { ...document, columns } : document;
  };
  const change = { address: { id }, revise, touched: ['columns'], isJsonPatch: false, operations: EDIT_ALL };
  await reviseRecord(
    engine,
    { kind, principal },
    { ...change, precondition: () => {}, viewFor: (wanted) => createView(engine, { hrefBase: '' }, wanted) },
  );
};

/** The records that a request has created for a caller, by type and full name. */
export type CreatedRecords = {
  readonly engine: Engine;
  readonly principal: Principal;
  readonly byKey: Map<string, Promise<Endpoint>>;
};

/**
 * One answer for what a name may stand for: a record that the caller may not see or use, or none that the caller may not
 * create. Events would otherwise tell which hidden names exist.
 */
export const namedForbidden = (principal: Principal) =>
  new CatalogError('forbidden', notAllowedMessage(principal, ['EditLineage', 'Create']));

/** Answers the record that took a name meanwhile. Only who may use it is told that it was deleted. */
const takeOther = async (
  { engine, principal }: Pick<CreatedRecords, 'engine' | 'principal'>,
  kind: Kind,
  fqn: string,
): Promise<Endpoint> => {
  const other = await engine.store.reference(kind, fqn);
  if (!other) throw recordNotFound(kind.entityType, fqn);
  const endpoint = toEndpoint(engine, other);
  if (!other.deleted) return endpoint;
  const isSeen = (await readNodeVisibility(engine, principal, [other]))(other.id);
  throw isSeen ? recordNotFound(kind.entityType, fqn) : namedForbidden(principal);
};

/** Creates a missing record; one that somebody else created meanwhile is used as it is. */
export const findOrCreate = async (
  creating: Pick<CreatedRecords, 'engine' | 'principal'>,
  { type, fqn, body }: MissingRecord,
): Promise<Endpoint> => {
  const { engine, principal } = creating;
  const kind = requireKind(engine.registry, type);
  const known = await engine.store.reference(kind, fqn);
  if (known && !known.deleted) return toEndpoint(engine, known);
  try {
    const { record } = await createRecord(engine, { principal, kind }, await body());
    const { id, name, fullyQualifiedName } = record;
    const node = {
      id,
      name,
      fullyQualifiedName,
      entityType: type,
      displayName: null,
      description: null,
      deleted: false,
    };
    return toEndpoint(engine, node);
  } catch (failure) {
    if (!(failure instanceof CatalogError)) throw failure;
    if (failure.code === 'forbidden') throw namedForbidden(principal);
    if (failure.code !== 'already_exists') throw failure;
    return takeOther(creating, kind, fqn);
  }
};

const createOnce = (created: CreatedRecords, missing: MissingRecord): Promise<Endpoint> => {
  const key = `${missing.type} ${missing.fqn}`;
  const known = created.byKey.get(key);
  if (known) return known;
  const fresh = findOrCreate(created, missing);
  created.byKey.set(key, fresh);
  return fresh;
};

const createService = (created: CreatedRecords, type: string, serviceType: string): Promise<Endpoint> =>
  createOnce(created, { type, fqn: DEFAULT_SERVICE, body: async () => ({ name: DEFAULT_SERVICE, serviceType }) });

/** An existing record of that name in any letter case that systems and clients write it in. */
const findSpelled = async (
  { engine }: Pick<CreatedRecords, 'engine'>,
  type: string,
  above: string,
  name: string,
): Promise<Endpoint | undefined> => {
  const kind = requireKind(engine.registry, type);
  for (const spelled of new Set([name, name.toLowerCase(), name.toUpperCase()])) {
    const known = await engine.store.reference(kind, joinFqn(above, spelled));
    if (known && !known.deleted) return toEndpoint(engine, known);
  }
  return undefined;
};

const CONTAINER = 'container';
const TABLE_PATH = ['database', 'databaseSchema', 'table'] as const;

/** The types of the records along a path below a service, the outermost first. */
const typesAlong = ({ entityType, path }: Placement): readonly string[] => {
  if (entityType === 'table' && path.length === TABLE_PATH.length) return TABLE_PATH;
  if (entityType === 'topic' && path.length === 1) return ['topic'];
  return entityType === CONTAINER ? path.map(() => CONTAINER) : [];
};

/** What a new record of a type says besides its name, below the record before it on the path. */
const bodyBelow = (
  type: string,
  service: string,
  above: Endpoint | undefined,
  columns: readonly JsonObject[],
): JsonObject => {
  const fqn = above?.fullyQualifiedName ?? service;
  switch (type) {
    case 'database':
      return { service };
    case 'databaseSchema':
      return { database: fqn };
    case 'table':
      return { databaseSchema: fqn, columns };
    case 'topic':
      return { service, partitions: 1 };
    default:
      return { service, ...(above ? { parent: { id: above.id, type: CONTAINER } } : {}) };
  }
};

/** Finds or creates a record of a type, called by a name within a full name, below a record that was found before. */
type TakeStep = (type: string, within: string, name: string, above?: Endpoint) => Promise<Endpoint | undefined>;

/** Takes the steps of a path below a service, and answers its last record; undefined when a step leads nowhere. */
const walkPath = async (
  [service, ...path]: readonly [string, ...string[]],
  types: readonly string[],
  take: TakeStep,
): Promise<Endpoint | undefined> => {
  let above: Endpoint | undefined;
  for (const [at, type] of types.entries()) {
    above = await take(type, above?.fullyQualifiedName ?? service, path[at] ?? '', above);
    if (!above) return undefined;
  }
  return above;
};

const createStepBelow =
  (created: CreatedRecords, service: string, columns: readonly JsonObject[], more: JsonObject = {}) =>
  (type: string, within: string, name: string, above?: Endpoint): Promise<Endpoint> => {
    const body = { name, ...bodyBelow(type, service, above, columns), ...(type === 'table' ? more : {}) };
    return createOnce(created, { type, fqn: joinFqn(within, name), body: async () => body });
  };

/** Finds a dataset at its place in a known service, whatever the letter case of each name on the way. */
export const findDatasetBelow = (
  catalog: Pick<CreatedRecords, 'engine'>,
  placement: Placement,
): Promise<Endpoint | undefined> =>
  walkPath([placement.service.fqn, ...placement.path], typesAlong(placement), (type, within, name) =>
    findSpelled(catalog, type, within, name),
  );

/**
 * Creates a dataset where it belongs in a known service, with what is missing on the way. Answers undefined when events
 * tell too little of records of its kind.
 */
export const createDatasetBelow = (
  created: CreatedRecords,
  placement: Placement,
  columns: readonly JsonObject[],
): Promise<Endpoint | undefined> => {
  const { fqn: service } = placement.service;
  const create = createStepBelow(created, service, columns, { sourceHash: MADE_BY_EVENTS });
  return walkPath(
    [service, ...placement.path],
    typesAlong(placement),
    async (type, within, name, above) =>
      (await findSpelled(created, type, within, name)) ?? create(type, within, name, above),
  );
};

const islandPath = ({ namespace, name }: OpenLineageName) =>
  [DEFAULT_SERVICE, cleanName(namespace), DEFAULT_SCHEMA, cleanName(name)] as const;

/** The table that an earlier event created for a dataset which belongs to no known service. */
export const findDatasetTable = async (
  { engine }: Pick<CreatedRecords, 'engine'>,
  dataset: OpenLineageName,
): Promise<Endpoint | undefined> => {
  const fqn = islandPath(dataset).reduce((above, part) => joinFqn(above, part));
  const known = await engine.store.reference(requireKind(engine.registry, 'table'), fqn);
  return known && !known.deleted ? toEndpoint(engine, known) : undefined;
};

/** Creates the table of a dataset that belongs to no known service, with the schema, database and service above it. */
export const createDatasetTable = async (
  created: CreatedRecords,
  dataset: OpenLineageName,
  columns: readonly JsonObject[],
): Promise<Endpoint> => {
  await createService(created, 'databaseService', 'CustomDatabase');
  const create = createStepBelow(created, DEFAULT_SERVICE, columns);
  const table = await walkPath(islandPath(dataset), TABLE_PATH, create);
  if (!table) throw new Error('a path that is created leads nowhere');
  return table;
};

/** Creates the pipeline of a job with its service. */
export const createJobPipeline = (created: CreatedRecords, job: OpenLineageName): Promise<Endpoint> =>
  createOnce(created, {
    type: 'pipeline',
    fqn: joinFqn(DEFAULT_SERVICE, jobName(job)),
    body: async () => ({
      name: jobName(job),
      service: (await createService(created, 'pipelineService', 'CustomPipeline')).fullyQualifiedName,
    }),
  });
