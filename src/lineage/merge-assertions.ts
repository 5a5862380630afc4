import type { Assertion, AssertionContent, ColumnMapping, MergedEdge } from './edge.ts';

/** Names contain no control characters, so names joined with this separator stay unambiguous. */
const SEPARATOR = '\u0001';

/** Builds the key that identifies a mapping within an edge. */
export const mappingKey = ({ from, to, function: made }: ColumnMapping): string =>
  [to, made ?? '', ...from].join(SEPARATOR);

const uniteMappings = (assertions: readonly Assertion[]): readonly ColumnMapping[] => {
  const all = assertions.flatMap(({ content }) => content.mappings);
  if (assertions.length === 1) return all;
  return [...new Map(all.map((mapping) => [mappingKey(mapping), mapping])).values()];
};

const byOrder = (a: Assertion, b: Assertion): number => a.order - b.order;

type ScalarField = 'sqlQuery' | 'pipelineId' | 'tempLineageTables' | 'observed';

/** Returns the value from the newest assertion that has one. */
const newestValue = <T extends ScalarField>(newestFirst: readonly Assertion[], name: T): Pick<AssertionContent, T> => {
  const found = newestFirst.find(({ content }) => content[name] !== undefined);
  return (found ? { [name]: found.content[name] } : {}) as Pick<AssertionContent, T>;
};

/** Both descriptions come from the same source, each in the place where that source sent it. */
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
 * Merges the assertions of all sources: scalar fields come from the newest assertion that has them, mappings from all.
 * Returns undefined without assertions, because the edge then does not exist.
 */
export const mergeAssertions = (assertions: readonly Assertion[]): MergedEdge | undefined => {
  const oldestFirst = [...assertions].sort(byOrder);
  const newestFirst = [...oldestFirst].reverse();
  const [newest] = newestFirst;
  if (!newest) return undefined;
  const first = oldestFirst.reduce((a, b) => (b.createdAt < a.createdAt ? b : a));
  return {
    source: newest.source,
    ...(newest.sourceName === undefined ? {} : { sourceName: newest.sourceName }),
    createdAt: first.createdAt,
    createdBy: first.createdBy,
    updatedAt: newest.updatedAt,
    updatedBy: newest.updatedBy,
    ...newestValue(newestFirst, 'sqlQuery'),
    ...newestDescriptions(newestFirst),
    mappings: uniteMappings(oldestFirst),
    ...newestValue(newestFirst, 'pipelineId'),
    ...newestValue(newestFirst, 'tempLineageTables'),
    ...newestValue(newestFirst, 'observed'),
  };
};

/** A column and a column made from it, named relative to the endpoints. */
export type MappedColumnPair = { readonly from: string; readonly to: string };

/** Returns the distinct column pairs of some mappings, by a key that identifies the pair. */
export const columnPairsOf = (mappings: readonly ColumnMapping[]): ReadonlyMap<string, MappedColumnPair> =>
  new Map(
    mappings.flatMap(({ from: all, to }) => all.map((from) => [`${from}${SEPARATOR}${to}`, { from, to }] as const)),
  );
