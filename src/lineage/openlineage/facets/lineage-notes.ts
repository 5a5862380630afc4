import type { FacetBag, LineageBody, LineageInputBody } from '../event.ts';
import type { FacetReport, FacetSubject } from './facet-report.ts';

/** Tells what a `lineage` facet says beyond the edges and column pairs that are made of it. */

const OWN_WORK = 'what a job says of its own work is not kept';
const WHOLE_DATASET = 'a field that feeds a whole dataset is kept as the dataset that has it';

type Entry = LineageBody & Partial<LineageInputBody>;

const isOwnJob = ({ type, name }: Partial<LineageInputBody>): boolean => type === 'JOB' && name === undefined;

/** The entries of a job's facet, or the facet of a dataset, which is like an entry. Its shape was checked with the event. */
export const reportLineage = ({ lineage = {} }: FacetBag, subject: FacetSubject, report: FacetReport): void => {
  const facet = lineage as unknown as Entry & { readonly entries?: readonly Entry[] };
  for (const entry of facet.entries ?? [facet]) {
    const { inputs = [], fields = {} } = entry;
    const ofFields = Object.values(fields).flatMap((one) => one.inputs);
    if ([entry, ...inputs, ...ofFields].some(isOwnJob)) report.add(subject, 'lineage', OWN_WORK);
    if (inputs.some(({ field }) => field !== undefined)) report.add(subject, 'lineage', WHOLE_DATASET);
  }
};
