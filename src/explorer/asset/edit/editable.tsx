import { type ReactNode, useCallback, useEffect, useRef } from 'react';
import type { Asset } from '../../api/asset.ts';
import { Failure } from '../../parts/states.tsx';
import { readableTime } from '../../parts/times.ts';
import { Differences } from '../diff/differences.tsx';
import { diffRecords } from '../diff/record-diff.ts';
import { type Draft, useDraft } from './drafts.ts';
import type { PatchOperation } from './patch.ts';
import { type Conflict, type Subject, useSave } from './use-save.ts';
import './edit.css';

/**
 * A member of a record, and its editor for those who may change it. When somebody else was faster, the editor says what they
 * changed, keeps what was typed and applies it to their state on request.
 */

type EditableProps<T> = {
  readonly subject: Subject;
  /** Tells the drafts of the members of a record apart. */
  readonly member: string;
  readonly title: string;
  readonly isAllowed: boolean;
  readonly start: T;
  readonly view: ReactNode;
  readonly build: (present: Asset, edit: Pick<Draft<T>, 'start' | 'value'>) => readonly PatchOperation[];
  readonly form: (value: T, change: (value: T) => void) => ReactNode;
};

const ConflictNotice = ({ conflict: { before, present } }: { readonly conflict: Conflict }) => (
  <div className="notice stack" role="alert">
    <p>
      <strong>{present.updatedBy}</strong> changed this meanwhile
      {present.updatedAt === undefined ? '' : ` (${readableTime(present.updatedAt)})`}. Your edit is still below. Save
      it again to apply it to their version.
    </p>
    <Differences differences={diffRecords(before, present)} />
  </div>
);

type EditorProps<T> = EditableProps<T> & {
  readonly draft: Draft<T>;
  readonly put: (draft: Draft<T> | undefined) => void;
  readonly onOpen: (form: HTMLFormElement | null) => void;
};

const Editor = <T,>({ subject, title, build, form, draft, put, onOpen }: EditorProps<T>) => {
  const { save, isSaving, conflict, failure } = useSave({
    subject,
    base: draft.base,
    build: (present) => build(present, draft),
    onRebase: (base) => put({ ...draft, base }),
    onSaved: () => put(undefined),
  });
  return (
    <form
      ref={onOpen}
      className="editor stack"
      aria-label={`Edit ${title}`}
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) save();
      }}
    >
      {conflict && <ConflictNotice conflict={conflict} />}
      {failure && <Failure failure={failure} />}
      {/* What would be typed during a save would be in no version. */}
      <fieldset className="editor-fields" disabled={isSaving}>
        {form(draft.value, (value) => put({ ...draft, value }))}
      </fieldset>
      <div className="row">
        <button type="submit" className="button main" disabled={isSaving}>
          {isSaving ? 'Saving …' : conflict ? 'Save mine' : 'Save'}
        </button>
        <button type="button" className="button" onClick={() => put(undefined)}>
          Cancel
        </button>
      </div>
    </form>
  );
};

/** Leads the keyboard into the editor when it is opened here, and back to its button when it is closed. */
const useEditorFocus = (isOpen: boolean) => {
  const isOpenedHere = useRef(false);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isOpen || !isOpenedHere.current) return;
    isOpenedHere.current = false;
    button.current?.focus();
  }, [isOpen]);
  const onOpen = useCallback((form: HTMLFormElement | null): void => {
    if (isOpenedHere.current) form?.querySelector<HTMLElement>('textarea, input, select')?.focus();
  }, []);
  const markOpened = (): void => {
    isOpenedHere.current = true;
  };
  return { button, onOpen, markOpened };
};

export const Editable = <T,>(props: EditableProps<T>) => {
  const { subject, member, title, isAllowed, start, view } = props;
  const { draft, put } = useDraft<T>(`${subject.type} ${subject.fqn} ${member}`);
  const { button, onOpen, markOpened } = useEditorFocus(draft !== undefined);
  if (draft !== undefined && put) return <Editor {...props} draft={draft} put={put} onOpen={onOpen} />;
  return (
    <div className="editable">
      <div className="editable-view">{view}</div>
      {isAllowed && put && (
        <button
          type="button"
          className="edit-button"
          aria-label={`Edit ${title}`}
          title={`Edit ${title}`}
          ref={button}
          onClick={() => {
            markOpened();
            put({ base: subject.read, start, value: start });
          }}
        >
          <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
            <path
              d="M2.5 13.5l.8-3.2 7.6-7.6 2.4 2.4-7.6 7.6zM9.6 4l2.4 2.4"
              fill="none"
              stroke="currentColor"
              strokeWidth="1.4"
            />
          </svg>
        </button>
      )}
    </div>
  );
};
