import type { Engine } from '../catalog/engine.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { kindNamed } from '../catalog/registry.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { listProducts } from './queries.ts';
import { CONTRACT, contractOf } from './steward.ts';

/**
 * What holds for a record: its own contract, and what it takes over from that of its data product. A record of several
 * products takes over nothing, as these could contradict each other.
 */
export type Effective = {
  /** The record's own contract, where it has one. */
  readonly own: Snapshot | undefined;
  /** That of its one product, where it is in force. */
  readonly product: Snapshot | undefined;
};

/** The contract of the one data product of a record, if that has one in force. */
const productContract = async (
  engine: Engine,
  entityId: string,
  fields: ReadonlySet<string>,
): Promise<Snapshot | undefined> => {
  const rows = await engine.graph.read(listProducts, { id: entityId });
  const contracts = rows.flatMap(({ contractId }) => (contractId === null ? [] : [contractId]));
  const [id] = contracts;
  if (rows.length !== 1 || id === undefined) return undefined;
  const record = await engine.store.record(kindNamed(engine.registry, CONTRACT), { id }, fields);
  return record?.deleted ? undefined : record;
};

export const effectiveOf = async (
  engine: Engine,
  entityId: string,
  fields: ReadonlySet<string>,
): Promise<Effective> => {
  const [own, product] = await Promise.all([
    contractOf(engine, entityId, fields),
    productContract(engine, entityId, fields),
  ]);
  return { own: own?.deleted ? undefined : own, product };
};

const marked = (value: Json): Json => ({ ...(value as JsonObject), inherited: true });

const rulesIn = (contract: JsonObject | undefined): readonly JsonObject[] =>
  (contract?.['semantics'] ?? []) as readonly JsonObject[];

const SHARED = ['termsOfUse', 'security', 'sla'] as const;

/** What of a product's contract holds for its records is not what it promises of the product itself. */
const OF_PRODUCT: ReadonlySet<string> = new Set([
  'qualityExpectations',
  'schema',
  'testSuite',
  'latestResult',
  'status',
]);

/** A contract that holds for a record although it is about its product. */
const inheritedBy = (product: JsonObject, entity: JsonObject, isStatusAsked: boolean): JsonObject => {
  const kept = Object.fromEntries(Object.entries(product).filter(([name]) => !OF_PRODUCT.has(name)));
  const shared = Object.fromEntries(
    SHARED.flatMap((name) => (product[name] === undefined ? [] : [[name, marked(product[name])]])),
  );
  const rules = rulesIn(product);
  return {
    ...kept,
    ...shared,
    ...(rules.length > 0 ? { semantics: rules.map((rule) => marked(rule)) } : {}),
    entity,
    entityStatus: 'Draft',
    ...(isStatusAsked ? { status: 'Draft' } : {}),
    inherited: true,
  } as JsonObject;
};

/** What a record takes over from the contract of its product beside a contract of its own. */
export const handedDown = (own: JsonObject, product: JsonObject): JsonObject => {
  const shared = Object.fromEntries(
    SHARED.flatMap((name) =>
      own[name] === undefined && product[name] !== undefined ? [[name, marked(product[name])]] : [],
    ),
  );
  const names = new Set(rulesIn(own).map(({ name }) => name));
  const taken = rulesIn(product).filter(({ name }) => !names.has(name));
  return { ...shared, semantics: taken.map((rule) => marked(rule)) } as JsonObject;
};

const joinedWith = (own: JsonObject, product: JsonObject): JsonObject => {
  const taken = handedDown(own, product);
  const rules = [...rulesIn(taken), ...rulesIn(own)];
  const { semantics: _own, ...others } = { ...own, ...taken };
  return { ...others, ...(rules.length > 0 ? { semantics: rules } : {}) } as JsonObject;
};

/**
 * The contract that holds for a record, out of what its own and its product's look like to a reader; undefined when there
 * is neither.
 */
export const effectiveContract = (
  own: JsonObject | undefined,
  product: JsonObject | undefined,
  entity: JsonObject,
  isStatusAsked = false,
): JsonObject | undefined => {
  if (!product) return own;
  return own ? joinedWith(own, product) : inheritedBy(product, entity, isStatusAsked);
};
