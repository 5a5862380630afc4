import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import { type RefNode, readReferences } from '../../catalog/queries.ts';
import { createView } from '../../catalog/read/answer.ts';
import { checkPermissions } from '../../catalog/read/facts.ts';
import { NO_FIELDS } from '../../catalog/read/fields.ts';
import { renderRecord } from '../../catalog/read/render.ts';
import { requireKind } from '../../catalog/registry.ts';
import { createRecord } from '../../catalog/write/create.ts';
import { reviseRecord } from '../../catalog/write/update.ts';
import { CatalogError, recordNotFound } from '../../errors.ts';
import { chunk } from '../../model/chunk.ts';
import type { JsonObject } from '../../model/json.ts';
import { fqnPart, joinFqn, normaliseFqn } from '../../model/name.ts';
import { PIPELINE_KINDS } from '../../model/schemas/lineage/lineage.ts';
import { type Endpoint, toEndpoint } from '../endpoints.ts';
import { addMissingColumns, columnsFromFields } from './openlineage-columns.ts';
import {
  type OpenLineageDataset,
  type OpenLineageField,
  type OpenLineageName,
  openLineageNameKey,
} from './openlineage-event.ts';
import { captureOutcome, type EdgeRowOutcome } from './row-outcome.ts';

/** The service for datasets and jobs that belong to no existing service. */
const DEFAULT_SERVICE = 'openlineage';
const DEFAULT_SCHEMA = 'default';

/** The kinds a dataset may be, most likely first. */
const DATASET_TYPES = [
  'table',
  'topic',
  'container',
  'searchIndex',
  'dashboardDataModel',
  'dashboard',
  'mlmodel',
  'apiEndpoint',
] as const;

/** The number of names looked up by one statement. */
const BATCH_SIZE = 1000;

/** Finds records by full name; when records of several kinds share a name, the first kind in the list wins. */
const findRecords = async (
  { graph, registry }: Engine,
  types: readonly string[],
  fqns: readonly string[],
): Promise<ReadonlyMap<string, RefNode>> => {
  const found = new Map<string, RefNode>();
  for (const some of chunk([...new Set(fqns)], BATCH_SIZE)) {
    const rows = some.map((fqn, at) => ({ fqn, at }));
    const lists = await Promise.all(
      types.map((type) => graph.read(readReferences.for(requireKind(registry, type).label), { rows })),
    );
    for (const { node } of lists.flat()) {
      if (!node.deleted && !found.has(node.fullyQualifiedName)) found.set(node.fullyQualifiedName, node);
    }
  }
  return found;
};

const validFullNames = (texts: readonly string[]): readonly string[] =>
  texts.flatMap((text) => {
    try {
      return [normaliseFqn(text)];
    } catch {
      // A text that is no valid full name matches no record.
      return [];
    }
  });

type NameCandidates = (name: OpenLineageName) => readonly string[];

/**
 * A job means a pipeline in the service of its namespace. Its bare name is not looked up, because any namespace may
 * contain the same name.
 */
const jobCandidates: NameCandidates = ({ namespace, name }) => validFullNames([`${fqnPart(namespace)}.${name}`]);

/** Returns the full names a dataset may mean: a name below the service of its namespace, or the bare name. */
const datasetCandidates: NameCandidates = (one) => [...jobCandidates(one), ...validFullNames([one.name])];

/** Removes characters that catalog names must not contain. */
const cleanName = (name: string): string => name.replace(/["\p{Cc}\p{Cs}]/gu, '').replace(/:{2,}/g, ':');

const jobName = ({ namespace, name }: OpenLineageName): string => cleanName(`${namespace}/${name}`);

const createdFqn = {
  dataset: ({ namespace, name }: OpenLineageName): string =>
    [cleanName(namespace), DEFAULT_SCHEMA, cleanName(name)].reduce(
      (above, part) => joinFqn(above, part),
      DEFAULT_SERVICE,
    ),
  job: (name: OpenLineageName): string => joinFqn(DEFAULT_SERVICE, jobName(name)),
};

type MissingRecord = { readonly type: string; readonly fqn: string; readonly body: () => Promise<JsonObject> };

const EDIT_ALL = ['EditAll'];
const COLUMNS: ReadonlySet<string> = new Set(['columns']);

/** Returns the columns in the document of a record. */
const columnsOf = (document: JsonObject): readonly JsonObject[] => (document['columns'] ?? []) as readonly JsonObject[];

/**
 * Adds columns from an event to a table that was created from events. It removes none, because an event may list only
 * some columns. A caller who may not edit the table leaves it unchanged, and the lineage is still accepted.
 */
const addMissingFields = async (
  engine: Engine,
  principal: Principal,
  { id, kind }: Endpoint,
  fields: readonly OpenLineageField[],
): Promise<void> => {
  const told = columnsFromFields(fields);
  if (told.length === 0) return;
  const call = { principal, hrefBase: '' };
  const record = await engine.store.record(kind, { id }, NO_FIELDS);
  if (!record || !addMissingColumns(columnsOf(renderRecord(record, createView(engine, call, COLUMNS))), told)) return;
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
    { ...change, precondition: () => {}, viewFor: (wanted) => createView(engine, call, wanted) },
  );
};

/** Creates missing records on behalf of the caller; a record that somebody else created meanwhile is used as it is. */
const createRecordMaker = (engine: Engine, principal: Principal) => {
  const made = new Map<string, Promise<Endpoint>>();

  const make = async ({ type, fqn, body }: MissingRecord): Promise<Endpoint> => {
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
      if (!(failure instanceof CatalogError) || failure.code !== 'already_exists') throw failure;
      const other = await engine.store.reference(kind, fqn);
      if (!other || other.deleted) throw recordNotFound(type, fqn);
      return toEndpoint(engine, other);
    }
  };

  const once = (place: MissingRecord): Promise<Endpoint> => {
    const key = `${place.type} ${place.fqn}`;
    const known = made.get(key);
    if (known) return known;
    const fresh = make(place);
    made.set(key, fresh);
    return fresh;
  };

  const service = (type: string, serviceType: string): Promise<Endpoint> =>
    once({ type, fqn: DEFAULT_SERVICE, body: async () => ({ name: DEFAULT_SERVICE, serviceType }) });

  const database = (name: string): Promise<Endpoint> =>
    once({
      type: 'database',
      fqn: joinFqn(DEFAULT_SERVICE, name),
      body: async () => ({ name, service: (await service('databaseService', 'CustomDatabase')).fullyQualifiedName }),
    });

  const schema = (databaseName: string): Promise<Endpoint> =>
    once({
      type: 'databaseSchema',
      fqn: joinFqn(joinFqn(DEFAULT_SERVICE, databaseName), DEFAULT_SCHEMA),
      body: async () => ({ name: DEFAULT_SCHEMA, database: (await database(databaseName)).fullyQualifiedName }),
    });

  return {
    table: async (dataset: OpenLineageName, fields: readonly OpenLineageField[]): Promise<Endpoint> => {
      const site = await once({
        type: 'table',
        fqn: createdFqn.dataset(dataset),
        body: async () => ({
          name: cleanName(dataset.name),
          databaseSchema: (await schema(cleanName(dataset.namespace))).fullyQualifiedName,
          columns: columnsFromFields(fields),
        }),
      });
      await addMissingFields(engine, principal, site, fields);
      return site;
    },
    pipeline: (job: OpenLineageName): Promise<Endpoint> =>
      once({
        type: 'pipeline',
        fqn: createdFqn.job(job),
        body: async () => ({
          name: jobName(job),
          service: (await service('pipelineService', 'CustomPipeline')).fullyQualifiedName,
        }),
      }),
  };
};

/** The outcome for each dataset and job name: its record or a failure. */
export type ResolvedNames = ReadonlyMap<string, EdgeRowOutcome<Endpoint>>;

const resolveGroup = async <T extends OpenLineageName>(
  engine: Engine,
  types: readonly string[],
  wanted: ReadonlyMap<string, T>,
  meanings: NameCandidates,
  make: (one: T) => Promise<Endpoint>,
): Promise<ResolvedNames> => {
  const found = await findRecords(engine, types, [...wanted.values()].flatMap(meanings));
  const resolved = [...wanted].map(async ([key, one]) => {
    const node = meanings(one).flatMap((fqn) => found.get(fqn) ?? [])[0];
    return [key, await captureOutcome(() => (node ? toEndpoint(engine, node) : make(one)))] as const;
  });
  return new Map(await Promise.all(resolved));
};

const mergeByName = <T extends OpenLineageName>(
  all: readonly T[],
  merge: (a: T, b: T) => T,
): ReadonlyMap<string, T> => {
  const named = new Map<string, T>();
  for (const one of all) {
    const key = openLineageNameKey(one);
    const known = named.get(key);
    named.set(key, known ? merge(known, one) : one);
  }
  return named;
};

const mergeFields = (
  { fields: before = [] }: OpenLineageDataset,
  { fields: after = [] }: OpenLineageDataset,
): readonly OpenLineageField[] => {
  const last = new Set(after.map(({ name }) => name));
  return [...after, ...before.filter(({ name }) => !last.has(name))];
};

/** Resolves datasets and jobs to records, and creates the missing ones. */
export const resolveOpenLineageNames = async (
  engine: Engine,
  principal: Principal,
  datasets: readonly OpenLineageDataset[],
  jobs: readonly OpenLineageName[],
): Promise<{ readonly datasets: ResolvedNames; readonly jobs: ResolvedNames }> => {
  const maker = createRecordMaker(engine, principal);
  // When several events name a dataset, it gets the fields of all of them; the last event wins for each field.
  const named = mergeByName(datasets, (a, b) => (b.fields === undefined ? a : { ...b, fields: mergeFields(a, b) }));
  const [sites, carriers] = await Promise.all([
    resolveGroup(engine, DATASET_TYPES, named, datasetCandidates, (one) => maker.table(one, one.fields ?? [])),
    resolveGroup(
      engine,
      PIPELINE_KINDS,
      mergeByName(jobs, (a) => a),
      jobCandidates,
      (one) => maker.pipeline(one),
    ),
  ]);
  return { datasets: sites, jobs: carriers };
};
