import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { changeContract, createContract, type ReadContract, readOwnContract } from '../api/contracts.ts';
import { ApiFailure } from '../api/failure.ts';
import type { SubjectAsset } from '../api/subject.ts';
import { Failure } from '../parts/states.tsx';
import { BasicFields, TermsField } from './basic-fields.tsx';
import { ColumnChoice } from './column-choice.tsx';
import { patchOf, toBody } from './form.ts';
import { JudgementPanel, Verdict } from './judgement-panel.tsx';
import { LevelFields } from './level-fields.tsx';
import { MergeNotice } from './merge-notice.tsx';
import { PeopleFields } from './people-fields.tsx';
import { RuleFields } from './rule-fields.tsx';
import { SecurityFields } from './security-fields.tsx';
import { canPromiseColumns, canPromiseTests } from './subjects.ts';
import { TestChoice } from './test-choice.tsx';
import { useContractDraft } from './use-draft.ts';
import { useJudgement } from './use-judgement.ts';
import { findWeakened } from './weakened.ts';

/** Edits the contract of an asset, or makes its first. A save names the state that was read. */

type EditorProps = {
  readonly subject: SubjectAsset;
  readonly read: ReadContract | null;
  /** ID of who is typing. */
  readonly by: string;
  readonly onEnd: () => void;
};

const PRECONDITION_FAILED = 412;

/** Somebody may have made the first contract of the asset meanwhile, which the service answers with one of these. */
const isTaken = (failure: unknown): boolean =>
  failure instanceof ApiFailure && (failure.status === 409 || failure.status === 400);

const useSave = ({ subject, onEnd }: EditorProps, { draft, rebaseOn, forget }: ReturnType<typeof useContractDraft>) => {
  const queries = useQueryClient();
  const refresh = () => queries.invalidateQueries({ queryKey: ['contract', subject.id] });
  const { read, base, form } = draft;
  return useMutation({
    mutationFn: () =>
      read === null ? createContract(toBody(form, subject)) : changeContract(read, patchOf(base, form)),
    onSuccess: async () => {
      forget();
      await refresh();
      onEnd();
    },
    onError: async (failure) => {
      const isStale = failure instanceof ApiFailure && failure.status === PRECONDITION_FAILED;
      if (!isStale && !(read === null && isTaken(failure))) return;
      const present = await readOwnContract(subject);
      if (present !== null) rebaseOn(present);
    },
  });
};

const DraftNotes = ({
  edit,
  subject,
}: {
  readonly edit: ReturnType<typeof useContractDraft>;
  readonly subject: SubjectAsset;
}) => {
  const { draft, changed, isKept, setForm, discard } = edit;
  return (
    <>
      {draft.isRestored && changed.length > 0 && (
        <div className="notice" role="status">
          <p>What you typed before is here again. It is not saved yet.</p>
          <button type="button" className="button" onClick={discard}>
            Discard it
          </button>
        </div>
      )}
      {!isKept && (
        <p className="notice bad" role="alert">
          The browser has no room to keep what you type. Save it before you leave the page.
        </p>
      )}
      {draft.merge && (draft.merge.taken.length > 0 || draft.merge.conflicts.length > 0) && (
        <MergeNotice {...draft.merge} theirs={draft.base} form={draft.form} setForm={setForm} />
      )}
      {subject.isDeleted && <p className="notice bad">This asset is deleted.</p>}
    </>
  );
};

export const ContractEditor = (props: EditorProps) => {
  const { subject, read, by, onEnd } = props;
  const { type, columns } = subject;
  const edit = useContractDraft({
    subjectId: subject.id,
    read,
    name: `${subject.name}-contract`.replaceAll('::', '-'),
    by,
  });
  const { draft, changed, setForm, discard } = edit;
  const { form, base } = draft;
  const save = useSave(props, edit);
  const judgement = useJudgement(form, subject);
  const weakened = useMemo(() => findWeakened(base, form), [base, form]);
  const fields = { form, setForm, problems: judgement.problems };
  const isNew = draft.read === null;
  const isConflict = save.error instanceof ApiFailure && save.error.status === PRECONDITION_FAILED;
  const title = isNew ? 'New contract' : `Edit ${form.displayName || form.name}`;
  return (
    <form
      className="contract-editor"
      aria-label={title}
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <div className="stack">
        <DraftNotes edit={edit} subject={subject} />
        <BasicFields {...fields} isNew={isNew} />
        {canPromiseColumns(type) && <ColumnChoice {...fields} columns={columns} />}
        <RuleFields {...fields} />
        {canPromiseTests(type) && (
          <TestChoice {...fields} fqn={subject.fqn} odcsRules={draft.read?.contract.odcsQualityRules?.length ?? 0} />
        )}
        <LevelFields {...fields} columns={columns} />
        <SecurityFields {...fields} />
        <TermsField {...fields} />
        <PeopleFields {...fields} />
      </div>
      <aside className="stack editor-side">
        <JudgementPanel judgement={judgement} weakened={weakened} isNew={isNew} />
      </aside>
      <div className="save-bar">
        {save.error && !isConflict && <Failure failure={save.error} />}
        <div className="row">
          <button type="submit" className="button main" disabled={save.isPending || (!isNew && changed.length === 0)}>
            {isNew ? 'Create the contract' : 'Save'}
          </button>
          <button type="button" className="button" onClick={onEnd}>
            Close
          </button>
          {changed.length > 0 && (
            <button type="button" className="button" onClick={discard}>
              Discard changes
            </button>
          )}
          {changed.length > 0 && <span className="quiet saved-where">Not saved yet, and kept in this tab</span>}
          {changed.length > 0 && <Verdict judgement={judgement} />}
        </div>
      </div>
    </form>
  );
};
