import { useState } from 'react';
import { FileDrop } from '../parts/file-drop.tsx';

/** Chooses what is imported: a file, or a text. */

type SourceFieldsProps = {
  readonly file: File | undefined;
  readonly onFile: (file: File) => void;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly safeCsv: boolean;
  readonly onSafeCsv: (isSafe: boolean) => void;
};

export const SourceFields = ({ file, onFile, text, onText, safeCsv, onSafeCsv }: SourceFieldsProps) => {
  const [isPasting, setPasting] = useState(text !== '');
  return (
    <>
      <FileDrop label="Choose a CSV file" accept=".csv,.txt,text/csv,text/plain" onFile={onFile}>
        {file && (
          <span className="chip" role="status">
            {file.name}
          </span>
        )}
      </FileDrop>
      <details open={isPasting} onToggle={({ currentTarget }) => setPasting(currentTarget.open)}>
        <summary>Paste the rows instead</summary>
        <label className="field">
          <span>CSV, the header first</span>
          <textarea
            className="csv-text"
            rows={6}
            spellCheck={false}
            value={text}
            onChange={({ target }) => onText(target.value)}
          />
        </label>
      </details>
      <label className="check">
        <input type="checkbox" checked={safeCsv} onChange={({ target: box }) => onSafeCsv(box.checked)} />
        <span>
          It was exported for a spreadsheet: take the <code>'</code> in front of texts away
        </span>
      </label>
    </>
  );
};
