/** How tests, contracts and runs went: the same word and the same colour for one state on every page. */

export type Outcome = { readonly words: string; readonly tone: 'good' | 'warn' | 'bad' | 'plain' };

export type OutcomeOf = (status: string | undefined) => Outcome;

const outcome = (words: string, tone: Outcome['tone']): Outcome => ({ words, tone });

/** A state that a later version of the API adds is shown by its own name. */
const readFrom =
  (outcomes: ReadonlyMap<string, Outcome>, none: string): OutcomeOf =>
  (status) =>
    outcomes.get(status ?? '') ?? outcome(status?.toLowerCase() || none, 'plain');

export const contractOutcome = readFrom(
  new Map([
    ['Success', outcome('holds', 'good')],
    ['PartialSuccess', outcome('holds in part', 'warn')],
    ['Failed', outcome('broken', 'bad')],
    ['Aborted', outcome('aborted', 'bad')],
    ['Running', outcome('running', 'plain')],
    ['Queued', outcome('queued', 'plain')],
  ]),
  'never judged',
);

export const testOutcome = readFrom(
  new Map([
    ['Success', outcome('passes', 'good')],
    ['Failed', outcome('fails', 'bad')],
    ['Aborted', outcome('aborted', 'bad')],
    ['Queued', outcome('queued', 'plain')],
  ]),
  'never run',
);

/** Of the runs of pipelines. */
export const runOutcome = readFrom(
  new Map([
    ['Successful', outcome('succeeded', 'good')],
    ['Failed', outcome('failed', 'bad')],
    ['Pending', outcome('pending', 'plain')],
    ['Skipped', outcome('skipped', 'plain')],
  ]),
  'never run',
);
