import type { Json, JsonObject } from '../../../model/json.ts';
import { jsonObjects } from '../../../model/json-parts.ts';
import type { OpenLineageName, ParsedEvent } from '../event.ts';
import type { FacetChange, FacetTarget } from './facet-room.ts';
import { type Facet, readFacet } from './facet-shapes.ts';

/** Plans the tasks of a parent's pipeline: the job of an event, and the jobs that run before and after it. */

const MAX_TASKS = 1000;
const MAX_TASK_NAME = 256;

const isTaskOf = (job: OpenLineageName, parent: OpenLineageName): boolean =>
  job.namespace === parent.namespace && job.name.startsWith(`${parent.name}.`);

/** A task is called like the job, without the name of its parent. */
export const taskNameOf = (job: OpenLineageName, parent: OpenLineageName): string => {
  const own = job.name.startsWith(`${parent.name}.`) ? job.name.slice(parent.name.length + 1) : job.name;
  return own
    .replace(/["\p{Cc}\p{Cs}]/gu, '')
    .replace(/:{2,}/g, ':')
    .slice(0, MAX_TASK_NAME);
};

/** The tasks of a pipeline, changed by what is planned for them so far. */
type TaskDraft = { readonly tasks: JsonObject[]; readonly tellFull: () => void };

/** Changes a task, or adds it, and answers the operations for that. */
const changeTask = (
  { tasks, tellFull }: TaskDraft,
  name: string,
  change: (task: JsonObject) => JsonObject,
): readonly Json[] => {
  const found = tasks.findIndex((task) => task['name'] === name);
  const before = tasks[found] ?? { name };
  const after = change(before);
  if (found >= 0) {
    tasks[found] = after;
    const changed = Object.entries(after).filter(([member, value]) => before[member] !== value);
    const added = changed.map(([member, value]) => ({ op: 'add', path: `/tasks/${found}/${member}`, value }));
    return added.length === 0 ? [] : [{ op: 'test', path: `/tasks/${found}/name`, value: name }, ...added];
  }
  if (tasks.length >= MAX_TASKS) {
    tellFull();
    return [];
  }
  tasks.push(after);
  return [{ op: 'add', path: '/tasks/-', value: after }];
};

const followedBy =
  (names: readonly string[]) =>
  (task: JsonObject): JsonObject => {
    const known = (task['downstreamTasks'] ?? []) as readonly string[];
    const all = [...new Set([...known, ...names])];
    return all.length === known.length ? task : { ...task, downstreamTasks: all };
  };

/** The tasks before and after the job of an event. Jobs of other parents are told, because tasks are of one pipeline. */
export const readNeighbours = ({ report, subject }: FacetTarget, { run, parent }: ParsedEvent) => {
  const facet = 'jobDependencies';
  const { upstream = [], downstream = [] } = readFacet(run, facet, subject, report) ?? {};
  const taskNames = (list: NonNullable<Facet<'jobDependencies'>['upstream']>): readonly string[] =>
    list.flatMap(({ job }) => {
      if (parent && isTaskOf(job, parent.job)) return [taskNameOf(job, parent.job)];
      report.add(subject, facet, `not a task of the same parent: ${job.namespace} ${job.name}`);
      return [];
    });
  return { before: taskNames(upstream), after: taskNames(downstream) };
};

/** Makes the job of an event a task with what it lacks of these members, and puts it in its place among the others. */
export const planTasks = async (
  target: FacetTarget,
  event: ParsedEvent,
  name: string,
  members: JsonObject,
): Promise<readonly FacetChange[]> => {
  const draft = {
    tasks: [...jsonObjects((await target.document())?.['tasks'])],
    tellFull: () => target.report.add(target.subject, 'parent', `the parent has ${MAX_TASKS} tasks`),
  };
  const { before, after } = readNeighbours(target, event);
  const own = changeTask(draft, name, (task) => ({ ...members, ...task }));
  const order = [
    ...before.flatMap((one) => changeTask(draft, one, followedBy([name]))),
    ...after.flatMap((one) => changeTask(draft, one, (task) => task)),
    ...changeTask(draft, name, followedBy(after)),
  ];
  return [
    { facet: 'parent', operations: own },
    { facet: 'jobDependencies', operations: order },
  ];
};
