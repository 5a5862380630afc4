import { useEffect, useState } from 'react';

type CopyProps = { readonly text: string; readonly what: string };

const STATES = { idle: 'Copy', copied: 'Copied', refused: 'Not copied' } as const;

/** How long the button says what became of the copy. */
const SHOWN_MS = 2000;

/** Copies a text, and says whether the browser allowed it. */
export const CopyButton = ({ text, what }: CopyProps) => {
  const [state, setState] = useState<keyof typeof STATES>('idle');
  useEffect(() => {
    if (state === 'idle') return;
    const timer = setTimeout(() => setState('idle'), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setState('copied');
    } catch {
      setState('refused');
    }
  };
  return (
    <button type="button" className="button small" onClick={copy}>
      <span aria-live="polite">
        {STATES[state]} {what}
      </span>
    </button>
  );
};
