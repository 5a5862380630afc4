import { type OpenLineageName, openLineageNameKey } from '../event.ts';
import type { ResolvedName, ResolvedNames } from '../resolve-names.ts';
import { applyDatasetFacets } from './apply-dataset.ts';
import { type DatasetFacets, type EventFacets, listTested, mergeDatasets } from './event-facets.ts';
import { createFacetReport, type FacetReport, type UnappliedFacet } from './facet-report.ts';
import type { FacetRoom, FacetTarget } from './facet-room.ts';

/**
 * Applies the facets of events once their edges are written. Read `event-facets.ts` for where facets are found,
 * `facet-shapes.ts` for their shapes, the files `apply-*.ts` for what becomes of each, and `facet-report.ts` for what
 * an answer says of those that were not applied.
 */

/** The records that the names in events stand for, and those whose lineage the caller may edit. */
export type FacetNames = {
  readonly datasets: ResolvedNames;
  readonly jobs: ResolvedNames;
  readonly editable: ReadonlySet<string>;
};

/** Runs work on one record after earlier work on it, so that what a later event says comes last. */
export type InOrder = (id: string, work: () => Promise<void>) => Promise<void>;

export const createOrder = (): InOrder => {
  const last = new Map<string, Promise<void>>();
  return (id, work) => {
    const next = (last.get(id) ?? Promise.resolve()).then(work, work);
    last.set(id, next);
    return next;
  };
};

const findResolved = (names: ResolvedNames, name: OpenLineageName): ResolvedName | undefined => {
  const outcome = names.get(openLineageNameKey(name));
  return outcome !== undefined && 'value' in outcome ? outcome.value : undefined;
};

/** The datasets whose facets count: those that a run has read and written, and those that a failed run tested. */
const datasetsWithFacets = (event: EventFacets): readonly DatasetFacets[] => {
  const isTold = !['START', 'ABORT', 'FAIL'].includes(event.eventType);
  const tested = listTested(event).map((one) => {
    const { dataQualityAssertions } = one.facets;
    return { ...one, facets: dataQualityAssertions === undefined ? {} : { dataQualityAssertions } };
  });
  return mergeDatasets(isTold ? [...event.inputs, ...event.outputs] : tested);
};

type EventWork = {
  readonly room: FacetRoom;
  readonly names: FacetNames;
  readonly report: FacetReport;
  readonly inOrder: InOrder;
  readonly timestamp: number;
};

const applyToDataset = async (
  { room, names, report, inOrder, timestamp }: EventWork,
  { namespace, name, facets }: DatasetFacets,
): Promise<void> => {
  const subject = { of: 'dataset', namespace, name } as const;
  const found = findResolved(names.datasets, subject);
  // A dataset that a failed run tested may be nobody's to create or to edit for this caller.
  if (!found || (found.matchedBy !== undefined && !names.editable.has(found.endpoint.id))) {
    for (const facet of Object.keys(facets)) report.add(subject, facet, 'not allowed');
    return;
  }
  const { endpoint } = found;
  const target: FacetTarget = { room, endpoint, subject, report };
  await inOrder(endpoint.id, () => applyDatasetFacets(target, facets, timestamp));
};

/** Applies the facets of one event and answers what was not applied. */
export const applyEventFacets = async (
  room: FacetRoom,
  names: FacetNames,
  inOrder: InOrder,
  event: EventFacets,
): Promise<readonly UnappliedFacet[]> => {
  const report = createFacetReport();
  const timestamp = event.time ?? room.engine.clock();
  const work: EventWork = { room, names, report, inOrder, timestamp };
  for (const dataset of datasetsWithFacets(event)) await applyToDataset(work, dataset);
  return report.rows();
};
