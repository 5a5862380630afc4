import { type Kind, perKind } from '../../model/kind.ts';
import { fieldsOf, mostTypos, weightsOf } from '../fields.ts';
import { wordsIn } from '../filter/leaves.ts';
import { typosOf } from '../filter/match.ts';
import { typosFor } from '../filter/near.ts';
import { foldPattern, type Pattern } from '../filter/pattern.ts';
import type { Filter } from '../filter/tree.ts';
import { fold, type Word } from '../tokens.ts';

/** What the free text of a query looks for in each text of documents. */

type Near = { readonly token: string; readonly most: number };

/** Tokens that must stand one after another, by the first of them. */
type Rows = Map<string, (readonly string[])[]>;

export type Sought = {
  readonly exact: Set<string>;
  readonly near: Near[];
  /** Beginnings of words. */
  readonly begun: Set<string>;
  readonly patterns: Pattern[];
  /** Phrases part by part, and by words without their separators. */
  readonly rows: { readonly parts: Rows; readonly joined: Rows };
  /** Phrases whose words may be out of order. */
  readonly scattered: { readonly words: readonly Word[]; readonly slop: number }[];
};

/** A text of documents that readers are shown, and how many typing mistakes are forgiven in it. */
export type ShownText = { readonly name: string; readonly path: readonly string[]; readonly typos: 0 | 1 | 2 };

/** The texts in which words are looked for, but for the list of names: it only repeats what is shown elsewhere. */
const shownTexts = perKind((kind): readonly ShownText[] => {
  const fields = fieldsOf(kind);
  return [...weightsOf(kind).keys()].flatMap((name) => {
    const field = fields(name);
    if (field?.class !== 'text' || name === `${kind.search.lists}Fuzzy`) return [];
    return [{ name, path: field.path, typos: mostTypos(field, name) }];
  });
});

type FreeText = Extract<Filter, { is: 'simple' | 'words' | 'phrase' | 'wildcard' | 'fuzzy' | 'prefix' }>;

/** The conditions on words; what must not be there is not looked for. */
const freeTexts = (filter: Filter): readonly FreeText[] => {
  switch (filter.is) {
    case 'every':
    case 'some':
      return filter.of.flatMap(freeTexts);
    case 'boosted':
    case 'nested':
      return freeTexts(filter.of);
    case 'simple':
    case 'words':
    case 'phrase':
    case 'wildcard':
    case 'fuzzy':
    case 'prefix':
      return [filter];
    default:
      return [];
  }
};

const emptySought = (): Sought => ({
  exact: new Set(),
  near: [],
  begun: new Set(),
  patterns: [],
  rows: { parts: new Map(), joined: new Map() },
  scattered: [],
});

const addToken = ({ exact, near }: Sought, token: string, most: number): void => {
  exact.add(token);
  if (most > 0) near.push({ token, most });
};

const addRow = (rows: Rows, row: readonly string[]): void => {
  const [first] = row;
  if (first === undefined) return;
  const alike = rows.get(first) ?? [];
  rows.set(first, alike);
  alike.push(row);
};

const addWords = (sought: Sought, words: readonly Word[], typos: (token: string) => number): void => {
  const tokens = new Set(words.flatMap(({ joined, parts }) => [joined, ...parts]));
  for (const token of tokens) addToken(sought, token, typos(token));
};

/** The last word may be one that is still being typed. */
const addSimple = (sought: Sought, words: readonly Word[], most: number): void => {
  addWords(sought, words, (token) => Math.min(most, typosOf(token)));
  const last = words.at(-1);
  for (const token of [last?.joined, last?.parts.at(-1)]) if (token !== undefined) sought.begun.add(token);
};

const addPhrase = (sought: Sought, words: readonly Word[], slop: number): void => {
  const [first] = words;
  // One word of one part is found as a token, and needs no order.
  if (first && words.length === 1 && first.parts.length === 1) {
    sought.exact.add(first.joined);
    return;
  }
  addRow(
    sought.rows.parts,
    words.flatMap(({ parts }) => parts),
  );
  addRow(
    sought.rows.joined,
    words.map(({ joined }) => joined),
  );
  if (slop > 0) sought.scattered.push({ words, slop });
};

const hasLiteral = (pattern: Pattern): boolean => pattern.some((piece) => typeof piece === 'object');

const add = (sought: Sought, leaf: FreeText, typos: number): void => {
  switch (leaf.is) {
    case 'simple':
      addSimple(sought, wordsIn(leaf), typos);
      break;
    case 'words':
      addWords(sought, wordsIn(leaf), (token) => typosFor(token, leaf.typos));
      break;
    case 'phrase':
      addPhrase(sought, wordsIn(leaf), leaf.slop);
      break;
    case 'prefix':
      if (leaf.text !== '') sought.begun.add(fold(leaf.text));
      break;
    case 'wildcard':
      // What fits any word says nothing about those that it is found in.
      if (hasLiteral(leaf.pattern)) sought.patterns.push(foldPattern(leaf.pattern));
      break;
    case 'fuzzy':
      addToken(sought, fold(leaf.text), typosFor(leaf.text, leaf.typos));
  }
};

/** Whether a condition looks into this text: because it looks into all, or because it names it. */
const looksInto = (leaf: FreeText, { path }: ShownText, fields: ReturnType<typeof fieldsOf>): boolean => {
  if (leaf.is === 'simple' || leaf.field === undefined) return true;
  const field = fields(leaf.field);
  return field?.class === 'text' && field.path.join('.') === path.join('.');
};

export type SoughtIn = ShownText & { readonly sought: Sought };

/** What a filter looks for in some texts of documents of a kind. */
export const soughtAmong = (kind: Kind, filter: Filter, texts: readonly ShownText[]): readonly SoughtIn[] => {
  const leaves = freeTexts(filter);
  const fields = fieldsOf(kind);
  return texts.flatMap((shown) => {
    const looking = leaves.filter((leaf) => looksInto(leaf, shown, fields));
    if (looking.length === 0) return [];
    const sought = emptySought();
    for (const leaf of looking) add(sought, leaf, shown.typos);
    return [{ ...shown, sought }];
  });
};

const made = new WeakMap<Filter, Map<Kind, readonly SoughtIn[]>>();

/** What a filter looks for in the texts of documents of a kind; the same for every document. */
export const soughtIn = (kind: Kind, filter: Filter): readonly SoughtIn[] => {
  const perFilter = made.get(filter) ?? new Map<Kind, readonly SoughtIn[]>();
  made.set(filter, perFilter);
  const known = perFilter.get(kind) ?? soughtAmong(kind, filter, shownTexts(kind));
  perFilter.set(kind, known);
  return known;
};
