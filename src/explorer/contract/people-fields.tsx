import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ComboBox, Input, Label, ListBox, ListBoxItem, Popover } from 'react-aria-components';
import { findOwners } from '../api/owners.ts';
import type { Reference } from '../api/types.ts';
import { useOpenList } from '../parts/use-open-list.ts';
import { useSettled } from '../parts/use-settled.ts';
import type { FieldsProps } from './basic-fields.tsx';
import { Clause } from './clause.tsx';

/** Who answers for the contract, and who reviews its changes. */

const PAUSE_MS = 200;

const nameOf = ({ displayName, name, id }: Reference): string => displayName || name || id || '';

type PickerProps = {
  readonly label: string;
  readonly people: readonly Reference[];
  readonly onChange: (people: readonly Reference[]) => void;
};

const PeoplePicker = ({ label, people, onChange }: PickerProps) => {
  const [text, setText] = useState('');
  const settled = useSettled(text.trim(), PAUSE_MS);
  const { data = [], isFetching } = useQuery({
    queryKey: ['people', settled],
    queryFn: ({ signal }) => findOwners(settled, signal),
    enabled: settled !== '',
    placeholderData: keepPreviousData,
  });
  const openList = useOpenList();
  const chosen = new Set(people.map(({ id }) => id));
  const found = settled === '' ? [] : data.filter(({ id }) => !chosen.has(id));
  return (
    <div className="stack people-picker">
      <ComboBox
        {...openList}
        className="field"
        items={found}
        inputValue={text}
        onInputChange={setText}
        onChange={(key) => {
          const person = found.find(({ id }) => id === key);
          if (!person) return;
          onChange([...people, person]);
          setText('');
        }}
        allowsCustomValue
        allowsEmptyCollection
        menuTrigger="input"
      >
        <Label>{label}</Label>
        <Input placeholder="Name of a person or a team" />
        <Popover className="suggestions" offset={4}>
          <ListBox<Reference>
            className="suggestion-list"
            renderEmptyState={() => (
              <p className="quiet">
                {isFetching || settled !== text.trim() ? 'Searching …' : 'Nobody else has this name.'}
              </p>
            )}
          >
            {(person) => (
              <ListBoxItem id={person.id ?? ''} textValue={text} className="suggestion">
                <span className="suggestion-name">{nameOf(person)}</span>
                <span className="chip">{person.type}</span>
              </ListBoxItem>
            )}
          </ListBox>
        </Popover>
      </ComboBox>
      <ul className="row people">
        {people.length === 0 && <li className="quiet">Nobody</li>}
        {people.map((person) => (
          <li key={person.id} className="chip">
            {nameOf(person)}
            <button
              type="button"
              className="chip-button"
              aria-label={`Remove ${nameOf(person)} from ${label.toLowerCase()}`}
              onClick={() => onChange(people.filter(({ id }) => id !== person.id))}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
};

export const PeopleFields = ({ form, setForm, problems }: FieldsProps) => (
  <Clause
    title="People"
    members={['owners', 'reviewers']}
    problems={problems}
    hint="Owners are either people or one team. Without any, the owners of the asset answer for its contract."
  >
    <div className="field-pair">
      <PeoplePicker label="Owners" people={form.owners} onChange={(owners) => setForm({ owners })} />
      <PeoplePicker label="Reviewers" people={form.reviewers} onChange={(reviewers) => setForm({ reviewers })} />
    </div>
  </Clause>
);
