import type { JsonObject } from '../../../model/json.ts';
import type { ParentRun, ParsedEvent } from '../event.ts';
import { planShared } from './apply-dataset.ts';
import { applyOrReport, createFacetReport } from './facet-report.ts';
import {
  applyFacetChanges,
  type FacetChange,
  type FacetRunDataset,
  type FacetRunMessage,
  type FacetTarget,
} from './facet-room.ts';
import { readFacet, reportUnknown } from './facet-shapes.ts';
import { reportLineage } from './lineage-notes.ts';
import { planTasks, readNeighbours, taskNameOf } from './plan-tasks.ts';
import { PARAMETER_FACETS, runParameters } from './run-parameters.ts';

/** Applies the facets of a job and of its run to the pipeline that the job is, and to that of its parent. */

const KNOWN_OF_JOB: ReadonlySet<string> = new Set([
  'sql',
  'lineage',
  'documentation',
  'ownership',
  'tags',
  'jobType',
  'sourceCodeLocation',
]);

const KNOWN_OF_RUN: ReadonlySet<string> = new Set([
  ...PARAMETER_FACETS,
  'parent',
  'parentRun',
  'errorMessage',
  'jobDependencies',
]);

/** A job's own facets, as its pipeline and its parent's tasks show them. */
type JobMembers = {
  readonly taskType: string | undefined;
  readonly sql: string | undefined;
  readonly url: string | undefined;
};

const readJobMembers = ({ report, subject }: FacetTarget, { job, sql, runId }: ParsedEvent): JobMembers => {
  const { facets = {} } = job ?? {};
  const code = readFacet(facets, 'sourceCodeLocation', subject, report);
  if (code?.pullRequestNumber !== undefined && runId === undefined)
    report.add(subject, 'sourceCodeLocation', 'a pull request is kept with a run, and the event has none');
  const type = readFacet(facets, 'jobType', subject, report);
  return { taskType: type?.jobType, sql, url: code?.url };
};

/** Says where a pipeline's code is, unless somebody has. */
const planLocation = async ({ document }: FacetTarget, { url = '' }: JobMembers): Promise<readonly FacetChange[]> => {
  const known = url === '' ? undefined : await document();
  return known && known['pipelineLocation'] === undefined
    ? [{ facet: 'sourceCodeLocation', operations: [{ op: 'add', path: '/pipelineLocation', value: url }] }]
    : [];
};

const MAX_ERROR_TEXT = 20_000;

const errorOf = ({ report, subject }: FacetTarget, { run }: ParsedEvent): JsonObject | undefined => {
  const error = readFacet(run, 'errorMessage', subject, report);
  const [errorMessage, stackTrace] = [error?.message, error?.stackTrace].map((text) => text?.slice(0, MAX_ERROR_TEXT));
  if (errorMessage === undefined) return undefined;
  return { errorMessage, ...(stackTrace === undefined ? {} : { stackTrace }) };
};

const ENDS: Readonly<Record<string, FacetRunMessage['ended']>> = {
  COMPLETE: 'Successful',
  FAIL: 'Failed',
  ABORT: 'Failed',
};

/** What an event says of its job and run besides their facets. */
export type JobRun = {
  readonly event: ParsedEvent;
  readonly datasets: readonly FacetRunDataset[];
  /** The runs above it, as its parameters refer to them. */
  readonly above: JsonObject;
};

const applyRun = async (target: FacetTarget, { event, datasets, above }: JobRun) => {
  const { room, endpoint, report } = target;
  const { runId, time, eventType } = event;
  if (runId === undefined || time === undefined) return;
  const subject = { ...target.subject, of: 'run' } as const;
  const onRun: FacetTarget = { ...target, subject };
  const parameters = { ...runParameters(onRun, event), ...above };
  const message = { runId, time, ended: ENDS[eventType], datasets, parameters, error: errorOf(onRun, event) };
  await applyOrReport(report, subject, 'run', () => room.stores.storeRun(room.principal, endpoint.id, message));
};

/** Applies what an event says of its job. */
export const applyJobFacets = async (target: FacetTarget, run: JobRun): Promise<void> => {
  const { event } = run;
  const bag = event.job?.facets ?? {};
  const { report, subject, endpoint } = target;
  reportUnknown(bag, KNOWN_OF_JOB, subject, report);
  reportUnknown(event.run, KNOWN_OF_RUN, { of: 'run' }, report);
  reportLineage(bag, subject, report);
  // Without a parent there is no pipeline whose tasks the other jobs could be, which is told.
  if (!event.parent) readNeighbours({ ...target, subject: { ...subject, of: 'run' } }, event);
  const members = readJobMembers(target, event);
  const isPipeline = endpoint.kind.entityType === 'pipeline';
  const location = isPipeline ? await planLocation(target, members) : [];
  await applyFacetChanges(target, [...(await planShared(target, bag)), ...location]);
  if (isPipeline) await applyRun(target, run);
};

const taskMembers = ({ taskType, sql, url }: JobMembers): JsonObject => ({
  ...(taskType === undefined ? {} : { taskType }),
  ...(sql === undefined ? {} : { taskSQL: sql }),
  ...(url === undefined ? {} : { sourceUrl: url }),
});

/** Makes the job a task of its parent's pipeline, and tells its state in the parent's run. */
export const applyParent = async (target: FacetTarget, event: ParsedEvent, parent: ParentRun): Promise<void> => {
  const { room, endpoint, report, subject } = target;
  const { job, time, eventType } = event;
  const name = job ? taskNameOf(job, parent.job) : '';
  if (name === '' || endpoint.kind.entityType !== 'pipeline' || !(await target.document())) return;
  // The facets of the job are reported with the job.
  const members = taskMembers(readJobMembers({ ...target, report: createFacetReport() }, event));
  await applyFacetChanges(target, await planTasks(target, event, name, members));
  if (parent.runId === '' || time === undefined) return;
  const message = { runId: parent.runId, time, ended: ENDS[eventType], task: name };
  await applyOrReport(report, subject, 'parent', () => room.stores.storeRun(room.principal, endpoint.id, message));
};
