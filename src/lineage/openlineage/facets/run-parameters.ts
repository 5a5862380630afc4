import { isArray, isObject, type Json, type JsonObject } from '../../../model/json.ts';
import { jsonObject } from '../../../model/json-parts.ts';
import type { ParsedEvent } from '../event.ts';
import { createFacetReport } from './facet-report.ts';
import type { FacetTarget } from './facet-room.ts';
import { type FacetName, readFacet } from './facet-shapes.ts';

/** Makes the parameters of a run of what the facets of an event say about it. */

const MAX_TEXT = 1000;
const MAX_ITEMS = 100;

/** Shortens texts and lists, which are kept with each run. */
const shorten = (value: Json): Json => {
  if (typeof value === 'string') return value.slice(0, MAX_TEXT);
  if (isArray(value)) return value.slice(0, MAX_ITEMS).map(shorten);
  if (!isObject(value)) return value;
  const members = Object.entries(value).slice(0, MAX_ITEMS);
  return Object.fromEntries(members.map(([name, one]) => [name, shorten(one)]));
};

const engineOf = ({ name, version }: JsonObject): JsonObject => {
  const engine = [name, version].filter((text) => text !== undefined).join(' ');
  return engine === '' ? {} : { engine };
};

const sourceOf = ({ url: _, ...revision }: JsonObject): JsonObject =>
  Object.keys(revision).length === 0 ? {} : { sourceCode: revision };

/** The parameters that facets of a run and of its job make. */
const OF_RUN: Readonly<Partial<Record<FacetName, (facet: JsonObject) => JsonObject>>> = {
  nominalTime: (times) => times,
  processing_engine: engineOf,
  executionParameters: ({ parameters = [] }) => ({ executionParameters: parameters }),
  externalQuery: (externalQuery) => ({ externalQuery }),
  extractionError: (extractionError) => ({ extractionError }),
  test: ({ tests = [] }) => ({ tests }),
};
const OF_JOB: typeof OF_RUN = { jobType: (type) => type, sourceCodeLocation: sourceOf };

export const PARAMETER_FACETS = Object.keys(OF_RUN);

export const runParameters = (target: FacetTarget, { run, job }: ParsedEvent): JsonObject => {
  const { report, subject } = target;
  const read = (bag: JsonObject, readers: typeof OF_RUN, isReported: boolean): readonly (readonly [string, Json])[] =>
    Object.entries(readers).flatMap(([name, toParameters]) => {
      const facet = readFacet(bag, name as FacetName, subject, isReported ? report : createFacetReport());
      const whole = facet ? toParameters(facet) : {};
      const kept = jsonObject(shorten(whole));
      if (JSON.stringify(kept) !== JSON.stringify(whole))
        report.add(subject, name, `lists are kept up to ${MAX_ITEMS} items and texts up to ${MAX_TEXT} characters`);
      return Object.entries(kept);
    });
  // The facets of the job were reported with the job.
  return Object.fromEntries([...read(run, OF_RUN, true), ...read(job?.facets ?? {}, OF_JOB, false)]);
};
