import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
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
 * Long texts about one record (its former versions and its change events) repeat most of their content. They are stored
 * as differences from a copy that belongs to the record. When a difference grows too large, a new copy is created. A
 * copy may itself be a difference from the previous one, and every so often one is stored in full. A difference is
 * always taken from a copy, so that few steps restore a text.
 */

/** A copy to be stored. */
export type NewTextCopy = {
  readonly id: string;
  readonly entityId: string;
  /** The number of the copy within its record. Newer copies have higher numbers. */
  readonly serial: number;
  /** How many differences lead from a full copy to this one. */
  readonly depth: number;
  /** The id of the copy that this one is a difference from. */
  readonly baseId: string | null;
  /** The stored length of the last full copy. */
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
 * The maximum length of a difference. A larger one causes a new copy. The limit is lower where the full copy is short.
 */
const maxDifferenceLength = (fullLength: number): number => Math.min(6 * 1024, Math.max(512, fullLength / 16));

/** A copy is stored as a difference only if that is this many times shorter than a full copy. */
const MIN_SAVING_FACTOR = 4;

/** The maximum number of differences between a full copy and another one. */
const MAX_COPY_DEPTH = 8;

/** The maximum size of the cache of copies, in characters. */
const MAX_CACHED_CHARACTERS = 16 * 1024 * 1024;

/** Caches the texts of recently used copies, up to the maximum size. An empty text counts as one character. */
const createCopyCache = () =>
  new LRUCache<string, string>({ maxSize: MAX_CACHED_CHARACTERS, sizeCalculation: (text) => text.length || 1 });

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

/** Loads the text of a copy. Reads earlier copies only back to one that is cached. */
const loadCopy = async (graph: Graph, id: string, most: number): Promise<string> => {
  const cache = copyCacheOf(graph);
  const known = cache.get(id);
  if (known !== undefined) return known;
  if (most === 0) throw damagedTextError('too many differences lead to it');
  const [copy] = await graph.read(readCopy, { id });
  if (!copy) throw damagedTextError(`its copy ${id} is missing`);
  const text = await unpackStoredText(graph, copy.text, most - 1);
  cache.set(id, text);
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

/** Restores the text of a stored form. */
export const readStoredText = (graph: Graph, stored: string): Promise<string> =>
  unpackStoredText(graph, stored, MAX_COPY_DEPTH + 1);

/** Stores the texts about one record, one after the other. `canCopy` says whether the record will still exist. */
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
    cache.set(copy.id, text);
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
