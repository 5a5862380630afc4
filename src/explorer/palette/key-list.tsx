import { Button, Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { GRAPH_KEYS } from '../lineage/key-names.ts';
import { PALETTE_KEYS } from './use-keys.ts';
import './palette.css';

/** The keys of the pages, and whether single signs are keys. */

type Keys = readonly { readonly keys: string; readonly what: string }[];

const EVERYWHERE: Keys = [
  { keys: PALETTE_KEYS, what: 'everything by its name: assets, people, columns, pages and what can be done' },
  { keys: '/', what: 'the search box' },
  { keys: '?', what: 'this list' },
];

const IN_SUGGESTIONS: Keys = [
  { keys: '↑ ↓', what: 'to a suggestion' },
  { keys: 'Enter', what: 'its page' },
  { keys: 'Esc', what: 'close the list' },
];

const IN_PALETTE: Keys = [
  { keys: 'Shift Enter', what: 'the lineage of an asset' },
  { keys: 'Alt Enter', what: 'what breaks if it goes' },
];

const Part = ({ title, keys }: { readonly title: string; readonly keys: Keys }) => (
  <section className="stack">
    <h3>{title}</h3>
    <dl className="key-list">
      {keys.map((one) => (
        <div key={one.keys} className="key-row">
          <dt>
            <kbd>{one.keys}</kbd>
          </dt>
          <dd>{one.what}</dd>
        </div>
      ))}
    </dl>
  </section>
);

type KeyListProps = {
  readonly hasSigns: boolean;
  readonly onSigns: (hasSigns: boolean) => void;
  readonly onClose: () => void;
};

export const KeyList = ({ hasSigns, onSigns, onClose }: KeyListProps) => (
  <ModalOverlay className="over-page" isOpen isDismissable onOpenChange={(isOpen) => !isOpen && onClose()}>
    <Modal className="card keys">
      <Dialog className="palette-dialog stack">
        <Heading slot="title" level={2}>
          Keys
        </Heading>
        <Part title="On every page" keys={EVERYWHERE} />
        <Part title="In suggestions" keys={IN_SUGGESTIONS} />
        <Part title={`In what ${PALETTE_KEYS} opens`} keys={IN_PALETTE} />
        <Part title="In the graph of a lineage" keys={GRAPH_KEYS} />
        <label>
          <input type="checkbox" checked={hasSigns} onChange={({ target }) => onSigns(target.checked)} /> <kbd>/</kbd>{' '}
          and <kbd>?</kbd> are keys
        </label>
        <Button className="button" onPress={onClose}>
          Close
        </Button>
      </Dialog>
    </Modal>
  </ModalOverlay>
);
