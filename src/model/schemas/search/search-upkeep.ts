import { looseObject, optional } from 'valibot';
import { AnyJson, Flag, Integer, listOf, must, oneOf, Ref, shape, Text, Timestamp, Uuid } from '../../values.ts';

/**
 * The schemas of requests and answers for rebuilding search documents and comparing them with their records (search.md
 * 3.6).
 */

/** A started job, and the id by which to follow it. */
export const ReindexStart = shape('ReindexStart', { jobId: must(Text), message: must(Text) });

/**
 * A request to rebuild documents: the names of indexes or types, and options of other servers that are ignored here.
 */
export const ReindexRequest = looseObject({
  entities: optional(listOf(Text)),
});

export const ReindexEntities = listOf(Ref);

const ReindexFailure = shape('ReindexFailure', {
  entityId: must(Uuid),
  entityType: must(Text),
  entityFqn: Text,
  failureStage: must(oneOf(['PROCESS', 'SINK'])),
  errorMessage: must(Text),
  timestamp: must(Timestamp),
  attempts: must(Integer),
  retryAt: must(Timestamp),
});

export const ReindexFailures = shape('ReindexFailures', {
  data: must(listOf(ReindexFailure)),
  total: must(Integer),
  offset: must(Integer),
  limit: must(Integer),
});

const IndexStats = shape('SearchIndexStats', {
  name: must(Text),
  documents: must(Integer),
  primaryShards: must(Integer),
  replicaShards: must(Integer),
  sizeInBytes: must(Integer),
  sizeFormatted: must(Text),
  health: must(Text),
  aliases: must(listOf(Text)),
});

const OrphanIndex = shape('OrphanIndex', { name: must(Text), sizeInBytes: must(Integer), sizeFormatted: must(Text) });

export const SearchStats = shape('SearchStats', {
  clusterHealth: must(Text),
  totalIndexes: must(Integer),
  totalDocuments: must(Integer),
  totalSizeInBytes: must(Integer),
  totalSizeFormatted: must(Text),
  totalPrimaryShards: must(Integer),
  totalReplicaShards: must(Integer),
  indexes: must(listOf(IndexStats)),
  orphanIndexes: must(listOf(OrphanIndex)),
});

const KindDrift = shape('KindDrift', {
  entityType: must(Text),
  index: must(Text),
  records: must(Integer),
  documents: must(Integer),
  pending: must(Integer),
  missing: must(Integer),
  behind: must(Integer),
});

const DriftedRecord = shape('DriftedRecord', {
  id: must(Uuid),
  reason: must(oneOf(['missing', 'behind', 'orphaned'])),
  entityType: Text,
  fullyQualifiedName: Text,
  revision: Integer,
  documentRevision: Integer,
});

const TypesenseDrift = shape('TypesenseDrift', {
  unserved: must(listOf(Text)),
  missing: must(Integer),
  behind: must(Integer),
  orphaned: must(Integer),
});

export const SearchDrift = shape('SearchDrift', {
  timestamp: must(Timestamp),
  took: must(Integer),
  isTrue: must(Flag),
  records: must(Integer),
  documents: must(Integer),
  pending: must(Integer),
  missing: must(Integer),
  behind: must(Integer),
  orphaned: must(Integer),
  indexes: must(listOf(KindDrift)),
  found: must(listOf(DriftedRecord)),
  typesense: TypesenseDrift,
});

const AppRun = shape('AppRunRecord', {
  appName: must(Text),
  status: must(oneOf(['pending', 'running', 'success', 'failed', 'stopped'])),
  runType: must(Text),
  startTime: must(Timestamp),
  endTime: Timestamp,
  executionTime: Integer,
  timestamp: must(Timestamp),
  successContext: AnyJson,
  failureContext: AnyJson,
});

export const AppRuns = shape('AppRunRecordList', {
  data: must(listOf(AppRun)),
  paging: must(shape('AppRunPaging', { total: must(Integer) })),
});
