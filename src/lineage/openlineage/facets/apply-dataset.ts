import type { JsonObject } from '../../../model/json.ts';
import { jsonObjects } from '../../../model/json-parts.ts';
import { splitFqn } from '../../../model/name.ts';
import type { FacetBag } from '../event.ts';
import { applyAssertions, type FindColumn } from './apply-assertions.ts';
import { applyOrReport } from './facet-report.ts';
import { applyFacetChanges, type FacetChange, type FacetTarget } from './facet-room.ts';
import { readFacet, reportUnknown } from './facet-shapes.ts';
import { reportLineage } from './lineage-notes.ts';
import { planDocumentation } from './plan-documentation.ts';
import { planOwnership } from './plan-ownership.ts';
import { planTags } from './plan-tags.ts';
import { toProfile } from './profile.ts';

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
  'datasetType',
  'hierarchy',
  'version',
]);

/** What leaves nothing in a dataset of what it held before. */
const REPLACING: ReadonlySet<string> = new Set(['CREATE', 'OVERWRITE', 'TRUNCATE']);

const createFindColumn = (document: JsonObject | undefined): FindColumn => {
  const names = jsonObjects(document?.['columns']).map(({ name }) => String(name));
  const named = new Map(names.map((name) => [name.toLowerCase(), name]));
  return (name) => named.get(name.toLowerCase());
};

/** Whether the run replaced all that the dataset held. */
export const isReplaced = (bag: FacetBag, { subject, report }: Pick<FacetTarget, 'subject' | 'report'>): boolean => {
  const change = readFacet(bag, 'lifecycleStateChange', subject, report);
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
  const metrics = readFacet(bag, 'dataQualityMetrics', subject, report);
  const written = readFacet(bag, 'outputStatistics', subject, report);
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

const TABLE_TYPES: Readonly<Record<string, string>> = {
  TABLE: 'Regular',
  'TABLE EXTERNAL': 'External',
  VIEW: 'View',
  'VIEW MATERIALIZED': 'MaterializedView',
  STREAM: 'Stream',
};

/** The types of datasets that are records of kinds of their own. */
const KINDS: Readonly<Record<string, string>> = { TOPIC: 'topic', FILE: 'container', MODEL: 'mlmodel' };

/** Says of what type a table is, unless somebody has. A temporary one is transient, whatever else it is. */
const planType = async (target: FacetTarget, bag: FacetBag): Promise<readonly FacetChange[]> => {
  const { report, subject, endpoint } = target;
  const facet = 'datasetType';
  const told = readFacet(bag, facet, subject, report);
  if (!told) return [];
  const [type, detail] = [told.datasetType.toUpperCase(), (told.subType ?? '').toUpperCase()];
  if (KINDS[type] === endpoint.kind.entityType) return [];
  const tableType = detail === 'TEMPORARY' ? 'Transient' : (TABLE_TYPES[`${type} ${detail}`] ?? TABLE_TYPES[type]);
  const document =
    endpoint.kind.entityType === 'table' && tableType !== undefined ? await target.document() : undefined;
  if (!document) {
    report.add(subject, facet, `a ${endpoint.kind.entityType} has no type ${told.datasetType} ${detail}`.trim());
    return [];
  }
  if (document['tableType'] !== undefined) return [];
  return [{ facet, operations: [{ op: 'add', path: '/tableType', value: tableType ?? null }] }];
};

/** Tells where the levels of a dataset are not those of the record that its name means. */
const reportHierarchy = ({ report, subject, endpoint }: FacetTarget, bag: FacetBag): void => {
  const { hierarchy = [] } = readFacet(bag, 'hierarchy', subject, report) ?? {};
  const levels = hierarchy.map(({ name }) => name.toLowerCase());
  const place = splitFqn(endpoint.fullyQualifiedName.toLowerCase());
  if (levels.some((name, at) => place[place.length - levels.length + at] !== name))
    report.add(subject, 'hierarchy', 'the place of a dataset is that of its name');
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
  reportHierarchy(target, bag);
  await applyFacetChanges(target, [...(await planShared(target, bag)), ...(await planType(target, bag))]);
  const needsColumns = [...MEASURED, 'dataQualityAssertions'].some((name) => name in bag);
  if (!needsColumns) return;
  const findColumn = createFindColumn(await target.document());
  await applyMeasurements(target, bag, timestamp, findColumn);
  await applyAssertions(target, bag, timestamp, findColumn);
};
