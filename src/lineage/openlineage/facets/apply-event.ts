import type { InOrder, OrderedWork } from '../../../graph/ordered-works.ts';
import { groupBy } from '../../../model/group-by.ts';
import type { JsonObject } from '../../../model/json.ts';
import {
  type OpenLineageName,
  openLineageNameKey,
  type ParentRun,
  type ParsedEvent,
  type WithFacets,
} from '../event.ts';
import type { Resolved } from '../event-edges.ts';
import { findResolved, needsEditLineage } from '../resolve-names.ts';
import { applyDatasetFacets, isReplaced } from './apply-dataset.ts';
import { applyJobFacets, applyParent } from './apply-job.ts';
import { createFacetReport, type FacetReport, type UnappliedFacet } from './facet-report.ts';
import { createTarget, type FacetRoom, type FacetRunDataset } from './facet-room.ts';
import { readFacet } from './facet-shapes.ts';

/**
 * Applies the facets of events once their edges are written. Read `facet-shapes.ts` for their shapes, the files
 * `plan-*.ts` and `apply-*.ts` for what becomes of each, and `facet-report.ts` for what an answer says of those that were
 * not applied.
 */

/** Merges the facets that an event has for one dataset in several roles. */
const mergeDatasets = (datasets: readonly WithFacets<OpenLineageName>[]): readonly WithFacets<OpenLineageName>[] =>
  [...groupBy(datasets, openLineageNameKey).values()].flatMap(([first, ...others]) =>
    first ? [{ ...first, facets: Object.assign({}, first.facets, ...others.map(({ facets }) => facets)) }] : [],
  );

type EventWork = {
  readonly room: FacetRoom;
  readonly names: Resolved;
  readonly report: FacetReport;
  readonly timestamp: number;
};

const worksOnDataset = (
  { room, names, report, timestamp }: EventWork,
  { namespace, name, facets }: WithFacets<OpenLineageName>,
): readonly OrderedWork[] => {
  const subject = { of: 'dataset', namespace, name } as const;
  const found = findResolved(names.datasets, subject);
  // A dataset that a failed run tested may be nobody's to create or to edit for this caller.
  if (!found || (needsEditLineage(found) && !names.editable.has(found.endpoint.id))) {
    for (const facet of Object.keys(facets)) report.add(subject, facet, 'not allowed');
    return [];
  }
  const { endpoint } = found;
  const target = createTarget({ room, endpoint, subject, report });
  return [{ id: endpoint.id, run: () => applyDatasetFacets(target, facets, timestamp) }];
};

const toRunDataset = (
  { names, report }: EventWork,
  { namespace, name, facets }: WithFacets<OpenLineageName>,
  role: FacetRunDataset['role'],
): readonly FacetRunDataset[] => {
  const subject = { of: 'dataset', namespace, name } as const;
  const found = findResolved(names.datasets, subject);
  if (!found) return [];
  const { id, fullyQualifiedName, kind } = found.endpoint;
  const counted = readFacet(facets, role === 'inputs' ? 'inputStatistics' : 'outputStatistics', subject, report);
  return [
    {
      ...{ namespace, name, role },
      by: found.matchedBy,
      record: { id, type: kind.entityType, fullyQualifiedName },
      rowCount: counted?.rowCount,
      size: counted?.size,
      isReplaced: isReplaced(facets, { subject, report }),
      version: readFacet(facets, 'version', subject, report)?.datasetVersion,
    },
  ];
};

const runDatasets = (work: EventWork, { inputs, outputs }: ParsedEvent): readonly FacetRunDataset[] => [
  ...inputs.flatMap((one) => toRunDataset(work, one, 'inputs')),
  ...outputs.flatMap((one) => toRunDataset(work, one, 'outputs')),
];

/** Refers to the runs above that of an event, where the caller may see their pipelines. */
const runsAbove = ({ names, report }: EventWork, { job, parent, root }: ParsedEvent): JsonObject => {
  const refer = (run: ParentRun | undefined): JsonObject | undefined => {
    const found = run && findResolved(names.jobs, run.job);
    if (!found || (found.matchedBy && !names.seesJob(found.endpoint.id))) return undefined;
    const { id, kind, fullyQualifiedName } = found.endpoint;
    return { pipeline: { id, type: kind.entityType, fullyQualifiedName }, runId: run.runId };
  };
  const [above, top] = [refer(parent), refer(root)];
  if (job && root && !top)
    report.add({ of: 'run', namespace: job.namespace, name: job.name }, 'parent', 'not allowed to refer to the root');
  return { ...(above ? { parent: above } : {}), ...(top ? { root: top } : {}) };
};

/** The work on the pipeline that the job is, and on that of its parent. */
const worksOnJob = (work: EventWork, event: ParsedEvent): readonly OrderedWork[] => {
  const { room, names, report } = work;
  const { job, parent } = event;
  const found = job && findResolved(names.jobs, job);
  if (!job || !found) return [];
  const { namespace, name } = job;
  const target = createTarget({ room, endpoint: found.endpoint, subject: { of: 'job', namespace, name }, report });
  const run = { event, datasets: runDatasets(work, event), above: runsAbove(work, event) };
  const own = { id: found.endpoint.id, run: () => applyJobFacets(target, run) };
  const subject = { of: 'run', namespace, name } as const;
  const above = parent && findResolved(names.jobs, parent.job);
  const isTold = 'parent' in event.run || 'parentRun' in event.run;
  if (!above && isTold) report.add(subject, 'parent', parent ? 'not allowed' : 'no job with a name');
  if (!parent || !above || above.endpoint.id === own.id) return [own];
  const onParent = createTarget({ room, endpoint: above.endpoint, subject, report });
  return [own, { id: above.endpoint.id, run: () => applyParent(onParent, event, parent) }];
};

/** Applies the facets of one event and answers what was not applied. */
export const applyEventFacets = async (
  room: FacetRoom,
  names: Resolved,
  inOrder: InOrder,
  event: ParsedEvent,
): Promise<readonly UnappliedFacet[]> => {
  const report = createFacetReport();
  const timestamp = event.time ?? room.engine.clock();
  const work: EventWork = { room, names, report, timestamp };
  const { inputs, outputs, tested } = event;
  const onDatasets = mergeDatasets([...inputs, ...outputs, ...tested]).flatMap((one) => worksOnDataset(work, one));
  await inOrder([...onDatasets, ...worksOnJob(work, event)]);
  return report.rows();
};
