import type { ColumnEdge, LineageEdge } from '../api/types.ts';
import type { Fate, ShownGraph } from './graph-model.ts';
import { count, pairNames, recordName } from './names.ts';
import { type EdgeTrust, trustNote } from './trust.ts';

/** What is said of an edge in words. */

export type Mapping = {
  readonly fromColumns: readonly string[];
  readonly toColumn: string;
  readonly function?: string | undefined;
};

const SOURCES: Readonly<Record<string, string>> = {
  Manual: 'Entered by hand',
  ViewLineage: 'Definition of the view',
  QueryLineage: 'Query log',
  PipelineLineage: 'Pipeline',
  DashboardLineage: 'Dashboard',
  DbtLineage: 'dbt',
  SparkLineage: 'Spark',
  OpenLineage: 'OpenLineage',
  ExternalTableLineage: 'External table',
  CrossDatabaseLineage: 'Across databases',
  ChildAssets: 'What it contains',
};

type Details = Pick<NonNullable<LineageEdge['lineageDetails']>, 'source' | 'sourceName'>;

/** The name of what an event declared without a run. It tells nothing that a person could read. */
const DECLARATION = /^declaration [0-9a-f-]{36}$/;

export const sourceName = ({ source, sourceName: name = '' }: Details): string =>
  [SOURCES[source ?? ''] ?? source ?? '', name.replace(DECLARATION, 'declared')]
    .filter((text) => text !== '')
    .join(' · ');

type Ends = Pick<LineageEdge, 'fromEntity' | 'toEntity'>;

export const edgeTitle = ({ nodes }: Pick<ShownGraph, 'nodes'>, { fromEntity, toEntity }: Ends): string =>
  pairNames(nodes.get(fromEntity) ?? { id: fromEntity }, nodes.get(toEntity) ?? { id: toEntity }).join(' → ');

/** Which columns feed which: as the source says it, or for a bridge as the columns are joined. */
export const listMappings = (
  columnEdges: Iterable<ColumnEdge>,
  { fromEntity, toEntity, lineageDetails }: LineageEdge,
): readonly Mapping[] => {
  const known = lineageDetails?.columnsLineage ?? [];
  if (known.length > 0) return known;
  const byTarget = new Map<string, { fromColumns: string[]; toColumn: string; function?: string | undefined }>();
  for (const edge of columnEdges) {
    if (edge.fromEntity !== fromEntity || edge.toEntity !== toEntity) continue;
    const key = `${edge.toColumn} ${edge.function ?? ''}`;
    const mapping = byTarget.get(key);
    if (mapping) mapping.fromColumns.push(edge.fromColumn);
    else byTarget.set(key, { fromColumns: [edge.fromColumn], toColumn: edge.toColumn, function: edge.function });
  }
  return [...byTarget.values()];
};

/** What a bridge leads over, in a few words. */
export const bridgeWords = (over: LineageEdge['over'] | undefined): string =>
  over ? `bridge over ${count(over.count, 'filtered asset')}` : 'bridge over filtered assets';

/** How an edge is known, in a few words. */
export const edgeSummary = (
  { bridged, over, columnPairs = 0, hasSql, lineageDetails: details }: LineageEdge,
  trust?: EdgeTrust | undefined,
): string => {
  if (bridged) return bridgeWords(over);
  return [
    details?.source && sourceName(details),
    trustNote(trust),
    details?.pipeline && `by ${recordName(details.pipeline)}`,
    columnPairs > 0 && count(columnPairs, 'column'),
    hasSql && 'SQL',
  ]
    .filter(Boolean)
    .join(' · ');
};

export type FateCounts = Readonly<Record<Fate, { readonly assets: number; readonly edges: number }>>;

/** How many records and edges are new, gone or changed. */
export const countFates = ({ fates }: Pick<ShownGraph, 'fates'>): FateCounts => {
  const counts = {
    came: { assets: 0, edges: 0 },
    went: { assets: 0, edges: 0 },
    changed: { assets: 0, edges: 0 },
  };
  // The keys of edges are the IDs of both ends with a blank in between.
  for (const [key, fate] of fates) counts[fate][key.includes(' ') ? 'edges' : 'assets'] += 1;
  return counts;
};
