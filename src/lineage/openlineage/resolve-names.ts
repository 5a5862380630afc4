import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import { type RefNode, readReferences } from '../../catalog/queries.ts';
import { restoreOrder } from '../../catalog/read/batch-read.ts';
import type { Registry } from '../../catalog/registry.ts';
import { withPositions } from '../../graph/statement.ts';
import { chunk } from '../../model/chunk.ts';
import { groupBy } from '../../model/group-by.ts';
import { fqnPart } from '../../model/name.ts';
import type { AccessNeed } from '../../model/schemas/access/policy.ts';
import { PIPELINE_KINDS } from '../../model/schemas/lineage/lineage.ts';
import { type Endpoint, toEndpoint } from '../endpoints.ts';
import { captureOutcome, type EdgeRowOutcome } from '../ingest/row-outcome.ts';
import { columnsFromFields } from './columns.ts';
import {
  addReportedColumns,
  type CreatedRecords,
  createDatasetBelow,
  createDatasetTable,
  createJobPipeline,
  findDatasetBelow,
  findDatasetTable,
  MADE_BY_EVENTS,
} from './create-records.ts';
import { type DatasetHomes, type NamespaceMap, readDatasetHomes } from './dataset-homes.ts';
import { type DatasetMeaning, type MatchReason, meaningOf, type Placement, validFullNames } from './dataset-meaning.ts';
import { type OpenLineageDataset, type OpenLineageField, type OpenLineageName, openLineageNameKey } from './event.ts';
import { listMadeByEvents } from './queries.ts';

/** Lists the types a dataset may have, most likely first. */
const listDatasetTypes = ({ kinds }: Registry): readonly string[] =>
  kinds
    .flatMap(({ entityType, datasetRank }) => (datasetRank === undefined ? [] : [{ entityType, datasetRank }]))
    .sort((one, other) => one.datasetRank - other.datasetRank)
    .map(({ entityType }) => entityType);

/** The rights of which a caller needs one for any event: to edit the lineage of a record that it means, or to create one. */
export const eventNeeds = (registry: Registry): readonly AccessNeed[] =>
  ['EditLineage', 'Create'].flatMap((operation) =>
    [...listDatasetTypes(registry), ...PIPELINE_KINDS].map((resource) => ({ operation, resource })),
  );

/** The number of names looked up by one statement. */
const BATCH_SIZE = 1000;

/** Finds records by full name; when records of several kinds share a name, the first kind in the list wins. */
const findRecords = async (
  { graph }: Engine,
  types: readonly string[],
  fqns: readonly string[],
): Promise<ReadonlyMap<string, RefNode>> => {
  const found = new Map<string, RefNode>();
  for (const some of chunk([...new Set(fqns)], BATCH_SIZE)) {
    const rows = withPositions(types.flatMap((entityType) => some.map((fqn) => ({ entityType, fqn }))));
    const nodes = restoreOrder(await graph.read(readReferences, { rows }), rows.length).flatMap(
      (row) => row?.node ?? [],
    );
    for (const node of nodes) {
      if (!node.deleted && !found.has(node.fullyQualifiedName)) found.set(node.fullyQualifiedName, node);
    }
  }
  return found;
};

/**
 * A job means a pipeline in the service of its namespace. Its bare name is not looked up, because any namespace may
 * contain the same name.
 */
const jobFqns = ({ namespace, name }: OpenLineageName): readonly string[] =>
  validFullNames([`${fqnPart(namespace)}.${name}`]);

/** The record of a name, and how it came to be that record. */
export type ResolvedName = {
  readonly endpoint: Endpoint;
  /** Why the record was taken for it; absent when it was created. */
  readonly matchedBy?: MatchReason;
};

/**
 * Whether only those may tell events of the record who may edit its lineage. What a dataset without a service was made
 * into stands for events alone, so whoever sent the first event may send the next.
 */
export const needsEditLineage = ({ matchedBy }: ResolvedName): boolean =>
  matchedBy !== undefined && matchedBy !== 'earlierEvent';

/** The outcome for each dataset and job name: its record or a failure. */
export type ResolvedNames = ReadonlyMap<string, EdgeRowOutcome<ResolvedName>>;

export const findResolved = (names: ResolvedNames, name: OpenLineageName): ResolvedName | undefined => {
  const outcome = names.get(openLineageNameKey(name));
  return outcome !== undefined && 'value' in outcome ? outcome.value : undefined;
};

const resolveJobs = async (
  engine: Engine,
  created: CreatedRecords,
  wanted: ReadonlyMap<string, OpenLineageName>,
): Promise<ResolvedNames> => {
  const found = await findRecords(engine, PIPELINE_KINDS, [...wanted.values()].flatMap(jobFqns));
  const resolved = [...wanted].map(async ([key, job]) => {
    const node = jobFqns(job).flatMap((fqn) => found.get(fqn) ?? [])[0];
    const outcome = await captureOutcome<ResolvedName>(async () =>
      node
        ? { endpoint: toEndpoint(engine, node), matchedBy: 'serviceName' }
        : { endpoint: await createJobPipeline(created, job) },
    );
    return [key, outcome] as const;
  });
  return new Map(await Promise.all(resolved));
};

const readMadeByEvents = async ({ graph }: Engine, ids: readonly string[]): Promise<ReadonlySet<string>> =>
  new Set((await graph.read(listMadeByEvents, { ids, mark: MADE_BY_EVENTS })).map(({ id }) => id));

/** Finds the record that a dataset is, among those looked up and at its place in a known service. */
const findDataset = async (
  engine: Engine,
  found: ReadonlyMap<string, RefNode>,
  { candidates, placement }: DatasetMeaning,
): Promise<Required<ResolvedName> | undefined> => {
  const match = candidates.find(({ fqn }) => found.has(fqn));
  const node = match && found.get(match.fqn);
  if (node) return { endpoint: toEndpoint(engine, node), matchedBy: match.by };
  const placed = placement && (await findDatasetBelow({ engine }, placement));
  return placed && { endpoint: placed, matchedBy: placement.by };
};

/** The record that a dataset is as things are now, or where it would be created in a known service. */
export type LocatedDataset = {
  readonly known: Required<ResolvedName> | undefined;
  /** Whether events made the record, so that they may add to it. */
  readonly isGrowing: boolean;
  readonly placement: Placement | undefined;
};

/** Locates datasets without creating anything. */
export const locateDatasets = async (
  engine: Engine,
  homes: DatasetHomes,
  datasets: readonly OpenLineageDataset[],
): Promise<readonly LocatedDataset[]> => {
  const meanings = datasets.map((dataset) => meaningOf(homes, dataset));
  const fqns = meanings.flatMap(({ candidates }) => candidates.map(({ fqn }) => fqn));
  const found = await findRecords(engine, listDatasetTypes(engine.registry), fqns);
  const known = await Promise.all(meanings.map((meaning) => findDataset(engine, found, meaning)));
  const growing = await readMadeByEvents(
    engine,
    known.flatMap((one) => one?.endpoint.id ?? []),
  );
  return meanings.map(({ placement }, at) => {
    const one = known[at];
    return { known: one, isGrowing: one !== undefined && growing.has(one.endpoint.id), placement };
  });
};

/** Resolves a dataset to its record. One that events made gets the columns that it lacks, as not every event has all. */
const resolveDataset = async (
  created: CreatedRecords,
  { known, isGrowing, placement }: LocatedDataset,
  dataset: OpenLineageDataset,
): Promise<ResolvedName> => {
  const { engine, principal } = created;
  const columns = columnsFromFields(dataset.fields ?? []);
  if (known && isGrowing) await addReportedColumns(engine, principal, known.endpoint, columns);
  if (known) return known;
  const placed = placement && (await createDatasetBelow(created, placement, columns));
  if (placed) return { endpoint: placed };
  const earlier = await findDatasetTable(created, dataset);
  const table = earlier ?? (await createDatasetTable(created, dataset, columns));
  await addReportedColumns(engine, principal, table, columns);
  return earlier ? { endpoint: table, matchedBy: 'earlierEvent' } : { endpoint: table };
};

const resolveDatasets = async (
  created: CreatedRecords,
  homes: DatasetHomes,
  wanted: ReadonlyMap<string, OpenLineageDataset>,
): Promise<ResolvedNames> => {
  const located = await locateDatasets(created.engine, homes, [...wanted.values()]);
  const resolved = [...wanted].map(async ([key, dataset], at) => {
    const one = located[at] as LocatedDataset;
    return [key, await captureOutcome(() => resolveDataset(created, one, dataset))] as const;
  });
  return new Map(await Promise.all(resolved));
};

/** Merges what several events say of a dataset: it gets the fields of all, and the last event wins for each. */
const mergeDatasetMentions = (mentions: readonly OpenLineageDataset[]): OpenLineageDataset => {
  const merged: OpenLineageDataset = Object.assign({}, ...mentions);
  const lists = mentions.flatMap(({ fields }) => (fields === undefined ? [] : [fields])).reverse();
  if (lists.length === 0) return merged;
  const fields = new Map<string, OpenLineageField>();
  for (const field of lists.flat()) if (!fields.has(field.name)) fields.set(field.name, field);
  return { ...merged, fields: [...fields.values()] };
};

/** Resolves datasets and jobs to records, and creates the missing ones. */
export const resolveOpenLineageNames = async (
  { engine, namespaces }: { readonly engine: Engine; readonly namespaces: NamespaceMap },
  principal: Principal,
  datasets: readonly OpenLineageDataset[],
  jobs: readonly OpenLineageName[],
): Promise<{ readonly datasets: ResolvedNames; readonly jobs: ResolvedNames }> => {
  const created: CreatedRecords = { engine, principal, byKey: new Map() };
  const mentions = groupBy(datasets, openLineageNameKey);
  const named = new Map([...mentions].map(([key, all]) => [key, mergeDatasetMentions(all)]));
  const homes = datasets.length === 0 ? undefined : await readDatasetHomes(engine, namespaces);
  const [sites, carriers] = await Promise.all([
    homes ? resolveDatasets(created, homes, named) : new Map(),
    resolveJobs(engine, created, new Map(jobs.map((job) => [openLineageNameKey(job), job]))),
  ]);
  return { datasets: sites, jobs: carriers };
};
