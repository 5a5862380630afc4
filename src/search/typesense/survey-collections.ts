import type { Kind } from '../../model/kind/kind.ts';
import type { TypesenseClient } from './client.ts';
import {
  type CollectionName,
  collectionAliasOf,
  collectionSchemaHash,
  parseCollectionName,
} from './collection-schema.ts';

/** Finds the collections of this catalog on a server, and their roles. */

export type CollectionState = CollectionName & { readonly name: string; readonly documents: number };

export type CollectionSurvey = {
  /** The serving collection of each kind: the alias points to it, and it has the current fields. */
  readonly serving: ReadonlyMap<Kind, CollectionState>;
  /** The collections being filled for each kind, newer than the serving one. */
  readonly filling: ReadonlyMap<Kind, readonly CollectionState[]>;
  /** The collections of this catalog without an alias. */
  readonly unused: readonly CollectionState[];
  /** Alias names that a collection already has. */
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

/** All collections that must receive a change to a record of the kind. */
export const collectionsToFeed = ({ serving, filling }: CollectionSurvey, kind: Kind): readonly string[] =>
  [serving.get(kind), ...(filling.get(kind) ?? [])].flatMap((one) => one?.name ?? []);
