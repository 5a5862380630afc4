import { useState } from 'react';
import { ComboBox, Input, Label, ListBox, ListBoxItem, Popover } from 'react-aria-components';
import { useOpenList } from '../parts/use-open-list.ts';
import type { NamedColumn } from './columns.ts';
import './column-picker.css';

type PickerProps = {
  readonly label: string;
  readonly columns: readonly NamedColumn[];
  readonly column: string | undefined;
  readonly onColumn: (column: string | undefined) => void;
};

/** More suggestions than these are found by typing on. */
const SUGGESTIONS = 50;

/** Chooses one of the columns of a record, or none; wide tables are searched by typing. */
export const ColumnPicker = ({ label, columns, column, onColumn }: PickerProps) => {
  const chosen = columns.find(({ fqn }) => fqn === column)?.name ?? '';
  // What is typed lasts until something is chosen or the field is left.
  const [typed, setTyped] = useState<string>();
  const openList = useOpenList();
  const text = (typed ?? '').trim().toLowerCase();
  const items = columns.filter(({ name }) => name.toLowerCase().includes(text)).slice(0, SUGGESTIONS);
  const choose = (fqn: string | undefined): void => {
    setTyped(undefined);
    onColumn(fqn);
  };
  return (
    <ComboBox
      {...openList}
      className="column-picker"
      items={items}
      inputValue={typed ?? chosen}
      onInputChange={(next) => setTyped(next === chosen ? undefined : next)}
      onChange={(key) => {
        if (key !== null) choose(String(key));
      }}
      onBlur={() => {
        if (typed?.trim() === '') choose(undefined);
        else setTyped(undefined);
      }}
      allowsCustomValue
      allowsEmptyCollection
      menuTrigger="focus"
    >
      <Label>{label}</Label>
      <div className="column-picker-field">
        <Input className="finder-input" placeholder={`All ${columns.length} columns`} />
        {column !== undefined && (
          <button type="button" className="button small" onClick={() => choose(undefined)}>
            <span aria-hidden="true">✕</span>
            <span className="visually-hidden">All columns</span>
          </button>
        )}
      </div>
      <Popover className="suggestions" offset={4}>
        <ListBox<NamedColumn>
          className="suggestion-list"
          renderEmptyState={() => <p className="nothing">No column is called so.</p>}
        >
          {({ fqn, name }) => (
            <ListBoxItem id={fqn} textValue={name} className="suggestion">
              <code>{name}</code>
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
};
