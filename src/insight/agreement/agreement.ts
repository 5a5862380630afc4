import type { AgreementState } from '../../model/schemas/insight/agreement.ts';
import { LINEAGE_SOURCES, type LineageSource } from '../../model/schemas/lineage/lineage.ts';
import { encodeSources, NO_SOURCES, overlaps, type SourceSet } from '../graph/source-set.ts';
import { confidenceInSource, roundConfidence } from '../source-confidence.ts';
import type { SourceStatement } from './queries.ts';

/** How what people and models declare of an edge agrees with what was observed. */

/** Whether a source tells what ran, instead of what somebody declared. */
const IS_OBSERVED: Readonly<Record<LineageSource, boolean>> = {
  Manual: false,
  DbtLineage: false,
  ViewLineage: false,
  ExternalTableLineage: false,
  DashboardLineage: false,
  ChildAssets: false,
  QueryLineage: true,
  PipelineLineage: true,
  SparkLineage: true,
  OpenLineage: true,
  CrossDatabaseLineage: true,
};

export const OBSERVED_SOURCES: readonly LineageSource[] = LINEAGE_SOURCES.filter((source) => IS_OBSERVED[source]);

const DECLARED = encodeSources(LINEAGE_SOURCES.filter((source) => !IS_OBSERVED[source]));
const OBSERVED = encodeSources(OBSERVED_SOURCES);

/** The state of an edge with these sources. An edge that was read while its last one was replaced has none. */
export const agreementOf = (sources: SourceSet): AgreementState | undefined => {
  if (sources === NO_SOURCES) return undefined;
  if (!overlaps(sources, OBSERVED)) return 'declaredOnly';
  return overlaps(sources, DECLARED) ? 'agreed' : 'observedOnly';
};

/** What is presently stated of an edge, taken together. */
export type Agreement = {
  readonly state: AgreementState;
  readonly declared: readonly string[];
  readonly observed: readonly string[];
  readonly firstSeen: number;
  readonly lastSeen: number;
  readonly confidence: number;
};

/** Takes statements about one edge together. The most certain source counts, as it does where labels pass. */
export const uniteStatements = (statements: readonly SourceStatement[], now: number): Agreement | undefined => {
  const sources = [...new Set(statements.map(([source]) => source))].sort();
  const state = agreementOf(encodeSources(sources));
  if (state === undefined) return undefined;
  const isObserved = (source: string): boolean => IS_OBSERVED[source as LineageSource];
  return {
    state,
    declared: sources.filter((source) => !isObserved(source)),
    observed: sources.filter(isObserved),
    firstSeen: Math.min(...statements.map(([, createdAt]) => createdAt)),
    lastSeen: Math.max(...statements.map(([, , seenAt]) => seenAt)),
    confidence: roundConfidence(
      Math.max(...statements.map(([source, , seenAt]) => confidenceInSource(source, seenAt, now))),
    ),
  };
};
