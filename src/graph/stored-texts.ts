import { randomUUID } from 'node:crypto';
import { applyTextDifference, diffText } from '../model/text-difference.ts';
import type { Graph } from './client.ts';
import { statement } from './statement.ts';
import {
  MAX_PLAIN_LENGTH,
  packDifference,
  packWholeText,
  parseStoredText,
  unpackDifference,
  unpackWholeText,
} from './stored-text-format.ts';

/**
 * Long texts about one record, its former states and the events that tell of it, say nearly the same again and again.
 * They are stored as differences from a copy that hangs on the record. When a difference grows too large, a new copy is
 * made; it may itself be a difference from the copy before it, and every so often one is stored in full. No difference
 * is worked out from another text than a copy, so that few steps lead from a stored text to what it says.
 */

/** A copy as it is to be stored. */
export type NewTextCopy = {
  readonly id: string;
  readonly entityId: string;
  /** Copies of one record are numbered, newer ones higher. */
  readonly serial: number;
  /** How many differences lead from a full copy to this one. */
  readonly depth: number;
  /** The copy that this one is a difference from. */
  readonly baseId: string | null;
  /** How long the last full copy is as it is stored. */
  readonly fullLength: number;
  readonly text: string;
};

type LatestTextCopy = Pick<NewTextCopy, 'id' | 'serial' | 'depth' | 'fullLength'>;

const readLatestCopy = statement<{ entityId: string }, LatestTextCopy>('graph/read_latest_text_copy', {
  params: ['entityId'],
  row: ['id', 'serial', 'depth', 'fullLength'],
});

const readCopy = statement<{ id: string }, { text: string }>('graph/read_text_copy', { params: ['id'], row: ['text'] });

/**
 * A difference up to this length is stored by itself; a larger one is a reason for a new copy. Where a full copy is short,
 * so is this.
 */
const maxDifferenceLength = (fullLength: number): number => Math.min(6 * 1024, Math.max(512, fullLength / 16));

/** A copy is a difference from the one before only when it is so much shorter than a full one. */
const MIN_SAVING_FACTOR = 4;

/** So many differences may lead from a full copy to another one. */
const MAX_COPY_DEPTH = 8;

/** How many characters of copies are kept in memory. */
const MAX_CACHED_CHARACTERS = 16 * 1024 * 1024;

/** Copies that were put together lately, as long as they fit. */
const createCopyCache = () => {
  const texts = new Map<string, string>();
  let characters = 0;
  return {
    get: (id: string): string | undefined => {
      const text = texts.get(id);
      if (text !== undefined) {
        texts.delete(id);
        texts.set(id, text);
      }
      return text;
    },
    put: (id: string, text: string): void => {
      if (texts.has(id) || text.length > MAX_CACHED_CHARACTERS) return;
      texts.set(id, text);
      characters += text.length;
      for (const [oldest, old] of texts) {
        if (characters <= MAX_CACHED_CHARACTERS) return;
        texts.delete(oldest);
        characters -= old.length;
      }
    },
  };
};

type CopyCache = ReturnType<typeof createCopyCache>;

const copyCaches = new WeakMap<Graph, CopyCache>();

const copyCacheOf = (graph: Graph): CopyCache => {
  const known = copyCaches.get(graph);
  if (known) return known;
  const cache = createCopyCache();
  copyCaches.set(graph, cache);
  return cache;
};

const damagedTextError = (what: string) => new Error(`a stored text is damaged: ${what}`);

/** What a copy says. Copies before it are read only as far as none of them is known. */
const loadCopy = async (graph: Graph, id: string, most: number): Promise<string> => {
  const cache = copyCacheOf(graph);
  const known = cache.get(id);
  if (known !== undefined) return known;
  if (most === 0) throw damagedTextError('too many differences lead to it');
  const [copy] = await graph.read(readCopy, { id });
  if (!copy) throw damagedTextError(`its copy ${id} is missing`);
  const text = await unpackStoredText(graph, copy.text, most - 1);
  cache.put(id, text);
  return text;
};

const unpackStoredText = async (graph: Graph, stored: string, most: number): Promise<string> => {
  const form = parseStoredText(stored);
  if (form.form === 'plain') return stored;
  const text =
    form.form === 'whole'
      ? await unpackWholeText(form.data)
      : await applyTextDifference(await loadCopy(graph, form.copyId, most), await unpackDifference(form.data));
  if (text.length !== form.length) throw damagedTextError('it has another length');
  return text;
};

/** What a stored text says. */
export const readStoredText = (graph: Graph, stored: string): Promise<string> =>
  unpackStoredText(graph, stored, MAX_COPY_DEPTH + 1);

/** Stores the texts about one record, one after the other; `mayCopy` says whether the record will still be there. */
export const createTextPacker = async (graph: Graph, entityId: string, canCopy: boolean) => {
  const cache = copyCacheOf(graph);
  const copies: NewTextCopy[] = [];
  let latest: LatestTextCopy | undefined = (await graph.read(readLatestCopy, { entityId }))[0];

  const addCopy = async (text: string, difference: string | undefined): Promise<LatestTextCopy> => {
    const isPart =
      latest !== undefined &&
      difference !== undefined &&
      latest.depth < MAX_COPY_DEPTH &&
      difference.length * MIN_SAVING_FACTOR < latest.fullLength;
    const stored = isPart ? difference : await packWholeText(text);
    const copy: NewTextCopy = {
      id: randomUUID(),
      entityId,
      serial: (latest?.serial ?? 0) + 1,
      depth: isPart ? (latest?.depth ?? 0) + 1 : 0,
      baseId: isPart ? (latest?.id ?? null) : null,
      fullLength: isPart ? (latest?.fullLength ?? 0) : stored.length,
      text: stored,
    };
    copies.push(copy);
    cache.put(copy.id, text);
    return copy;
  };

  const pack = async (text: string): Promise<string> => {
    let difference: string | undefined;
    if (latest) {
      const { id, fullLength } = latest;
      difference = await packDifference(
        text.length,
        id,
        await diffText(await loadCopy(graph, id, MAX_COPY_DEPTH + 1), text),
      );
      if (difference.length <= maxDifferenceLength(fullLength)) return difference;
    }
    if (!canCopy) {
      const whole = await packWholeText(text);
      return difference !== undefined && difference.length < whole.length ? difference : whole;
    }
    latest = await addCopy(text, difference);
    return packDifference(text.length, latest.id, [0, text.length]);
  };

  return { pack, copies: (): readonly NewTextCopy[] => copies };
};

export const isLongText = (text: unknown): text is string => typeof text === 'string' && text.length > MAX_PLAIN_LENGTH;
