import { type CatalogAnswer, objectOf, readList, textOf } from '../../catalog-client.ts';
import { type SourceClient, SourceRefusal } from '../source-client.ts';

/** Reads collections of OpenMetadata page by page. */

export type CollectionPage = {
  readonly records: readonly CatalogAnswer[];
  /** Where the next page begins; undefined at the end. */
  readonly after: string | undefined;
  readonly total: number;
};

type ListOptions = {
  readonly pageSize: number;
  readonly fields?: readonly string[];
  readonly after?: string | undefined;
  readonly query?: Readonly<Record<string, string>>;
};

const UNKNOWN_FIELD = /invalid field name:? *([A-Za-z]+)/i;

/** The names of fields that a version does not know are found out once for each collection. */
export type KnownFields = Map<string, readonly string[]>;

/**
 * Reads pages from a cursor on. Older and newer versions know other fields; what one does not know is not asked for again.
 * A collection that the version does not have is empty.
 */
export async function* readCollection(
  source: SourceClient,
  known: KnownFields,
  path: string,
  { pageSize, fields = [], after: start, query = {} }: ListOptions,
): AsyncGenerator<CollectionPage> {
  const key = `${path} ${fields.join()}`;
  for (let after = start; ; ) {
    const asked = known.get(key) ?? fields;
    const answer = await source
      .find(path, { limit: pageSize, fields: asked.join(',') || undefined, ...query, after })
      .catch((failure: unknown) => {
        const unknown =
          failure instanceof SourceRefusal && failure.status === 400 && UNKNOWN_FIELD.exec(failure.message);
        if (!unknown || !asked.includes(unknown[1] ?? '')) throw failure;
        known.set(
          key,
          asked.filter((field) => field !== unknown[1]),
        );
        return 'again' as const;
      });
    if (answer === 'again') continue;
    if (answer === undefined) return;
    const { after: next, total } = objectOf(answer['paging']);
    after = textOf(next) || undefined;
    yield { records: readList(answer['data']), after, total: Number(total ?? 0) };
    if (after === undefined) return;
  }
}

/** How many records a collection has; none where the version does not have it or the token may not see it. */
export const countCollection = async (
  source: SourceClient,
  path: string,
  query: Readonly<Record<string, string>> = {},
): Promise<number> => {
  try {
    const answer = await source.find(path, { limit: 0, ...query });
    return Number(objectOf(answer?.['paging'])['total'] ?? 0);
  } catch (failure) {
    if (failure instanceof SourceRefusal && [400, 403, 405].includes(failure.status)) return 0;
    throw failure;
  }
};
