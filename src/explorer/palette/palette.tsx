import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog, Modal, ModalOverlay } from 'react-aria-components';
import { useLocation } from 'wouter';
import { type AssetName, assetAddress, columnAddress, lineageAddress, searchAddress } from '../addresses.ts';
import { readAsset } from '../api/asset.ts';
import { lastName } from '../api/full-name.ts';
import { hasLineage } from '../api/kinds.ts';
import { flattenItems, type Item, readItemSets } from '../asset/items.ts';
import { useSuggestions } from '../finder/use-suggestions.ts';
import { useDestinations } from '../navigation.tsx';
import { SuggestionRow } from '../parts/hit-suggestion.tsx';
import { KindName } from '../parts/kind-name.tsx';
import { type HeldKeys, SuggestBox } from '../parts/suggest-box.tsx';
import { type Suggestion, suggestionAddress } from '../parts/suggestions.ts';
import { useAssetRights } from './asset-rights.ts';
import {
  assetOfPage,
  type Command,
  commandsOf,
  type Deed,
  INDEX_OF,
  impactAddress,
  matchCommands,
  type Narrowing,
  readTyped,
} from './commands.ts';
import './palette.css';

/** Everything by its name, from any page and by the keyboard alone: assets, people, columns, pages and what can be done. */

type Entry =
  | { readonly command: Command }
  | { readonly suggestion: Suggestion; readonly typed: string }
  | { readonly recent: AssetName }
  | { readonly column: Item; readonly of: AssetName };

const MOST_COLUMNS = 50;
/** So many commands are offered below what a search found. */
const MOST_COMMANDS = 4;

const keyOf = (entry: Entry): string => {
  if ('command' in entry) return `${entry.command.name} ${entry.command.of}`;
  if ('suggestion' in entry) return suggestionAddress(entry.suggestion);
  if ('recent' in entry) return `recent ${assetAddress(entry.recent.type, entry.recent.fqn)}`;
  return entry.column.pointer;
};

const Row = ({ entry }: { readonly entry: Entry }) => {
  if ('suggestion' in entry) return <SuggestionRow {...entry.suggestion} typed={entry.typed} />;
  if ('command' in entry)
    return (
      <>
        <span>{entry.command.name}</span>
        <span className="quiet">{entry.command.of}</span>
      </>
    );
  if ('recent' in entry)
    return (
      <>
        <span className="suggestion-name">{lastName(entry.recent.fqn)}</span>
        <KindName type={entry.recent.type} />
        <span className="suggestion-fqn">{entry.recent.fqn}</span>
      </>
    );
  return (
    <>
      <span className="suggestion-name">{entry.column.path.join('.')}</span>
      <span className="quiet">{entry.column.dataType}</span>
    </>
  );
};

/** The columns of the asset of the page whose names have a text. */
const useColumns = (asset: AssetName | undefined, narrowing: Narrowing, text: string): readonly Entry[] => {
  const { data } = useQuery({
    queryKey: ['asset', asset?.type, asset?.fqn],
    queryFn: ({ signal }) => readAsset(asset?.type ?? '', asset?.fqn ?? '', signal),
    enabled: asset !== undefined && narrowing === 'columns',
  });
  if (!asset || !data || narrowing !== 'columns') return [];
  return readItemSets(asset.type, data.asset)
    .flatMap(({ items }) => flattenItems(items))
    .filter(({ path }) => path.join('.').toLowerCase().includes(text.toLowerCase()))
    .slice(0, MOST_COLUMNS)
    .map((column) => ({ column, of: asset }));
};

const useEntries = (path: string, typed: string, recent: readonly AssetName[]) => {
  const pages = useDestinations();
  const { narrowing, text } = readTyped(typed);
  const asset = assetOfPage(path);
  const isSearched = narrowing !== 'commands' && narrowing !== 'columns';
  const found = useSuggestions(isSearched ? text : '', INDEX_OF[narrowing]);
  const columns = useColumns(asset, narrowing, text);
  const rights = useAssetRights(asset);
  const commands = matchCommands(commandsOf(path, pages, rights), text).map((command) => ({ command }));
  const hits = found.suggestions.map((suggestion) => ({ suggestion, typed: found.typed }));
  if (narrowing === 'commands') return { entries: commands, note: 'No command is called so.' };
  if (narrowing === 'columns')
    return { entries: columns, note: asset ? 'No column is called so.' : 'This page is about no asset with columns.' };
  if (narrowing !== 'all') return { entries: hits, note: found.note };
  const others = recent.filter(({ type, fqn }) => type !== asset?.type || fqn !== asset.fqn);
  if (text === '') return { entries: [...others.map((one) => ({ recent: one })), ...commands], note: undefined };
  return { entries: [...hits, ...commands.slice(0, MOST_COMMANDS)], note: found.note };
};

/** With Shift one goes to the lineage of an asset, with Alt to what breaks when it goes. */
const heldAddress = ({ type, fqn }: AssetName, { shiftKey, altKey }: HeldKeys, otherwise: string): string => {
  if (!hasLineage(type)) return otherwise;
  if (shiftKey) return lineageAddress(type, fqn);
  return altKey ? impactAddress(type, fqn) : otherwise;
};

const addressOf = (entry: Exclude<Entry, { readonly command: Command }>, held: HeldKeys): string => {
  if ('suggestion' in entry) return heldAddress(entry.suggestion.hit, held, suggestionAddress(entry.suggestion));
  if ('recent' in entry) return heldAddress(entry.recent, held, assetAddress(entry.recent.type, entry.recent.fqn));
  const { type, fqn } = entry.of;
  return columnAddress(type, fqn, entry.column.fqn ?? `${fqn}.${entry.column.path.join('.')}`);
};

/** What a text begins with, to find only that. */
const SIGNS: readonly (readonly [string, string])[] = [
  ['>', 'what to do'],
  ['@', 'people'],
  ['#', 'tags and terms'],
  [':', 'columns of this page'],
];

type PaletteProps = {
  readonly recent: readonly AssetName[];
  readonly onDeed: (deed: Deed) => void;
  readonly onClose: () => void;
};

const PaletteBox = ({ recent, onDeed, onClose }: PaletteProps) => {
  const [path, go] = useLocation();
  const [typed, setTyped] = useState('');
  const { entries, note } = useEntries(path, typed, recent);
  // While the palette is open, nothing beside it can take the focus, as a part of the next page may want to.
  const leaveTo = (address: string): void => {
    onClose();
    setTimeout(() => go(address));
  };
  const take = (entry: Entry, held: HeldKeys): void => {
    if (!('command' in entry)) leaveTo(addressOf(entry, held));
    else if ('goTo' in entry.command.does) leaveTo(entry.command.does.goTo);
    else {
      onClose();
      onDeed(entry.command.does.deed);
    }
  };
  return (
    <>
      <SuggestBox<Entry>
        label="Assets, people and commands"
        placeholder="An asset, a person, or what to do …"
        text={typed}
        onText={setTyped}
        items={entries}
        note={note}
        keyOf={keyOf}
        row={(entry) => <Row entry={entry} />}
        onPick={take}
        onEnter={(text) => {
          if (readTyped(text).narrowing !== 'all' || text.trim() === '') return;
          leaveTo(searchAddress(text));
        }}
        takesFirst
      />
      <p className="quiet palette-signs">
        {SIGNS.map(([sign, what]) => (
          <span key={sign}>
            <kbd>{sign}</kbd> {what}
          </span>
        ))}
      </p>
    </>
  );
};

export const Palette = (props: PaletteProps) => (
  <ModalOverlay
    className="over-page palette-place"
    isOpen
    isDismissable
    onOpenChange={(isOpen) => !isOpen && props.onClose()}
  >
    <Modal className="card palette">
      <Dialog aria-label="Go to" className="palette-dialog">
        <PaletteBox {...props} />
      </Dialog>
    </Modal>
  </ModalOverlay>
);
