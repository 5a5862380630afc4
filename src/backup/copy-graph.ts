import { statement } from '../graph/statement.ts';
import type { ArchiveWriter, PartWriter } from './archive-writer.ts';
import { createProgressReporter, type ProgressReporter } from './progress.ts';
import { encodeProperties } from './property-codec.ts';
import type { StoreConnection } from './store-connection.ts';

type NoCopyParameters = Record<string, never>;

const countAll = statement<NoCopyParameters, { nodes: bigint; relationships: bigint }>('backup/count_graph', {
  params: [],
  row: ['nodes', 'relationships'],
});
const listNodes = statement<NoCopyParameters, { id: string; labels: string[]; properties: object }>(
  'backup/list_nodes',
  {
    params: [],
    row: ['id', 'labels', 'properties'],
  },
);
const listRelationships = statement<NoCopyParameters, { from: string; to: string; type: string; properties: object }>(
  'backup/list_relationships',
  { params: [], row: ['from', 'to', 'type', 'properties'] },
);

export type GraphSize = { readonly nodes: number; readonly relationships: number };

export type GraphCounts = { readonly labels: Record<string, number>; readonly types: Record<string, number> };

export const readGraphSize = async (connection: StoreConnection): Promise<GraphSize> => {
  const [counted] = await connection.all(countAll, {});
  return { nodes: Number(counted?.nodes ?? 0), relationships: Number(counted?.relationships ?? 0) };
};

const increment = (counts: Map<string, number>, name: string): void => {
  counts.set(name, (counts.get(name) ?? 0) + 1);
};

const toSortedRecord = (counts: Map<string, number>): Record<string, number> =>
  Object.fromEntries([...counts].sort(([one], [other]) => (one < other ? -1 : 1)));

/**
 * Returns the number at the end of an element id. The rest of the id is the same within a database, so the number
 * identifies a node in an archive.
 */
const nodeNumberOf = (elementId: string): number => {
  const number = Number(elementId.slice(elementId.lastIndexOf(':') + 1));
  if (!Number.isSafeInteger(number))
    throw new TypeError(`The database returned a node id of unknown form: ${elementId}`);
  return number;
};

const nodeLine = (id: string, labels: readonly string[], properties: object): string => {
  try {
    return JSON.stringify([nodeNumberOf(id), labels, encodeProperties(properties)]);
  } catch (cause) {
    throw new TypeError(`A node of ${labels.join(', ')}: ${(cause as Error).message}`, { cause });
  }
};

const copyNodes = async (connection: StoreConnection, part: PartWriter, progress: ProgressReporter) => {
  const labels = new Map<string, number>();
  await connection.each(listNodes, {}, (node) => {
    part.line(nodeLine(node.id, node.labels, node.properties));
    for (const label of node.labels) increment(labels, label);
    progress.advance();
  });
  await part.end();
  return toSortedRecord(labels);
};

const copyRelationships = async (connection: StoreConnection, part: PartWriter, progress: ProgressReporter) => {
  const types = new Map<string, number>();
  await connection.each(listRelationships, {}, ({ from, to, type, properties }) => {
    part.line(JSON.stringify([nodeNumberOf(from), nodeNumberOf(to), type, encodeProperties(properties)]));
    increment(types, type);
    progress.advance();
  });
  await part.end();
  return toSortedRecord(types);
};

/** Copies the whole graph. The caller must ensure that nothing changes meanwhile. */
export const copyGraph = async (
  connection: StoreConnection,
  archive: ArchiveWriter,
  report: (line: string) => void,
): Promise<GraphCounts> => {
  const size = await readGraphSize(connection);
  const nodes = createProgressReporter(report, 'nodes', size.nodes);
  const labels = await copyNodes(connection, archive.part('nodes'), nodes);
  nodes.done();
  const relationships = createProgressReporter(report, 'relationships', size.relationships);
  const types = await copyRelationships(connection, archive.part('relationships'), relationships);
  relationships.done();
  return { labels, types };
};
