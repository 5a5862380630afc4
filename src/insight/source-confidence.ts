import { DEFAULT_LINEAGE_SOURCE, type LineageSource } from '../model/schemas/lineage/lineage.ts';

/** How far what a source states of lineage can be relied on, by who it is and when it last said so. */

/** People are believed; the more a source has to guess, the less it is. */
const CONFIDENCE_OF_SOURCE: Readonly<Record<LineageSource, number>> = {
  Manual: 1,
  DbtLineage: 0.95,
  ViewLineage: 0.95,
  ExternalTableLineage: 0.95,
  DashboardLineage: 0.9,
  OpenLineage: 0.9,
  SparkLineage: 0.9,
  PipelineLineage: 0.85,
  CrossDatabaseLineage: 0.8,
  QueryLineage: 0.8,
  ChildAssets: 0.5,
};

export const LEAST_CONFIDENCE = 0.5;
const YEAR_MS = 365 * 24 * 60 * 60 * 1000;

/** What a program has stated counts half as much for each year in which it has not said so again. */
export const confidenceInSource = (source: string, seenAt: number, now: number): number => {
  if (source === DEFAULT_LINEAGE_SOURCE) return 1;
  const known = CONFIDENCE_OF_SOURCE[source as LineageSource] ?? LEAST_CONFIDENCE;
  return known * 0.5 ** (Math.max(0, now - seenAt) / YEAR_MS);
};

/** Rounds so that an answer does not depend on the order in which numbers were multiplied. */
export const roundConfidence = (confidence: number): number => Math.round(confidence * 10_000) / 10_000;
