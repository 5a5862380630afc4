import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import '../finder/finder.css';
import './suggest-box.css';

/**
 * A text field with suggestions below it: a combobox as ARIA describes it. The focus stays in the field; the arrows move
 * through the suggestions, Enter takes one, Escape closes the list and then empties the field.
 */

/** The keys that are held while a suggestion is taken. */
export type HeldKeys = { readonly shiftKey: boolean; readonly altKey: boolean };

type SuggestBoxProps<T> = {
  readonly label: string;
  readonly placeholder: string;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly items: readonly T[];
  readonly keyOf: (item: T) => string;
  readonly row: (item: T) => ReactNode;
  readonly onPick: (item: T, held: HeldKeys) => void;
  /** Enter without a suggestion. */
  readonly onEnter?: (text: string) => void;
  /** What is said in place of suggestions, where there is none. */
  readonly note?: string | undefined;
  /** The key `/` leads to this field. */
  readonly isSearchBox?: boolean;
  /** The field has the focus from its beginning, and Enter takes the first suggestion unless the arrows have gone to another. */
  readonly takesFirst?: boolean;
};

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/** Which suggestion the keyboard is at; -1 is the field itself. After the last one comes the field again. */
const useActive = (count: number, start: number) => {
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(start);
  const close = () => {
    setOpen(false);
    setActive(start);
  };
  const move = (step: number) => {
    setOpen(true);
    setActive((at) => ((at + 1 + step + count + 1) % (count + 1)) - 1);
  };
  return {
    isOpen: isOpen && count > 0,
    isEmpty: isOpen && count === 0,
    active: Math.min(active, count - 1),
    open: () => setOpen(true),
    begin: () => setActive(start),
    close,
    move,
  };
};

const useKeys = <T,>(props: SuggestBoxProps<T>, list: ReturnType<typeof useActive>) => {
  const { items, text, onText, onPick, onEnter } = props;
  return (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    const picked = list.isOpen ? items[list.active] : undefined;
    if (event.nativeEvent.isComposing) return;
    if (step !== undefined) list.move(step);
    else if (event.key === 'Enter' && picked !== undefined) onPick(picked, event);
    else if (event.key === 'Enter') onEnter?.(text);
    else if (event.key === 'Escape' && !list.isOpen) onText('');
    else if (event.key !== 'Escape') return;
    event.preventDefault();
    if (step === undefined) list.close();
  };
};

type SuggestionsProps<T> = Pick<SuggestBoxProps<T>, 'items' | 'keyOf' | 'row' | 'onPick' | 'label'> & {
  readonly id: string;
  readonly active: number;
};

const Suggestions = <T,>({ items, keyOf, row, onPick, label, id, active }: SuggestionsProps<T>) => {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  return (
    <div id={id} ref={list} role="listbox" aria-label={`${label}: suggestions`} className="suggestions">
      {items.map((item, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field, which keeps the focus.
        <div
          key={keyOf(item)}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === active}
          className="suggestion"
          onMouseDown={(event) => event.preventDefault()}
          onClick={(event) => onPick(item, event)}
        >
          {row(item)}
        </div>
      ))}
    </div>
  );
};

export const SuggestBox = <T,>(props: SuggestBoxProps<T>) => {
  const { label, placeholder, text, onText, items, note, isSearchBox = false, takesFirst = false } = props;
  const id = useId();
  const list = useActive(items.length, takesFirst ? 0 : -1);
  const onKeyDown = useKeys(props, list);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (takesFirst) field.current?.focus();
  }, [takesFirst]);
  const pick = (item: T, held: HeldKeys) => {
    list.close();
    props.onPick(item, held);
  };
  return (
    <div className="suggest-box">
      <input
        ref={field}
        className="finder-input"
        type="text"
        role="combobox"
        autoComplete="off"
        spellCheck={false}
        aria-label={label}
        aria-autocomplete="list"
        aria-expanded={list.isOpen}
        aria-controls={list.isOpen ? id : undefined}
        aria-activedescendant={list.isOpen && list.active >= 0 ? `${id}-${list.active}` : undefined}
        {...(isSearchBox ? { 'data-search-box': '', 'aria-keyshortcuts': '/' } : {})}
        placeholder={placeholder}
        value={text}
        onChange={(event) => {
          onText(event.target.value);
          list.begin();
          list.open();
        }}
        onFocus={list.open}
        onClick={list.open}
        onBlur={list.close}
        onKeyDown={onKeyDown}
      />
      <p role="status" className={list.isEmpty && note ? 'suggestions suggest-note' : 'visually-hidden'}>
        {list.isEmpty ? note : ''}
      </p>
      {list.isOpen && <Suggestions {...props} onPick={pick} id={id} active={list.active} />}
    </div>
  );
};
