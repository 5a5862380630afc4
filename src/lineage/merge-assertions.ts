import type { Assertion, AssertionContent, ColumnMapping, MergedEdge } from './edge.ts';

/** No name holds a control character, so joined names are unambiguous. */
const SEPARATOR = '\u0001';

/** What tells a mapping from all others of an edge. */
export const mappingKey = ({ from, to, function: made }: ColumnMapping): string =>
  [to, made ?? '', ...from].join(SEPARATOR);

const uniteMappings = (assertions: readonly Assertion[]): readonly ColumnMapping[] => {
  const all = assertions.flatMap(({ content }) => content.mappings);
  if (assertions.length === 1) return all;
  return [...new Map(all.map((mapping) => [mappingKey(mapping), mapping])).values()];
};

const byOrder = (a: Assertion, b: Assertion): number => a.order - b.order;

type ScalarField = 'sqlQuery' | 'pipelineId' | 'tempLineageTables';

/** What the newest of those who say something of it says. */
const newestValue = <T extends ScalarField>(newestFirst: readonly Assertion[], name: T): Pick<AssertionContent, T> => {
  const found = newestFirst.find(({ content }) => content[name] !== undefined);
  return (found ? { [name]: found.content[name] } : {}) as Pick<AssertionContent, T>;
};

/** Both descriptions are those of one source, each where it was sent. */
const newestDescriptions = (
  newestFirst: readonly Assertion[],
): Pick<AssertionContent, 'description' | 'edgeDescription'> => {
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
export const mergeAssertions = (assertions: readonly Assertion[]): MergedEdge | undefined => {
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
    ...newestValue(newestFirst, 'sqlQuery'),
    ...newestDescriptions(newestFirst),
    mappings: uniteMappings(oldestFirst),
    ...newestValue(newestFirst, 'pipelineId'),
    ...newestValue(newestFirst, 'tempLineageTables'),
  };
};

/** A column and one that is made from it, by their names below the two ends. */
export type MappedColumnPair = { readonly from: string; readonly to: string };

/** The pairs of columns that some mappings join, each once, by a text that tells it from all others. */
export const columnPairsOf = (mappings: readonly ColumnMapping[]): ReadonlyMap<string, MappedColumnPair> =>
  new Map(
    mappings.flatMap(({ from: all, to }) => all.map((from) => [`${from}${SEPARATOR}${to}`, { from, to }] as const)),
  );
