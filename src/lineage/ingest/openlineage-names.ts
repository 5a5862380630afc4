import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import { type RefNode, readReferences } from '../../catalog/queries.ts';
import { restoreOrder } from '../../catalog/read/batch-read.ts';
import type { Registry } from '../../catalog/registry.ts';
import { withPositions } from '../../graph/statement.ts';
import { chunk } from '../../model/chunk.ts';
import { fqnPart, normaliseFqn } from '../../model/name.ts';
import { PIPELINE_KINDS } from '../../model/schemas/lineage/lineage.ts';
import { type Endpoint, toEndpoint } from '../endpoints.ts';
import {
  type OpenLineageDataset,
  type OpenLineageField,
  type OpenLineageName,
  openLineageNameKey,
} from './openlineage-event.ts';
import { type CreatedRecords, createDatasetTable, createJobPipeline } from './openlineage-records.ts';
import { captureOutcome, type EdgeRowOutcome } from './row-outcome.ts';

/** Lists the types a dataset may have, most likely first. */
const listDatasetTypes = ({ kinds }: Registry): readonly string[] =>
  kinds
    .flatMap(({ entityType, datasetRank }) => (datasetRank === undefined ? [] : [{ entityType, datasetRank }]))
    .sort((one, other) => one.datasetRank - other.datasetRank)
    .map(({ entityType }) => entityType);

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
  const created: CreatedRecords = { engine, principal, byKey: new Map() };
  // When several events name a dataset, it gets the fields of all of them; the last event wins for each field.
  const named = mergeByName(datasets, (a, b) => (b.fields === undefined ? a : { ...b, fields: mergeFields(a, b) }));
  const [sites, carriers] = await Promise.all([
    resolveGroup(engine, listDatasetTypes(engine.registry), named, datasetCandidates, (one) =>
      createDatasetTable(created, one),
    ),
    resolveGroup(
      engine,
      PIPELINE_KINDS,
      mergeByName(jobs, (a) => a),
      jobCandidates,
      (one) => createJobPipeline(created, one),
    ),
  ]);
  return { datasets: sites, jobs: carriers };
};
