import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ComboBox, Input, Label, ListBox, ListBoxItem, Popover, Text } from 'react-aria-components';
import type { AssetName } from '../addresses.ts';
import { lastName } from '../api/full-name.ts';
import type { Hit } from '../api/hit.ts';
import { findBeginnings } from '../api/suggest.ts';
import { FullName } from '../parts/full-name.tsx';
import { KindName } from '../parts/kind-name.tsx';
import { useOpenList } from '../parts/use-open-list.ts';
import { useSettled } from '../parts/use-settled.ts';
import './finder.css';

const PAUSE_MS = 150;
const SUGGESTIONS = 12;

type PickerProps = {
  readonly label: string;
  readonly asset: AssetName | undefined;
  readonly onAsset: (asset: AssetName) => void;
};

/** Chooses an asset by searching for it. */
export const AssetPicker = ({ label, asset, onAsset }: PickerProps) => {
  // What is typed lasts until something is chosen or the field is left.
  const [typed, setTyped] = useState<string>();
  const text = useSettled((typed ?? '').trim(), PAUSE_MS);
  const { data, isFetching } = useQuery({
    queryKey: ['assets to pick', text],
    queryFn: ({ signal }) => findBeginnings(text, SUGGESTIONS, signal),
    enabled: text.length > 0,
    placeholderData: keepPreviousData,
  });
  const openList = useOpenList();
  // Names tell assets apart at their end: the field holds the last part, and all of it stands below, where it may break.
  const picked = asset && lastName(asset.fqn);
  const hits = text.length > 0 ? (data ?? []) : [];
  return (
    <ComboBox
      {...openList}
      className="field"
      items={hits}
      inputValue={typed ?? picked ?? ''}
      onInputChange={(next) => setTyped(next === picked ? undefined : next)}
      onChange={(key) => {
        const hit = hits.find(({ id }) => id === key);
        if (!hit) return;
        setTyped(undefined);
        onAsset({ type: hit.type, fqn: hit.fqn });
      }}
      onBlur={() => setTyped(undefined)}
      allowsCustomValue
      // The list opens at once, for hits that come later would not open it.
      allowsEmptyCollection
      menuTrigger="input"
    >
      <Label>{label}</Label>
      <Input className="finder-input" placeholder="Search for an asset" />
      {typed === undefined && asset && (
        <Text slot="description" className="picked-name">
          {asset.fqn}
        </Text>
      )}
      <Popover className="suggestions" offset={4}>
        <ListBox<Hit>
          className="suggestion-list"
          renderEmptyState={() => (
            <p className="nothing">
              {isFetching || text !== (typed ?? '').trim() ? 'Searching …' : 'Nothing is called so.'}
            </p>
          )}
        >
          {(hit) => (
            <ListBoxItem id={hit.id} textValue={hit.fqn} className="suggestion">
              <span className="suggestion-name">{hit.name}</span>
              <KindName type={hit.type} />
              <span className="suggestion-fqn">
                <FullName fqn={hit.fqn} typed={text} />
              </span>
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
};
