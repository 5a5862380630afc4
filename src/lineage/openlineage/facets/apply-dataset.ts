import { isArray, isObject, type JsonObject } from '../../../model/json.ts';
import type { FacetBag } from '../event.ts';
import { applyAssertions, type FindColumn } from './apply-assertions.ts';
import { applyOrReport } from './facet-report.ts';
import { applyFacetChanges, type FacetChange, type FacetTarget } from './facet-room.ts';
import { readFacet, reportUnknown } from './facet-shapes.ts';
import { reportLineage } from './lineage-notes.ts';
import { planDocumentation } from './plan-documentation.ts';
import { planOwnership } from './plan-ownership.ts';
import { planTags } from './plan-tags.ts';
import { type QualityMetrics, type Statistics, toProfile } from './profile.ts';

/** Applies the facets of a dataset to the record that it is. */

/** The facets of datasets that are applied here, or read before as names, columns and lineage. */
const KNOWN: ReadonlySet<string> = new Set([
  'symlinks',
  'schema',
  'columnLineage',
  'lineage',
  'documentation',
  'ownership',
  'tags',
  'dataQualityMetrics',
  'dataQualityAssertions',
  'outputStatistics',
  'inputStatistics',
  'lifecycleStateChange',
]);

/** What leaves nothing in a dataset of what it held before. */
const REPLACING: ReadonlySet<string> = new Set(['CREATE', 'OVERWRITE', 'TRUNCATE']);

const createFindColumn = (document: JsonObject | undefined): FindColumn => {
  const columns = document?.['columns'];
  const named = new Map(
    (isArray(columns ?? null) ? (columns as readonly JsonObject[]) : [])
      .filter(isObject)
      .map((column) => [String(column['name']).toLowerCase(), String(column['name'])]),
  );
  return (name) => named.get(name.toLowerCase());
};

/** Whether the run replaced all that the dataset held. */
export const isReplaced = (bag: FacetBag, { subject, report }: Pick<FacetTarget, 'subject' | 'report'>): boolean => {
  const change = readFacet<{ readonly lifecycleStateChange: string }>(bag, 'lifecycleStateChange', subject, report);
  return REPLACING.has(change?.lifecycleStateChange.toUpperCase() ?? '');
};

const MEASURED = ['dataQualityMetrics', 'outputStatistics'] as const;

const applyMeasurements = async (
  target: FacetTarget,
  bag: FacetBag,
  timestamp: number,
  findColumn: FindColumn,
): Promise<void> => {
  const { room, report, subject, endpoint } = target;
  const [facet] = MEASURED.filter((name) => name in bag);
  if (facet === undefined) return;
  const metrics = readFacet<QualityMetrics>(bag, 'dataQualityMetrics', subject, report);
  const written = readFacet<Statistics>(bag, 'outputStatistics', subject, report);
  if (endpoint.kind.entityType !== 'table') {
    if (metrics) report.add(subject, 'dataQualityMetrics', 'only tables have profiles');
    return;
  }
  for (const name of Object.keys(metrics?.columnMetrics ?? {})) {
    if (findColumn(name) === undefined) report.add(subject, 'dataQualityMetrics', `no column ${name}`);
  }
  const measured = { metrics, written, isWhole: isReplaced(bag, target) };
  const profile = toProfile(measured, timestamp, (name) => findColumn(name) !== undefined);
  if (profile === undefined) return;
  await applyOrReport(report, subject, facet, () => room.stores.storeProfile(room.principal, endpoint.id, profile));
};

/** What the facets that datasets and jobs share change of the record. */
export const planShared = async (target: FacetTarget, bag: FacetBag): Promise<readonly FacetChange[]> => [
  ...(await planDocumentation(target, bag)),
  ...(await planOwnership(target, bag)),
  ...(await planTags(target, bag)),
];

/** Applies all facets of a dataset; what was not applied goes to the report. */
export const applyDatasetFacets = async (target: FacetTarget, bag: FacetBag, timestamp: number): Promise<void> => {
  reportUnknown(bag, KNOWN, target.subject, target.report);
  reportLineage(bag, target.subject, target.report);
  await applyFacetChanges(target, await planShared(target, bag));
  const needsColumns = [...MEASURED, 'dataQualityAssertions'].some((name) => name in bag);
  if (!needsColumns) return;
  const findColumn = createFindColumn(await target.document());
  await applyMeasurements(target, bag, timestamp, findColumn);
  await applyAssertions(target, bag, timestamp, findColumn);
};
