import { useMemo, useState } from 'react';
import { CopyButton } from '../parts/copy-button.tsx';
import { breakLines, splitSql } from './sql.ts';
import './sql-text.css';

/** A statement with its parts in colours. What is copied is the statement as it was recorded. */
export const SqlText = ({ sql }: { readonly sql: string }) => {
  const [isWrapped, setWrapped] = useState(true);
  const parts = useMemo(() => {
    let at = 0;
    return splitSql(breakLines(sql)).map((part) => {
      const key = at;
      at += part.text.length;
      return { ...part, key };
    });
  }, [sql]);
  return (
    <div className="sql">
      <div className="row">
        <CopyButton text={sql} what="SQL" />
        <button type="button" className="button small" aria-pressed={isWrapped} onClick={() => setWrapped(!isWrapped)}>
          Wrap lines
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard. */}
      <pre className={isWrapped ? 'wrapped' : ''} tabIndex={0}>
        <code>
          {parts.map(({ key, kind, text }) =>
            kind === 'plain' ? (
              text
            ) : (
              <span key={key} className={`sql-${kind}`}>
                {text}
              </span>
            ),
          )}
        </code>
      </pre>
    </div>
  );
};
