/** Keeps drafts by who typed them and where. Nobody is shown the draft of somebody else, and theirs is there when they return. */

/** As the storage of a browser. */
export type TextStorage = {
  readonly length: number;
  readonly key: (index: number) => string | null;
  readonly getItem: (key: string) => string | null;
  readonly setItem: (key: string, text: string) => void;
  readonly removeItem: (key: string) => void;
};

/** Whose draft it is, and of what. */
export type DraftPlace = { readonly by: string; readonly name: string };

const PREFIX = 'tributary.draft.';
/** Drafts beyond these are given up, the oldest first. */
const MOST_DRAFTS = 50;
const LONGEST_MS = 7 * 24 * 3600_000;

const keyOf = ({ by, name }: DraftPlace): string => PREFIX + JSON.stringify([by, name]);

/** The time comes first, so that it is known without reading a long text. */
const STORED = /^(\d+) /;

export const createDraftStore = (storage: TextStorage, now: () => number) => {
  /** When a draft was kept; nothing when it is too old, or none. */
  const keptAt = (key: string): number | undefined => {
    const at = STORED.exec(storage.getItem(key) ?? '')?.[1];
    return at === undefined || now() - Number(at) >= LONGEST_MS ? undefined : Number(at);
  };

  /** Leaves the youngest of all drafts, as many as there may be. */
  const leaveYoungest = (most: number): void => {
    const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '');
    const drafts = keys.filter((key) => key.startsWith(PREFIX)).map((key) => ({ key, at: keptAt(key) ?? 0 }));
    drafts.sort((one, other) => other.at - one.at);
    for (const [index, { key, at }] of drafts.entries()) if (index >= most || at === 0) storage.removeItem(key);
  };

  leaveYoungest(MOST_DRAFTS);
  return {
    read: (place: DraftPlace): string | undefined => {
      const key = keyOf(place);
      return keptAt(key) === undefined ? undefined : storage.getItem(key)?.replace(STORED, '');
    },

    /** Answers whether the browser had room for it. */
    keep: (place: DraftPlace, text: string): boolean => {
      const key = keyOf(place);
      if (keptAt(key) === undefined) leaveYoungest(MOST_DRAFTS - 1);
      try {
        storage.setItem(key, `${now()} ${text}`);
        return true;
      } catch {
        // The former text would be taken for the present one.
        storage.removeItem(key);
        return false;
      }
    },

    forget: (place: DraftPlace): void => storage.removeItem(keyOf(place)),
  };
};
