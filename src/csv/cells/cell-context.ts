import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import type { LabelNode } from '../../catalog/queries.ts';
import { resolveLabels, resolveOwners, resolvePointer } from '../../catalog/resolve/references.ts';
import { CatalogError } from '../../errors.ts';
import { isArray, isObject, type Json, type JsonObject, member } from '../../model/json.ts';
import { type Kind, resolveFqnText } from '../../model/kind/kind.ts';
import type { CustomProperties } from './extension.ts';
import type { NamedOwner } from './owners.ts';

/** Looks up the records that cells name. Files name the same few records repeatedly, so found records are cached. */

type CellReference = { readonly id: string; readonly type: string };

/** The look-ups that the cells of one export or import need. */
export type CellContext = {
  readonly now: () => number;
  /** The custom properties of a kind. */
  readonly properties: (kind: Kind) => Promise<CustomProperties>;
  /** Resolves owners to references. Throws for a missing owner and for owners that may not own a record together. */
  readonly owners: (named: readonly NamedOwner[]) => Promise<readonly JsonObject[]>;
  readonly domains: (names: readonly string[]) => Promise<readonly JsonObject[]>;
  /** Throws when the tag or term does not exist or is disabled. */
  readonly checkLabel: (source: string, tagFQN: string) => Promise<void>;
  /** Throws when labels exclude each other. */
  readonly checkLabelsTogether: (labels: readonly JsonObject[]) => Promise<void>;
  /**
   * Resolves the records that the value of a custom property names. Returns undefined when the value names only
   * records that earlier rows of a dry run would have created.
   */
  readonly resolveReferences: (value: Json) => Promise<Json | undefined>;
};

type CellContextDeps = {
  readonly engine: Engine;
  readonly principal: Principal;
  /** Whether earlier rows of a dry run would have created a record. */
  readonly wouldExist?: (type: string, fqn: string) => boolean;
};

/** The size of the cache; when it is exceeded, the cache is cleared. */
const MAX_CACHED_ANSWERS = 10_000;

/** Caches found records. Missing ones are not cached, because the next row may create them. */
const createLookupCache = <T>() => {
  const answers = new Map<string, Promise<T>>();
  return (key: string, find: () => Promise<T>): Promise<T> => {
    const known = answers.get(key);
    if (known) return known;
    if (answers.size >= MAX_CACHED_ANSWERS) answers.clear();
    const answer = find();
    answers.set(key, answer);
    answer.catch(() => answers.delete(key));
    return answer;
  };
};

const toReferences = (nodes: readonly { readonly id: string; readonly entityType: string }[]): CellReference[] =>
  nodes.map(({ id, entityType }) => ({ id, type: entityType }));

/** Resolves a record that a custom value names; undefined for one that this file would create. */
const resolveNamedRecord = async (
  { engine, wouldExist }: CellContextDeps,
  ref: JsonObject,
): Promise<JsonObject | undefined> => {
  const [type, fqn] = [String(ref['type']), String(ref['fullyQualifiedName'])];
  try {
    const { id } = await resolvePointer(engine, { type, fqn }, [type]);
    return { id, type };
  } catch (failure) {
    const kind = engine.registry.byType.get(type);
    const isMissing = failure instanceof CatalogError && failure.code === 'not_found';
    if (isMissing && kind && wouldExist?.(type, resolveFqnText(kind, fqn))) return undefined;
    throw failure;
  }
};

const isNamedReference = (value: Json): value is JsonObject =>
  isObject(value) &&
  typeof member(value, 'type') === 'string' &&
  typeof member(value, 'fullyQualifiedName') === 'string';

/** Creates the cell context of one export or import. */
export const createCellContext = (deps: CellContextDeps): CellContext => {
  const { engine, principal } = deps;
  const labelling = { by: principal.name, at: engine.clock() };
  const propertyCache = createLookupCache<CustomProperties>();
  const ownerCache = createLookupCache<readonly JsonObject[]>();
  const domainCache = createLookupCache<JsonObject>();
  const labelCache = createLookupCache<void>();
  const namedCache = createLookupCache<JsonObject | undefined>();
  const named = (ref: JsonObject) =>
    namedCache(`${ref['type']} ${ref['fullyQualifiedName']}`, () => resolveNamedRecord(deps, ref));
  return {
    now: engine.clock,
    properties: (kind) => propertyCache(kind.entityType, () => engine.store.customProperties(kind)),
    owners: (given) => ownerCache(JSON.stringify(given), async () => toReferences(await resolveOwners(engine, given))),
    domains: (names) =>
      Promise.all(
        names.map((fqn) =>
          domainCache(fqn, async () => {
            const { id } = await resolvePointer(engine, { type: 'domain', fqn }, ['domain']);
            return { id, type: 'domain' };
          }),
        ),
      ),
    checkLabel: (source, tagFQN) =>
      labelCache(`${source} ${tagFQN}`, async () => {
        await resolveLabels(engine, [{ tagFQN, source }], [], labelling);
      }),
    checkLabelsTogether: async (labels) => {
      const known = labels as unknown as readonly LabelNode[];
      await resolveLabels(
        engine,
        known.map(({ tagFQN, source }) => ({ tagFQN, source })),
        known,
        labelling,
      );
    },
    resolveReferences: async (value) => {
      if (isNamedReference(value)) return named(value);
      if (!isArray(value)) return value;
      const items = await Promise.all(value.map((item) => (isNamedReference(item) ? named(item) : item)));
      const found = items.filter((item) => item !== undefined);
      return items.length > 0 && found.length === 0 ? undefined : found;
    },
  };
};
