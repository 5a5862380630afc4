import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useRef, useState } from 'react';
import {
  type ContractSubject,
  importOdcs,
  judgeOdcs,
  type OdcsMode,
  type OdcsSummary,
  parseOdcs,
  type ReadContract,
} from '../api/contracts.ts';
import { ApiFailure, describeFailure } from '../api/failure.ts';
import { FileDrop } from '../parts/file-drop.tsx';
import { useKeptText } from '../parts/kept-text.ts';
import { Failure, Waiting } from '../parts/states.tsx';
import { useSettled } from '../parts/use-settled.ts';
import { findLines, type LineFinder, lineOfMessage } from './odcs-place.ts';
import { OdcsReport } from './odcs-report.tsx';

/** Makes or changes the contract of an asset by a document, after the service has said what that would do. */

const PAUSE_MS = 500;
/** The service takes no larger document. */
const MOST_BYTES = 10 * 1024 * 1024;
/** Lines are found in documents up to this size, because the page waits for it. */
const MOST_SEARCHED = 300_000;
const PRECONDITION_FAILED = 412;

/** Reads the document only when a message asks for its line. */
const findLinesLater = (text: string): LineFinder => {
  let find: LineFinder | undefined;
  return (path) => {
    if (text.length > MOST_SEARCHED) return undefined;
    find ??= findLines(text);
    return find(path);
  };
};

type Options = { readonly objectName: string; readonly createTestCases: boolean; readonly mode: OdcsMode };

const useOdcsJudgement = (subject: ContractSubject, text: string, { objectName, createTestCases }: Options) => {
  const settled = useSettled(text, PAUSE_MS);
  const enabled = settled.trim() !== '' && settled.length <= MOST_BYTES;
  const parsed = useQuery({
    queryKey: ['odcs summary', settled],
    queryFn: ({ signal }) => parseOdcs(settled, signal),
    enabled,
    gcTime: 0,
  });
  const judged = useQuery({
    queryKey: ['odcs judgement', subject.id, settled, objectName, createTestCases],
    queryFn: ({ signal }) => judgeOdcs(subject, settled, { objectName, createTestCases }, signal),
    enabled: enabled && parsed.isSuccess,
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  const lines = useMemo(() => findLinesLater(settled), [settled]);
  return {
    summary: parsed.data,
    judged: parsed.isSuccess ? judged.data : undefined,
    error: parsed.error ?? judged.error,
    isJudging: settled !== text || parsed.isFetching || judged.isFetching,
    lines,
  };
};

const LINE_HEIGHT = 20;

/** The field with the document. A line can be shown and selected. */
const useDocumentField = () => {
  const field = useRef<HTMLTextAreaElement>(null);
  const goTo = (line: number): void => {
    const area = field.current;
    if (!area) return;
    const before = area.value.split('\n').slice(0, line - 1);
    const start = before.reduce((sum, { length }) => sum + length + 1, 0);
    const end = area.value.indexOf('\n', start);
    area.focus();
    area.setSelectionRange(start, end === -1 ? area.value.length : end);
    area.scrollTop = Math.max(0, (line - 4) * LINE_HEIGHT);
  };
  return { field, goTo };
};

type OptionProps = {
  readonly options: Options;
  readonly setOptions: (options: Options) => void;
  readonly summary: OdcsSummary | undefined;
  readonly isTable: boolean;
  readonly isNew: boolean;
};

const OptionFields = ({ options, setOptions, summary, isTable, isNew }: OptionProps) => {
  const objects = summary?.schemaObjects ?? [];
  return (
    <div className="stack">
      <div className="field-pair">
        {objects.length > 1 && (
          <label className="field">
            <span>Object of the document</span>
            <select
              value={options.objectName}
              onChange={({ target }) => setOptions({ ...options, objectName: target.value })}
            >
              <option value="">the one with the name of the asset</option>
              {objects.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
        )}
        {!isNew && (
          <label className="field">
            <span>What the document leaves out</span>
            <select
              value={options.mode}
              onChange={({ target }) =>
                setOptions({ ...options, mode: target.value === 'replace' ? 'replace' : 'merge' })
              }
            >
              <option value="merge">stays as it is</option>
              <option value="replace">is removed from the contract</option>
            </select>
          </label>
        )}
      </div>
      {isTable && (
        <label className="check">
          <input
            type="checkbox"
            checked={options.createTestCases}
            onChange={({ target }) => setOptions({ ...options, createTestCases: target.checked })}
          />
          <span>Make tests of its quality rules</span>
        </label>
      )}
    </div>
  );
};

const DocumentFailure = ({ failure, goTo }: { readonly failure: unknown; readonly goTo: (line: number) => void }) => {
  const message = describeFailure(failure);
  const line = lineOfMessage(message);
  return (
    <div className="notice bad" role="alert">
      <p>{message}</p>
      {line !== undefined && (
        <button type="button" className="button" onClick={() => goTo(line)}>
          Go to line {line}
        </button>
      )}
    </div>
  );
};

type ImportProps = {
  readonly subject: ContractSubject;
  readonly read: ReadContract | null;
  readonly onImported: () => void;
};

const useOdcsImport = ({ subject, read, onImported }: ImportProps) => {
  const queries = useQueryClient();
  const [text, setText] = useKeptText(`odcs ${subject.id}`);
  const [options, setOptions] = useState<Options>({ objectName: '', createTestCases: false, mode: 'merge' });
  const judgement = useOdcsJudgement(subject, text, options);
  const apply = useMutation({
    mutationFn: () => importOdcs(subject, text, { ...options, etag: read?.etag }),
    onSuccess: async () => {
      setText('');
      await queries.invalidateQueries({ queryKey: ['contract', subject.id] });
      onImported();
    },
    onError: () => queries.invalidateQueries({ queryKey: ['contract', subject.id] }),
  });
  return { text, setText, options, setOptions, judgement, apply };
};

export const OdcsImport = (props: ImportProps) => {
  const { subject, read } = props;
  const { text, setText, options, setOptions, judgement, apply } = useOdcsImport(props);
  const { summary, judged, error, isJudging, lines } = judgement;
  const { field, goTo } = useDocumentField();
  const isStale = apply.error instanceof ApiFailure && apply.error.status === PRECONDITION_FAILED;
  return (
    <section className="card stack" aria-label="Import from ODCS">
      <h2>Import from ODCS</h2>
      <FileDrop
        label="Choose a document"
        accept=".yaml,.yml,.json,application/yaml,application/json"
        onFile={async (file) => setText(await file.text())}
      />
      <label className="field">
        <span>Document, in YAML or JSON</span>
        <textarea
          ref={field}
          className="code-text document"
          rows={14}
          spellCheck={false}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </label>
      {text.length > MOST_BYTES && <p className="notice bad">The document is larger than the 10 MiB that are taken.</p>}
      {text.trim() !== '' && (
        <>
          <OptionFields
            options={options}
            setOptions={setOptions}
            summary={summary}
            isTable={subject.type === 'table'}
            isNew={read === null}
          />
          <section className="stack" aria-label="What the import would do" aria-busy={isJudging}>
            <h3>What the import would do</h3>
            {error && <DocumentFailure failure={error} goTo={goTo} />}
            {!judged && !error && <Waiting what="the judgement" />}
            {judged && !error && <OdcsReport summary={summary} judged={judged} lineOf={lines} goTo={goTo} />}
          </section>
          {isStale && (
            <p className="notice" role="alert">
              Somebody changed the contract meanwhile. Look at what it says now, or import the document again.
            </p>
          )}
          {apply.error && !isStale && <Failure failure={apply.error} />}
          <div className="row">
            <button
              type="button"
              className="button main"
              disabled={isJudging || !judged?.valid || error !== null || apply.isPending}
              onClick={() => apply.mutate()}
            >
              {read === null ? 'Create the contract' : `Change ${read.contract.displayName || read.contract.name}`}
            </button>
            <span className="quiet">
              {judged?.valid === false ? 'It cannot be imported before it is mended.' : 'Nothing is stored yet.'}
            </span>
          </div>
        </>
      )}
    </section>
  );
};
