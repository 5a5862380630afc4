import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { TYPED_SEARCH } from '../finder/typed-search.ts';
import { useSettled } from '../parts/use-settled.ts';

/** Hits come while typing, but not for every letter. */
const PAUSE_MS = 200;

type SearchBoxProps = {
  readonly text: string;
  readonly onText: (text: string) => void;
  /** Goes from the box to the first hit. */
  readonly onDown: () => void;
};

/** What is typed becomes the search after a pause; a search from elsewhere, such as the way back, becomes what is typed. */
const useTypedText = (text: string, onText: (text: string) => void) => {
  const [typed, setTyped] = useState(text);
  const settled = useSettled(typed, PAUSE_MS);
  const written = useRef(text);
  const write = useRef(onText);
  write.current = onText;
  useEffect(() => {
    if (settled === written.current) return;
    written.current = settled;
    write.current(settled);
  }, [settled]);
  useEffect(() => {
    if (text === written.current) return;
    written.current = text;
    setTyped(text);
  }, [text]);
  return { typed, setTyped };
};

export const SearchBox = ({ text, onText, onDown }: SearchBoxProps) => {
  const { typed, setTyped } = useTypedText(text, onText);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (history.state === TYPED_SEARCH) input.current?.focus();
  }, []);
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key !== 'ArrowDown') return;
    event.preventDefault();
    onDown();
  };
  return (
    <search className="search-box">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onText(typed);
        }}
      >
        <input
          ref={input}
          className="finder-input"
          type="search"
          data-search-box=""
          aria-label="Search the catalog"
          aria-keyshortcuts="/"
          placeholder="Search tables, columns, people …"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={onKeyDown}
        />
      </form>
    </search>
  );
};
