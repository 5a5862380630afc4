import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button, ComboBox, Input, type Key, Label, ListBox, ListBoxItem, Popover } from 'react-aria-components';
import { describeFailure } from '../../api/failure.ts';
import { type Choice, findChoices } from '../../api/pick.ts';
import { KindName } from '../../parts/kind-name.tsx';
import { useOpenList } from '../../parts/use-open-list.ts';
import { useSettled } from '../../parts/use-settled.ts';

/** Chooses records by searching for them: what is chosen stands above the box and can be taken away. */

const PAUSE_MS = 150;

type PickerProps = {
  readonly label: string;
  /** The indexes of the search to choose from, separated by commas. */
  readonly types: string;
  readonly chosen: readonly Choice[];
  readonly onChange: (chosen: readonly Choice[]) => void;
  /** Choices that another editor is for. */
  readonly isHidden?: (choice: Choice) => boolean;
};

const Chosen = ({ chosen, onChange }: Pick<PickerProps, 'chosen' | 'onChange'>) => (
  <ul className="chosen">
    {chosen.map((choice) => (
      <li key={`${choice.type} ${choice.fqn}`} className="chip">
        <span>{choice.name}</span>
        <button
          type="button"
          className="take-away"
          aria-label={`Remove ${choice.name}`}
          onClick={() => onChange(chosen.filter((other) => other !== choice))}
        >
          ×
        </button>
      </li>
    ))}
  </ul>
);

export const Picker = ({ label, types, chosen, onChange, isHidden = () => false }: PickerProps) => {
  const [text, setText] = useState('');
  const [picks, setPicks] = useState(0);
  const settled = useSettled(text.trim(), PAUSE_MS);
  const { data, error } = useQuery({
    queryKey: ['choices', types, settled],
    queryFn: ({ signal }) => findChoices(settled, types, signal),
  });
  const openList = useOpenList();
  const taken = new Set(chosen.map(({ type, fqn }) => `${type} ${fqn}`));
  // Choices for an earlier text would be gone by the time that one of them is taken.
  const found = settled === text.trim() ? data : undefined;
  const offered = (found ?? []).filter((choice) => !taken.has(`${choice.type} ${choice.fqn}`) && !isHidden(choice));
  const choose = (key: Key | null): void => {
    const choice = offered.find(({ id }) => id === key);
    if (choice === undefined) return;
    onChange([...chosen, choice]);
    setText('');
    setPicks(picks + 1);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only what would send the form too early is held back.
    <div
      className="picker"
      onKeyDown={(event) => {
        if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) event.preventDefault();
      }}
    >
      {chosen.length > 0 && <Chosen chosen={chosen} onChange={onChange} />}
      <ComboBox
        // A new box after each choice: its list is closed, and it has the focus for the next one.
        key={picks}
        {...openList}
        items={offered}
        inputValue={text}
        onInputChange={setText}
        value={null}
        onChange={choose}
        allowsEmptyCollection
        menuTrigger="input"
      >
        <Label className="picker-label">{label}</Label>
        <div className="picker-box">
          <Input className="picker-input" autoFocus={picks > 0} placeholder="Type to search …" />
          <Button className="picker-open" aria-label="Show choices">
            ▾
          </Button>
        </div>
        <Popover className="suggestions" offset={4}>
          <ListBox<Choice>
            className="suggestion-list"
            renderEmptyState={() => (
              <p className="picker-empty">
                {error ? describeFailure(error) : found ? 'Nothing has these words.' : 'Searching …'}
              </p>
            )}
          >
            {(choice) => (
              <ListBoxItem id={choice.id} textValue={choice.name} className="suggestion">
                <span className="suggestion-name">{choice.name}</span>
                <KindName type={choice.type} />
                <span className="suggestion-fqn">{choice.fqn}</span>
              </ListBoxItem>
            )}
          </ListBox>
        </Popover>
      </ComboBox>
    </div>
  );
};
