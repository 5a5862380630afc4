import { randomUUID } from 'node:crypto';
import { applyDifference, diffText } from '../model/text-difference.ts';
import type { Graph } from './client.ts';
import { statement } from './statement.ts';
import { formOf, PLAIN_LENGTH, readDifference, readWhole, storeDifference, storeWhole } from './text-form.ts';

/**
 * Long texts about one record, its former states and the events that tell of it, say nearly the same again and again.
 * They are stored as differences from a copy that hangs on the record. When a difference grows too large, a new copy is
 * made; it may itself be a difference from the copy before it, and every so often one is stored in full. No difference
 * is worked out from another text than a copy, so that few steps lead from a stored text to what it says.
 */

/** A copy as it is to be stored. */
export type NewCopy = {
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

type LatestCopy = Pick<NewCopy, 'id' | 'serial' | 'depth' | 'fullLength'>;

const readLatestCopy = statement<{ entityId: string }, LatestCopy>('text/read_latest', {
  params: ['entityId'],
  row: ['id', 'serial', 'depth', 'fullLength'],
});

const readCopy = statement<{ id: string }, { text: string }>('text/read_copy', { params: ['id'], row: ['text'] });

/**
 * A difference up to this length is stored by itself; a larger one is a reason for a new copy. Where a full copy is short,
 * so is this.
 */
const largeDifference = (fullLength: number): number => Math.min(6 * 1024, Math.max(512, fullLength / 16));

/** A copy is a difference from the one before only when it is so much shorter than a full one. */
const WORTHWHILE = 4;

/** So many differences may lead from a full copy to another one. */
const MOST_DEPTH = 8;

/** How many characters of copies are kept in memory. */
const KEPT_CHARACTERS = 16 * 1024 * 1024;

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
      if (texts.has(id) || text.length > KEPT_CHARACTERS) return;
      texts.set(id, text);
      characters += text.length;
      for (const [oldest, old] of texts) {
        if (characters <= KEPT_CHARACTERS) return;
        texts.delete(oldest);
        characters -= old.length;
      }
    },
  };
};

type CopyCache = ReturnType<typeof createCopyCache>;

const caches = new WeakMap<Graph, CopyCache>();

const cacheOf = (graph: Graph): CopyCache => {
  const known = caches.get(graph);
  if (known) return known;
  const cache = createCopyCache();
  caches.set(graph, cache);
  return cache;
};

const damaged = (what: string) => new Error(`a stored text is damaged: ${what}`);

/** What a copy says. Copies before it are read only as far as none of them is known. */
const loadCopy = async (graph: Graph, id: string, most: number): Promise<string> => {
  const cache = cacheOf(graph);
  const known = cache.get(id);
  if (known !== undefined) return known;
  if (most === 0) throw damaged('too many differences lead to it');
  const [copy] = await graph.read(readCopy, { id });
  if (!copy) throw damaged(`its copy ${id} is missing`);
  const text = await unpack(graph, copy.text, most - 1);
  cache.put(id, text);
  return text;
};

const unpack = async (graph: Graph, stored: string, most: number): Promise<string> => {
  const form = formOf(stored);
  if (form.form === 'plain') return stored;
  const text =
    form.form === 'whole'
      ? await readWhole(form.data)
      : await applyDifference(await loadCopy(graph, form.copyId, most), await readDifference(form.data));
  if (text.length !== form.length) throw damaged('it has another length');
  return text;
};

/** What a stored text says. */
export const readStoredText = (graph: Graph, stored: string): Promise<string> => unpack(graph, stored, MOST_DEPTH + 1);

/** Stores the texts about one record, one after the other; `mayCopy` says whether the record will still be there. */
export const createPacking = async (graph: Graph, entityId: string, mayCopy: boolean) => {
  const cache = cacheOf(graph);
  const copies: NewCopy[] = [];
  let latest: LatestCopy | undefined = (await graph.read(readLatestCopy, { entityId }))[0];

  const addCopy = async (text: string, difference: string | undefined): Promise<LatestCopy> => {
    const isPart =
      latest !== undefined &&
      difference !== undefined &&
      latest.depth < MOST_DEPTH &&
      difference.length * WORTHWHILE < latest.fullLength;
    const stored = isPart ? difference : await storeWhole(text);
    const copy: NewCopy = {
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
      difference = await storeDifference(
        text.length,
        id,
        await diffText(await loadCopy(graph, id, MOST_DEPTH + 1), text),
      );
      if (difference.length <= largeDifference(fullLength)) return difference;
    }
    if (!mayCopy) {
      const whole = await storeWhole(text);
      return difference !== undefined && difference.length < whole.length ? difference : whole;
    }
    latest = await addCopy(text, difference);
    return storeDifference(text.length, latest.id, [0, text.length]);
  };

  return { pack, copies: (): readonly NewCopy[] => copies };
};

export const isLong = (text: unknown): text is string => typeof text === 'string' && text.length > PLAIN_LENGTH;
