import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import { type RefNode, readReferences } from '../../catalog/queries.ts';
import { viewFor } from '../../catalog/read/answer.ts';
import { permitted } from '../../catalog/read/facts.ts';
import { NO_FIELDS } from '../../catalog/read/fields.ts';
import { render } from '../../catalog/read/render.ts';
import { kindNamed } from '../../catalog/registry.ts';
import { createRecord } from '../../catalog/write/create.ts';
import { reviseRecord } from '../../catalog/write/write.ts';
import { CatalogError, recordNotFound } from '../../errors.ts';
import type { JsonObject } from '../../model/json.ts';
import { CARRIERS } from '../../model/lineage-values.ts';
import { fqnPart, joinFqn, normaliseFqn } from '../../model/name.ts';
import { piecesOf } from '../../model/pieces.ts';
import { type Site, siteOf } from '../ends.ts';
import { columnsFrom, grown } from './openlineage-columns.ts';
import { type Dataset, type Field, type Name, nameKey } from './openlineage-event.ts';
import { type Outcome, outcomeOf } from './outcome.ts';

/** What holds the datasets and the jobs that nobody else has. */
const HOLDER = 'openlineage';
const SCHEMA = 'default';

/** What a dataset may be, the likelier first. */
const DATASETS = [
  'table',
  'topic',
  'container',
  'searchIndex',
  'dashboardDataModel',
  'dashboard',
  'mlmodel',
  'apiEndpoint',
] as const;

/** How many names one statement looks up. */
const AT_ONCE = 1000;

/** Records of some kinds by their full names; of those that share a name, the one of the first kind. */
const findRecords = async (
  { graph, registry }: Engine,
  types: readonly string[],
  fqns: readonly string[],
): Promise<ReadonlyMap<string, RefNode>> => {
  const found = new Map<string, RefNode>();
  for (const some of piecesOf([...new Set(fqns)], AT_ONCE)) {
    const rows = some.map((fqn, at) => ({ fqn, at }));
    const lists = await Promise.all(
      types.map((type) => graph.read(readReferences.for(kindNamed(registry, type).label), { rows })),
    );
    for (const { node } of lists.flat()) {
      if (!node.deleted && !found.has(node.fullyQualifiedName)) found.set(node.fullyQualifiedName, node);
    }
  }
  return found;
};

const fullNames = (texts: readonly string[]): readonly string[] =>
  texts.flatMap((text) => {
    try {
      return [normaliseFqn(text)];
    } catch {
      // What is no full name means no record of that name.
      return [];
    }
  });

type Meanings = (name: Name) => readonly string[];

/** A job is a pipeline below a service of its namespace: what it is called by itself, it is called in any namespace. */
const jobMeanings: Meanings = ({ namespace, name }) => fullNames([`${fqnPart(namespace)}.${name}`]);

/** The full names that a dataset may mean: below a service of that namespace, or by itself. */
const datasetMeanings: Meanings = (one) => [...jobMeanings(one), ...fullNames([one.name])];

/** What no name here may hold is left out of the names of others. */
const cleaned = (name: string): string => name.replace(/["\p{Cc}\p{Cs}]/gu, '').replace(/:{2,}/g, ':');

const jobName = ({ namespace, name }: Name): string => cleaned(`${namespace}/${name}`);

const ownFqn = {
  dataset: ({ namespace, name }: Name): string =>
    [cleaned(namespace), SCHEMA, cleaned(name)].reduce((above, part) => joinFqn(above, part), HOLDER),
  job: (name: Name): string => joinFqn(HOLDER, jobName(name)),
};

type Place = { readonly type: string; readonly fqn: string; readonly body: () => Promise<JsonObject> };

const EDIT_ALL = ['EditAll'];
const COLUMNS: ReadonlySet<string> = new Set(['columns']);

/** The columns of a record as a document shows them. */
const columnsOf = (document: JsonObject): readonly JsonObject[] => (document['columns'] ?? []) as readonly JsonObject[];

/**
 * Adds the columns that an event tells of to a table that events have made, as far as it has them not. Nothing is taken
 * away: an event may tell of a part. Whoever may not change the table leaves it as it is, and still tells of its lineage.
 */
const grow = async (
  engine: Engine,
  principal: Principal,
  { id, kind }: Site,
  fields: readonly Field[],
): Promise<void> => {
  const told = columnsFrom(fields);
  if (told.length === 0) return;
  const call = { principal, hrefBase: '' };
  const record = await engine.store.record(kind, { id }, NO_FIELDS);
  if (!record || !grown(columnsOf(render(record, viewFor(engine, call, COLUMNS))), told)) return;
  const [isAllowed] = await permitted(engine, principal, EDIT_ALL, [{ entityId: id, entityType: kind.entityType }]);
  if (!isAllowed) return;
  const revise = (document: JsonObject): JsonObject => {
    const columns = grown(columnsOf(document), told);
    return columns ? { ...document, columns } : document;
  };
  const change = { address: { id }, revise, touched: ['columns'], isJsonPatch: false, operations: EDIT_ALL };
  await reviseRecord(
    engine,
    { kind, principal },
    { ...change, precondition: () => {}, viewFor: (wanted) => viewFor(engine, call, wanted) },
  );
};

/** Makes what is not there in the caller's name; what somebody else has made meanwhile is just as good. */
const createMaker = (engine: Engine, principal: Principal) => {
  const made = new Map<string, Promise<Site>>();

  const make = async ({ type, fqn, body }: Place): Promise<Site> => {
    const kind = kindNamed(engine.registry, type);
    const known = await engine.store.reference(kind, fqn);
    if (known && !known.deleted) return siteOf(engine, known);
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
      return siteOf(engine, node);
    } catch (failure) {
      if (!(failure instanceof CatalogError) || failure.code !== 'already_exists') throw failure;
      const other = await engine.store.reference(kind, fqn);
      if (!other || other.deleted) throw recordNotFound(type, fqn);
      return siteOf(engine, other);
    }
  };

  const once = (place: Place): Promise<Site> => {
    const key = `${place.type} ${place.fqn}`;
    const known = made.get(key);
    if (known) return known;
    const fresh = make(place);
    made.set(key, fresh);
    return fresh;
  };

  const service = (type: string, serviceType: string): Promise<Site> =>
    once({ type, fqn: HOLDER, body: async () => ({ name: HOLDER, serviceType }) });

  const database = (name: string): Promise<Site> =>
    once({
      type: 'database',
      fqn: joinFqn(HOLDER, name),
      body: async () => ({ name, service: (await service('databaseService', 'CustomDatabase')).fullyQualifiedName }),
    });

  const schema = (databaseName: string): Promise<Site> =>
    once({
      type: 'databaseSchema',
      fqn: joinFqn(joinFqn(HOLDER, databaseName), SCHEMA),
      body: async () => ({ name: SCHEMA, database: (await database(databaseName)).fullyQualifiedName }),
    });

  return {
    table: async (dataset: Name, fields: readonly Field[]): Promise<Site> => {
      const site = await once({
        type: 'table',
        fqn: ownFqn.dataset(dataset),
        body: async () => ({
          name: cleaned(dataset.name),
          databaseSchema: (await schema(cleaned(dataset.namespace))).fullyQualifiedName,
          columns: columnsFrom(fields),
        }),
      });
      await grow(engine, principal, site, fields);
      return site;
    },
    pipeline: (job: Name): Promise<Site> =>
      once({
        type: 'pipeline',
        fqn: ownFqn.job(job),
        body: async () => ({
          name: jobName(job),
          service: (await service('pipelineService', 'CustomPipeline')).fullyQualifiedName,
        }),
      }),
  };
};

/** The records that datasets and jobs turned out to be, by their names. */
export type Resolved = ReadonlyMap<string, Outcome<Site>>;

const resolveAll = async <T extends Name>(
  engine: Engine,
  types: readonly string[],
  wanted: ReadonlyMap<string, T>,
  meanings: Meanings,
  make: (one: T) => Promise<Site>,
): Promise<Resolved> => {
  const found = await findRecords(engine, types, [...wanted.values()].flatMap(meanings));
  const resolved = [...wanted].map(async ([key, one]) => {
    const node = meanings(one).flatMap((fqn) => found.get(fqn) ?? [])[0];
    return [key, await outcomeOf(() => (node ? siteOf(engine, node) : make(one)))] as const;
  });
  return new Map(await Promise.all(resolved));
};

const distinct = <T extends Name>(all: readonly T[], merge: (a: T, b: T) => T): ReadonlyMap<string, T> => {
  const named = new Map<string, T>();
  for (const one of all) {
    const key = nameKey(one);
    const known = named.get(key);
    named.set(key, known ? merge(known, one) : one);
  }
  return named;
};

const fieldsOfBoth = ({ fields: before = [] }: Dataset, { fields: after = [] }: Dataset): readonly Field[] => {
  const last = new Set(after.map(({ name }) => name));
  return [...after, ...before.filter(({ name }) => !last.has(name))];
};

/** Finds the records that datasets and jobs mean, and makes those that are not there. */
export const resolveNames = async (
  engine: Engine,
  principal: Principal,
  datasets: readonly Dataset[],
  jobs: readonly Name[],
): Promise<{ readonly datasets: Resolved; readonly jobs: Resolved }> => {
  const maker = createMaker(engine, principal);
  // Of a dataset that several events name, the fields are all that any of them tells of, as the last one has them.
  const named = distinct(datasets, (a, b) => (b.fields === undefined ? a : { ...b, fields: fieldsOfBoth(a, b) }));
  const [sites, carriers] = await Promise.all([
    resolveAll(engine, DATASETS, named, datasetMeanings, (one) => maker.table(one, one.fields ?? [])),
    resolveAll(
      engine,
      CARRIERS,
      distinct(jobs, (a) => a),
      jobMeanings,
      (one) => maker.pipeline(one),
    ),
  ]);
  return { datasets: sites, jobs: carriers };
};
