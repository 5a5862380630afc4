import type { Assertion, Content, Mapping, Merged } from './edge.ts';

/** No name holds a control character, so joined names are unambiguous. */
const SEPARATOR = '\u0001';

/** What tells a mapping from all others of an edge. */
export const mappingKey = ({ from, to, function: made }: Mapping): string => [to, made ?? '', ...from].join(SEPARATOR);

const unionOf = (assertions: readonly Assertion[]): readonly Mapping[] => {
  const all = assertions.flatMap(({ content }) => content.mappings);
  if (assertions.length === 1) return all;
  return [...new Map(all.map((mapping) => [mappingKey(mapping), mapping])).values()];
};

const byOrder = (a: Assertion, b: Assertion): number => a.order - b.order;

type Told = 'sqlQuery' | 'pipelineId' | 'tempLineageTables';

/** What the newest of those who say something of it says. */
const newestWord = <T extends Told>(newestFirst: readonly Assertion[], name: T): Pick<Content, T> => {
  const found = newestFirst.find(({ content }) => content[name] !== undefined);
  return (found ? { [name]: found.content[name] } : {}) as Pick<Content, T>;
};

/** Both descriptions are those of one source, each where it was sent. */
const descriptionsOf = (newestFirst: readonly Assertion[]): Pick<Content, 'description' | 'edgeDescription'> => {
  const { description, edgeDescription } =
    newestFirst.find(({ content }) => content.description !== undefined || content.edgeDescription !== undefined)
      ?.content ?? {};
  return {
    ...(description === undefined ? {} : { description }),
    ...(edgeDescription === undefined ? {} : { edgeDescription }),
  };
};

/**
 * What an edge is shown as: single words are those of whoever said something of them last, columns those of all. Undefined
 * when nobody says anything, and there is no edge.
 */
export const merge = (assertions: readonly Assertion[]): Merged | undefined => {
  const oldestFirst = [...assertions].sort(byOrder);
  const newestFirst = [...oldestFirst].reverse();
  const [newest] = newestFirst;
  if (!newest) return undefined;
  const first = oldestFirst.reduce((a, b) => (b.createdAt < a.createdAt ? b : a));
  return {
    source: newest.source,
    createdAt: first.createdAt,
    createdBy: first.createdBy,
    updatedAt: newest.updatedAt,
    updatedBy: newest.updatedBy,
    ...newestWord(newestFirst, 'sqlQuery'),
    ...descriptionsOf(newestFirst),
    mappings: unionOf(oldestFirst),
    ...newestWord(newestFirst, 'pipelineId'),
    ...newestWord(newestFirst, 'tempLineageTables'),
  };
};

/** A column and one that is made from it, by their names below the two ends. */
export type Pair = { readonly from: string; readonly to: string };

/** The pairs of columns that some mappings join, each once, by a text that tells it from all others. */
export const pairsOf = (mappings: readonly Mapping[]): ReadonlyMap<string, Pair> =>
  new Map(
    mappings.flatMap(({ from: all, to }) => all.map((from) => [`${from}${SEPARATOR}${to}`, { from, to }] as const)),
  );
