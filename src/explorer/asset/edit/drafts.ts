import { useMemo, useSyncExternalStore } from 'react';
import type { ReadAsset } from '../../api/asset.ts';
import { useMe } from '../../api/me.ts';
import type { DraftPlace } from '../../parts/draft-store.ts';
import { keptDrafts } from '../../parts/kept-text.ts';
import { declareUnsaved } from '../../parts/unsaved.ts';
import { sessionState, watchSession } from '../../session/session.ts';

/**
 * What is being typed in editors, with the state of the record that it was begun on. It outlives the editor: whoever opens
 * another part of the page, loads it anew, or has to sign in again, finds the text as it was left.
 */

export type Draft<T> = {
  /** The state that a save names: the one the caller has seen last. */
  readonly base: ReadAsset;
  /** The value with which the editor was opened. */
  readonly start: T;
  readonly value: T;
};

/** A draft, or that there is none, for somebody at a place. */
type Entry = { readonly place: DraftPlace; readonly draft: Draft<unknown> | undefined };

const entries = new Map<string, Entry>();
const listeners = new Set<() => void>();
let withdraw: (() => void) | undefined;

const isChanged = ({ start, value }: Draft<unknown>): boolean => JSON.stringify(start) !== JSON.stringify(value);

const keepEntry = ({ place, draft }: Entry): boolean => {
  if (draft !== undefined && isChanged(draft)) return keptDrafts.keep(place, JSON.stringify(draft));
  keptDrafts.forget(place);
  return true;
};

/** Keeps all drafts for the page that comes next in this tab: with the records they hold, that is too much for every key. */
const keepAll = (): boolean => [...entries.values()].map(keepEntry).every((isKept) => isKept);

const declareChanges = (): void => {
  const isUnsaved = [...entries.values()].some(({ draft }) => draft !== undefined && isChanged(draft));
  if (isUnsaved) withdraw ??= declareUnsaved({ keep: keepAll });
  else {
    withdraw?.();
    withdraw = undefined;
  }
};

const announce = (): void => {
  declareChanges();
  for (const listener of listeners) listener();
};

addEventListener('pagehide', keepAll);
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'hidden') keepAll();
});
// Nothing of one person is left to the next, but it is there for them when they return.
watchSession(() => {
  if (sessionState() !== 'signedOut') return;
  for (const [key, entry] of entries) if (keepEntry(entry)) entries.delete(key);
  announce();
});

const readKeptDraft = (place: DraftPlace): Draft<unknown> | undefined => {
  const text = keptDrafts.read(place);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as Draft<unknown>;
  } catch {
    return undefined;
  }
};

const keyOf = ({ by, name }: DraftPlace): string => JSON.stringify([by, name]);

const read = (place: DraftPlace): Draft<unknown> | undefined => {
  const key = keyOf(place);
  if (!entries.has(key)) {
    entries.set(key, { place, draft: readKeptDraft(place) });
    declareChanges();
  }
  return entries.get(key)?.draft;
};

const put = (place: DraftPlace, draft: Draft<unknown> | undefined): void => {
  entries.set(keyOf(place), { place, draft });
  if (draft === undefined) keptDrafts.forget(place);
  announce();
};

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export type DraftHandle<T> = {
  readonly draft: Draft<T> | undefined;
  /** Absent until it is known who types. */
  readonly put: ((draft: Draft<T> | undefined) => void) | undefined;
};

/** The draft of one member of one record, by the person who types it. */
export const useDraft = <T>(name: string): DraftHandle<T> => {
  const by = useMe().data?.id;
  const place = useMemo(() => (by === undefined ? undefined : { by, name }), [by, name]);
  const draft = useSyncExternalStore(subscribe, () => place && read(place)) as Draft<T> | undefined;
  return { draft, put: useMemo(() => place && ((next: Draft<T> | undefined) => put(place, next)), [place]) };
};
