import type { Kind } from '../../model/kind.ts';
import type { Typesense } from './client.ts';
import { aliasOf, type Physical, readPhysical, schemaHash } from './schema.ts';

/** Which collections a server has for this catalog, and what each is for. */

export type Holding = Physical & { readonly name: string; readonly documents: number };

export type Survey = {
  /** The collection that answers for a kind: the alias is pointed at it, and it has the fields that it should have. */
  readonly serving: ReadonlyMap<Kind, Holding>;
  /** Collections that are being filled for a kind, made later than the one that serves. */
  readonly filling: ReadonlyMap<Kind, readonly Holding[]>;
  /** Collections of this catalog that no alias is pointed at. */
  readonly unused: readonly Holding[];
  /** Names that an alias should have and a collection has. */
  readonly clashes: ReadonlySet<string>;
};

export const surveyOf = async (typesense: Typesense, prefix: string, kinds: readonly Kind[]): Promise<Survey> => {
  const [collections, aliases] = await Promise.all([typesense.collections(), typesense.aliases()]);
  const holdings = collections.flatMap(({ name, documents }): Holding[] => {
    const physical = readPhysical(prefix, name);
    return physical ? [{ ...physical, name, documents }] : [];
  });
  const pointed = new Map(aliases.map(({ name, collection }) => [name, collection]));
  const serving = new Map<Kind, Holding>();
  const filling = new Map<Kind, readonly Holding[]>();
  for (const kind of kinds) {
    const alias = aliasOf(prefix, kind);
    const own = holdings.filter((one) => one.alias === alias && one.hash === schemaHash(kind));
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
    clashes: new Set(kinds.map((kind) => aliasOf(prefix, kind)).filter((alias) => names.has(alias))),
  };
};

/** All collections that must hear of a change to a record of the kind. */
export const targetsFor = ({ serving, filling }: Survey, kind: Kind): readonly string[] =>
  [serving.get(kind), ...(filling.get(kind) ?? [])].flatMap((one) => one?.name ?? []);
