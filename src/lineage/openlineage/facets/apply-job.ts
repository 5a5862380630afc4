import { isArray, type Json, type JsonObject } from '../../../model/json.ts';
import type { OpenLineageName, ParentRun, ParsedEvent } from '../event.ts';
import { planShared } from './apply-dataset.ts';
import { applyOrReport } from './facet-report.ts';
import { applyFacetChanges, type FacetChange, type FacetTarget } from './facet-room.ts';
import { readFacet, reportUnknown } from './facet-shapes.ts';
import { reportLineage } from './lineage-notes.ts';
import { mergeRun, mergeTaskRun, type RunDataset, type RunMessage } from './run.ts';

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

const KNOWN_OF_RUN: ReadonlySet<string> = new Set(['parent', 'nominalTime', 'errorMessage', 'processing_engine']);

type JobType = { readonly processingType: string; readonly integration: string; readonly jobType?: string };

/** A job's own facets, as its pipeline and its parent's tasks show them. */
type JobMembers = {
  readonly type: JobType | undefined;
  readonly sql: string | undefined;
  readonly url: string | undefined;
};

const readJobMembers = ({ report, subject }: FacetTarget, { job, sql }: ParsedEvent): JobMembers => {
  const { facets = {} } = job ?? {};
  return {
    type: readFacet<JobType>(facets, 'jobType', subject, report),
    sql,
    url: readFacet<{ readonly url?: string }>(facets, 'sourceCodeLocation', subject, report)?.url,
  };
};

/** Says where a pipeline's code is, unless somebody has. */
const planLocation = async ({ document }: FacetTarget, { url = '' }: JobMembers): Promise<readonly FacetChange[]> => {
  const known = url === '' ? undefined : await document();
  return known && known['pipelineLocation'] === undefined
    ? [{ facet: 'sourceCodeLocation', operations: [{ op: 'add', path: '/pipelineLocation', value: url }] }]
    : [];
};

const parametersOf = (target: FacetTarget, { run }: ParsedEvent, type: JobType | undefined): JsonObject => {
  const { report, subject } = target;
  const nominal = readFacet<JsonObject>(run, 'nominalTime', subject, report);
  const used = readFacet<{ readonly name?: string; readonly version?: string }>(
    run,
    'processing_engine',
    subject,
    report,
  );
  const engine = [used?.name, used?.version].filter((text) => text !== undefined).join(' ');
  const texts: Readonly<Record<string, Json | undefined>> = {
    nominalStartTime: nominal?.['nominalStartTime'],
    nominalEndTime: nominal?.['nominalEndTime'],
    engine: engine === '' ? undefined : engine,
    processingType: type?.processingType,
    integration: type?.integration,
    jobType: type?.jobType,
  };
  return Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== undefined)) as JsonObject;
};

const MAX_ERROR_TEXT = 20_000;

const errorOf = ({ report, subject }: FacetTarget, { run }: ParsedEvent): JsonObject | undefined => {
  const error = readFacet<{ readonly message: string; readonly stackTrace?: string }>(
    run,
    'errorMessage',
    subject,
    report,
  );
  return (
    error && {
      errorMessage: error.message.slice(0, MAX_ERROR_TEXT),
      ...(error.stackTrace === undefined ? {} : { stackTrace: error.stackTrace.slice(0, MAX_ERROR_TEXT) }),
    }
  );
};

type JobRun = { readonly event: ParsedEvent; readonly datasets: readonly RunDataset[] };

const applyRun = async (target: FacetTarget, { event, datasets }: JobRun, type: JobType | undefined) => {
  const { room, endpoint, report } = target;
  const { runId, time, eventType } = event;
  if (runId === undefined || time === undefined) return;
  const subject = { ...target.subject, of: 'run' } as const;
  const onRun: FacetTarget = { ...target, subject };
  const message: RunMessage = {
    eventType,
    time,
    runId,
    datasets,
    parameters: parametersOf(onRun, event, type),
    error: errorOf(onRun, event),
  };
  await applyOrReport(report, subject, 'run', () =>
    room.stores.storeRun(room.principal, endpoint.id, runId, (before) => mergeRun(before, message)),
  );
};

/** Applies what an event says of its job. */
export const applyJobFacets = async (target: FacetTarget, run: JobRun): Promise<void> => {
  const { event } = run;
  const bag = event.job?.facets ?? {};
  const { report, subject, endpoint } = target;
  reportUnknown(bag, KNOWN_OF_JOB, subject, report);
  reportUnknown(event.run, KNOWN_OF_RUN, { of: 'run' }, report);
  reportLineage(bag, subject, report);
  const members = readJobMembers(target, event);
  const isPipeline = endpoint.kind.entityType === 'pipeline';
  const location = isPipeline ? await planLocation(target, members) : [];
  await applyFacetChanges(target, [...(await planShared(target, bag)), ...location]);
  if (isPipeline) await applyRun(target, run, members.type);
};

const MAX_TASKS = 1000;
const MAX_TASK_NAME = 256;

/** A task is called like the job, without the name of its parent. */
const taskNameOf = (job: OpenLineageName, parent: OpenLineageName): string => {
  const own = job.name.startsWith(`${parent.name}.`) ? job.name.slice(parent.name.length + 1) : job.name;
  return own
    .replace(/["\p{Cc}\p{Cs}]/gu, '')
    .replace(/:{2,}/g, ':')
    .slice(0, MAX_TASK_NAME);
};

const taskOf = (name: string, { type, sql, url }: JobMembers): JsonObject => ({
  name,
  ...(type?.jobType === undefined ? {} : { taskType: type.jobType }),
  ...(sql === undefined ? {} : { taskSQL: sql }),
  ...(url === undefined ? {} : { sourceUrl: url }),
});

/** Makes the job a task of its parent's pipeline, and tells its state in the parent's run. */
export const applyParent = async (target: FacetTarget, event: ParsedEvent, parent: ParentRun): Promise<void> => {
  const { room, endpoint, report } = target;
  const { job, time, eventType } = event;
  if (!job || endpoint.kind.entityType !== 'pipeline') return;
  const subject = { of: 'run', namespace: job.namespace, name: job.name } as const;
  const name = taskNameOf(job, parent.job);
  const document = await target.document();
  const tasks = isArray(document?.['tasks'] ?? null) ? (document?.['tasks'] as readonly JsonObject[]) : [];
  if (name === '' || !document) return;
  if (!tasks.some((task) => task['name'] === name)) {
    if (tasks.length >= MAX_TASKS) return report.add(subject, 'parent', `the parent has ${MAX_TASKS} tasks`);
    const members = readJobMembers({ ...target, subject }, event);
    const operations = [{ op: 'add', path: '/tasks/-', value: taskOf(name, members) }];
    await applyFacetChanges({ ...target, subject }, [{ facet: 'parent', operations }]);
  }
  if (parent.runId === '' || time === undefined) return;
  await applyOrReport(report, subject, 'parent', () =>
    room.stores.storeRun(room.principal, endpoint.id, parent.runId, (before) =>
      mergeTaskRun(before, name, { eventType, time, runId: parent.runId }),
    ),
  );
};
