import { type JsonObject, member } from '../../../model/json.ts';
import { jsonObject, jsonObjects } from '../../../model/json-parts.ts';
import type { FacetReport, FacetSubject } from './facet-report.ts';

/** Tells what a `lineage` facet says beyond the edges and column pairs that are made of it. */

const OWN_WORK = 'what a job says of its own work is not kept';
const WHOLE_DATASET = 'a field that feeds a whole dataset is kept as the dataset that has it';

const isOwnJob = (end: JsonObject): boolean => end['type'] === 'JOB' && end['name'] === undefined;

const fieldInputsOf = (body: JsonObject): readonly JsonObject[] =>
  Object.values(jsonObject(member(body, 'fields'))).flatMap((one) => jsonObjects(member(jsonObject(one), 'inputs')));

/** The entries of a job's facet, or the facet of a dataset, which is like an entry. */
export const reportLineage = (bag: JsonObject, subject: FacetSubject, report: FacetReport): void => {
  const facet = jsonObject(member(bag, 'lineage'));
  for (const entry of 'entries' in facet ? jsonObjects(facet['entries']) : [facet]) {
    const inputs = jsonObjects(member(entry, 'inputs'));
    if ([entry, ...inputs, ...fieldInputsOf(entry)].some(isOwnJob)) report.add(subject, 'lineage', OWN_WORK);
    if (inputs.some((input) => 'field' in input)) report.add(subject, 'lineage', WHOLE_DATASET);
  }
};
