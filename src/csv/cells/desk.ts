import type { Principal } from '../../access/principal.ts';
import { resolveLabels, resolveOwners, resolvePointer } from '../../catalog/desire/resolve.ts';
import type { Engine } from '../../catalog/engine.ts';
import type { LabelNode } from '../../catalog/queries.ts';
import { CatalogError } from '../../errors.ts';
import { isArray, isObject, type Json, type JsonObject, member } from '../../model/json.ts';
import { type Kind, lookupFqn } from '../../model/kind.ts';
import type { Properties } from './extension.ts';
import type { NamedOwner } from './owners.ts';

/** What cells name, found in the catalog. Files name the same few records over and over, so what was found is kept. */

type Found = { readonly id: string; readonly type: string };

/** What the cells of one export or import are written and read with. */
export type CellDesk = {
  readonly now: () => number;
  /** The custom properties of a kind. */
  readonly properties: (kind: Kind) => Promise<Properties>;
  /** Owners as a document has them. Throws for one that is not there, and for those that cannot own together. */
  readonly owners: (named: readonly NamedOwner[]) => Promise<readonly JsonObject[]>;
  readonly domains: (names: readonly string[]) => Promise<readonly JsonObject[]>;
  /** Throws when there is no such tag or term, or when it is not for use any more. */
  readonly label: (source: string, tagFQN: string) => Promise<void>;
  /** Throws when labels contradict each other. */
  readonly fitTogether: (labels: readonly JsonObject[]) => Promise<void>;
  /**
   * The value of a custom property, with every record that it names found. Of records that there would be by now, had the
   * rows before been applied, nothing can be said yet: undefined when a value names no other.
   */
  readonly withReferences: (value: Json) => Promise<Json | undefined>;
};

type Shop = {
  readonly engine: Engine;
  readonly principal: Principal;
  /** Whether there would be a record by now, had the rows before been applied. */
  readonly wouldExist?: (type: string, fqn: string) => boolean;
};

/** So many answers are kept; when there are more, keeping begins anew. */
const MOST_KEPT = 10_000;

/** Keeps what was found. What was not may be there for the next row. */
const kept = <T>() => {
  const answers = new Map<string, Promise<T>>();
  return (key: string, find: () => Promise<T>): Promise<T> => {
    const known = answers.get(key);
    if (known) return known;
    if (answers.size >= MOST_KEPT) answers.clear();
    const answer = find();
    answers.set(key, answer);
    answer.catch(() => answers.delete(key));
    return answer;
  };
};

const refs = (nodes: readonly { readonly id: string; readonly entityType: string }[]): Found[] =>
  nodes.map(({ id, entityType }) => ({ id, type: entityType }));

/** A record that a custom value names; undefined for one that this very file would bring. */
const findNamed = async ({ engine, wouldExist }: Shop, ref: JsonObject): Promise<JsonObject | undefined> => {
  const [type, fqn] = [String(ref['type']), String(ref['fullyQualifiedName'])];
  try {
    const { id } = await resolvePointer(engine, { type, fqn }, [type]);
    return { id, type };
  } catch (failure) {
    const kind = engine.registry.byType.get(type);
    const isMissing = failure instanceof CatalogError && failure.code === 'not_found';
    if (isMissing && kind && wouldExist?.(type, lookupFqn(kind, fqn))) return undefined;
    throw failure;
  }
};

const isNamed = (value: Json): value is JsonObject =>
  isObject(value) &&
  typeof member(value, 'type') === 'string' &&
  typeof member(value, 'fullyQualifiedName') === 'string';

/** The desk of one export or import. */
export const cellDesk = (shop: Shop): CellDesk => {
  const { engine, principal } = shop;
  const labelling = { by: principal.name, at: engine.clock() };
  const keptProperties = kept<Properties>();
  const keptOwners = kept<readonly JsonObject[]>();
  const keptDomains = kept<JsonObject>();
  const keptLabels = kept<void>();
  const keptNamed = kept<JsonObject | undefined>();
  const named = (ref: JsonObject) =>
    keptNamed(`${ref['type']} ${ref['fullyQualifiedName']}`, () => findNamed(shop, ref));
  return {
    now: engine.clock,
    properties: (kind) => keptProperties(kind.entityType, () => engine.store.definitions(kind)),
    owners: (given) => keptOwners(JSON.stringify(given), async () => refs(await resolveOwners(engine, given))),
    domains: (names) =>
      Promise.all(
        names.map((fqn) =>
          keptDomains(fqn, async () => {
            const { id } = await resolvePointer(engine, { type: 'domain', fqn }, ['domain']);
            return { id, type: 'domain' };
          }),
        ),
      ),
    label: (source, tagFQN) =>
      keptLabels(`${source} ${tagFQN}`, async () => {
        await resolveLabels(engine, [{ tagFQN, source }], [], labelling);
      }),
    fitTogether: async (labels) => {
      const known = labels as unknown as readonly LabelNode[];
      await resolveLabels(
        engine,
        known.map(({ tagFQN, source }) => ({ tagFQN, source })),
        known,
        labelling,
      );
    },
    withReferences: async (value) => {
      if (isNamed(value)) return named(value);
      if (!isArray(value)) return value;
      const items = await Promise.all(value.map((item) => (isNamed(item) ? named(item) : item)));
      const found = items.filter((item) => item !== undefined);
      return items.length > 0 && found.length === 0 ? undefined : found;
    },
  };
};
