import type { Json, JsonObject } from '../../src/model/json.ts';
import { column, feed, type Made, mapping, type World } from '../lineage/fixture.ts';
import { ok } from '../support/expect.ts';
import { type Client, uniqueName } from '../support/service.ts';

/** Helpers for tests of labels along columns. */

/** A classification with the tags `Secret`, `Open` and `Other`. */
export const makeClassification = async ({ make }: World, more: JsonObject = {}): Promise<string> => {
  const classification = uniqueName('Kind');
  await make('classifications', { name: classification, description: 'Kinds.', ...more });
  for (const name of ['Secret', 'Open', 'Other']) await make('tags', { name, classification, description: name });
  return classification;
};

export const labelled = (name: string, ...tags: readonly string[]): JsonObject =>
  column(name, { tags: tags.map((tagFQN) => ({ tagFQN, source: 'Classification' })) });

export const fqnOf = ({ fullyQualifiedName }: Pick<Made, 'fullyQualifiedName'>, name: string): string =>
  `${fullyQualifiedName}.${name}`;

/** The ends of an edge, its pairs of columns, and more of its details. */
export type LabelEdge = readonly [
  from: Made,
  to: Made,
  pairs: readonly (readonly [from: string, to: string, function_?: string])[],
  details?: JsonObject,
];

export const mapColumns = async (client: Client, ...[from, to, pairs, details = {}]: LabelEdge): Promise<void> => {
  const columnsLineage = pairs.map(([one, other, how]) =>
    mapping(from, [one], to, other, how === undefined ? {} : { function: how }),
  );
  ok(await feed(client, from, to, { ...details, columnsLineage: columnsLineage as unknown as Json }));
};
