import type { Kind } from '../../model/kind/kind.ts';
import type { TypesenseClient } from './client.ts';
import {
  type CollectionName,
  collectionAliasOf,
  collectionSchemaHash,
  parseCollectionName,
} from './collection-schema.ts';

/** Which collections a server has for this catalog, and what each is for. */

export type CollectionState = CollectionName & { readonly name: string; readonly documents: number };

export type CollectionSurvey = {
  /** The collection that answers for a kind: the alias is pointed at it, and it has the fields that it should have. */
  readonly serving: ReadonlyMap<Kind, CollectionState>;
  /** Collections that are being filled for a kind, made later than the one that serves. */
  readonly filling: ReadonlyMap<Kind, readonly CollectionState[]>;
  /** Collections of this catalog that no alias is pointed at. */
  readonly unused: readonly CollectionState[];
  /** Names that an alias should have and a collection has. */
  readonly clashes: ReadonlySet<string>;
};

export const surveyCollections = async (
  typesense: TypesenseClient,
  prefix: string,
  kinds: readonly Kind[],
): Promise<CollectionSurvey> => {
  const [collections, aliases] = await Promise.all([typesense.collections(), typesense.aliases()]);
  const holdings = collections.flatMap(({ name, documents }): CollectionState[] => {
    const physical = parseCollectionName(prefix, name);
    return physical ? [{ ...physical, name, documents }] : [];
  });
  const pointed = new Map(aliases.map(({ name, collection }) => [name, collection]));
  const serving = new Map<Kind, CollectionState>();
  const filling = new Map<Kind, readonly CollectionState[]>();
  for (const kind of kinds) {
    const alias = collectionAliasOf(prefix, kind);
    const own = holdings.filter((one) => one.alias === alias && one.hash === collectionSchemaHash(kind));
    const current = own.find(({ name }) => name === pointed.get(alias));
    if (current) serving.set(kind, current);
    const later = own.filter((one) => one !== current && one.made > (current?.made ?? 0));
    if (later.length > 0) filling.set(kind, later);
  }
  const used = new Set(pointed.values());
  const names = new Set(collections.map(({ name }) => name));
  return {
    serving,
    filling,
    unused: holdings.filter(({ name }) => !used.has(name)),
    clashes: new Set(kinds.map((kind) => collectionAliasOf(prefix, kind)).filter((alias) => names.has(alias))),
  };
};

/** All collections that must hear of a change to a record of the kind. */
export const collectionsToFeed = ({ serving, filling }: CollectionSurvey, kind: Kind): readonly string[] =>
  [serving.get(kind), ...(filling.get(kind) ?? [])].flatMap((one) => one?.name ?? []);
