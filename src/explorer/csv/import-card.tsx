import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useSearchParams } from 'wouter';
import { type CsvTarget, startImport } from '../api/csv.ts';
import { useKeptText } from '../parts/kept-text.ts';
import { Failure, Waiting } from '../parts/states.tsx';
import { JobProgress } from './job-progress.tsx';
import { OutcomeCard } from './outcome-card.tsx';
import type { ImportOutcome } from './read-rows.ts';
import { type CsvSource, objectTo, sourceOf } from './source.ts';
import { SourceFields } from './source-fields.tsx';
import { isOver, useJob, useOutcome } from './use-job.ts';

/** Imports a file in two steps: the service judges its rows without storing anything, and then applies those that pass. */

type Steps = { readonly judged: string | undefined; readonly applied: string | undefined };

/** The address names the jobs of both steps, so that their rows are there after a reload. */
const useSteps = () => {
  const [params, setParams] = useSearchParams();
  const setSteps = ({ judged, applied }: Steps) =>
    setParams(
      (former) => {
        const next = new URLSearchParams(former);
        for (const [name, id] of Object.entries({ judged, applied }))
          if (id === undefined) next.delete(name);
          else next.set(name, id);
        next.delete('only');
        return next;
      },
      { replace: true },
    );
  return { judged: params.get('judged') ?? undefined, applied: params.get('applied') ?? undefined, setSteps };
};

type StepProps = { readonly jobId: string; readonly what: string; readonly name: string };

const Step = ({ jobId, what, name }: StepProps) => {
  const { data: job, error, refetch } = useJob(jobId);
  const outcome = useOutcome(job);
  if (error ?? outcome.error)
    return <Failure failure={error ?? outcome.error} again={error ? refetch : outcome.refetch} />;
  if (!job) return <Waiting what="the job" />;
  if (job.status !== 'COMPLETED') return <JobProgress job={job} what={what} />;
  if (!outcome.data) return <Waiting what="the rows" />;
  return <OutcomeCard outcome={outcome.data} name={name} />;
};

const passedRows = ({ counts }: ImportOutcome): number => counts.created + counts.updated;

type ApplyProps = {
  readonly outcome: ImportOutcome;
  readonly source: CsvSource | undefined;
  readonly isPending: boolean;
  readonly onApply: () => void;
};

/** Rows that fail are left out, which the button says. */
const ApplyBar = ({ outcome, source, isPending, onApply }: ApplyProps) => {
  const { failed, skipped } = outcome.counts;
  const passed = passedRows(outcome);
  if (passed === 0) return <p>No row can be applied. Mend the file and judge it again.</p>;
  if (source === undefined) return <p>Choose the file again to apply it: the page was loaded anew since.</p>;
  return (
    <div className="row">
      <button type="button" className="button main" disabled={isPending} onClick={onApply}>
        Apply {passed.toLocaleString()} {passed === 1 ? 'row' : 'rows'}
      </button>
      {failed + skipped > 0 && (
        <span className="quiet">
          {failed + skipped === 1 ? 'The other is' : `The other ${(failed + skipped).toLocaleString()} are`} left out.
          Nothing is stored yet.
        </span>
      )}
      {failed + skipped === 0 && <span className="quiet">Nothing is stored yet.</span>}
    </div>
  );
};

const useImport = (target: CsvTarget) => {
  const queries = useQueryClient();
  const steps = useSteps();
  const [file, setFile] = useState<File>();
  const [text, setText] = useKeptText(`csv ${target.type} ${target.fqn}`);
  const source = sourceOf(file, text);
  const [safeCsv, setSafeCsv] = useState(false);
  const send = useMutation({
    mutationFn: ({ dryRun }: { readonly dryRun: boolean }) => {
      if (source === undefined) throw new Error('There is no file');
      return startImport(target, source.content, { dryRun, safeCsv });
    },
    onSuccess: ({ jobId }, { dryRun }) =>
      steps.setSteps(dryRun ? { judged: jobId, applied: undefined } : { judged: steps.judged, applied: jobId }),
  });
  const judgedJob = useJob(steps.judged).data;
  const appliedJob = useJob(steps.applied).data;
  const hasApplied = isOver(appliedJob);
  useEffect(() => {
    if (hasApplied)
      queries.invalidateQueries({ predicate: ({ queryKey: [what] }) => what === 'asset' || what === 'subject' });
  }, [hasApplied, queries]);
  /** Another source, or another reading of it, has not been judged. */
  const change = (act: () => void): void => {
    act();
    send.reset();
    if (steps.judged !== undefined) steps.setSteps({ judged: undefined, applied: undefined });
  };
  return {
    steps,
    source,
    send,
    outcome: useOutcome(judgedJob).data,
    isRunning: (steps.judged !== undefined && !isOver(judgedJob)) || (steps.applied !== undefined && !hasApplied),
    fields: {
      file,
      text,
      safeCsv,
      onFile: (next: File) => change(() => setFile(next)),
      onText: (next: string) =>
        change(() => {
          setFile(undefined);
          setText(next);
        }),
      onSafeCsv: (next: boolean) => change(() => setSafeCsv(next)),
    },
  };
};

export const ImportCard = ({ target, name }: { readonly target: CsvTarget; readonly name: string }) => {
  const { steps, source, send, outcome, isRunning, fields } = useImport(target);
  const objection = source && objectTo(source);
  return (
    <section className="card stack" aria-label="Import">
      <h2>Import</h2>
      <SourceFields {...fields} />
      {objection && (
        <p className="notice bad" role="alert">
          {objection}
        </p>
      )}
      {send.error && <Failure failure={send.error} />}
      <div>
        <button
          type="button"
          className={steps.judged === undefined ? 'button main' : 'button'}
          disabled={source === undefined || objection !== undefined || send.isPending || isRunning}
          onClick={() => send.mutate({ dryRun: true })}
        >
          Judge the rows
        </button>
      </div>
      {steps.judged !== undefined && steps.applied === undefined && (
        <section className="stack" aria-label="Judged rows">
          <h3>What the import would do</h3>
          <Step jobId={steps.judged} what="Judging" name={name} />
          {outcome && (
            <ApplyBar
              outcome={outcome}
              source={source}
              isPending={send.isPending}
              onApply={() => send.mutate({ dryRun: false })}
            />
          )}
        </section>
      )}
      {steps.applied !== undefined && (
        <section className="stack" aria-label="Applied rows">
          <h3>What the import did</h3>
          <Step jobId={steps.applied} what="The import" name={name} />
        </section>
      )}
    </section>
  );
};
