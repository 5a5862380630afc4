import type { Engine } from '../catalog/engine.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { requireKind } from '../catalog/registry.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { CONTRACT, findContractOf } from './hooks.ts';
import { listDataProducts } from './queries.ts';

/**
 * What holds for a record: its own contract, and what it takes over from that of its data product. A record of several
 * products takes over nothing, as these could contradict each other.
 */
export type EffectiveContracts = {
  /** The record's own contract, where it has one. */
  readonly own: Snapshot | undefined;
  /** That of its one product, where it is in force. */
  readonly product: Snapshot | undefined;
};

/** The contract of the one data product of a record, if that has one in force. */
const findProductContract = async (
  engine: Engine,
  entityId: string,
  fields: ReadonlySet<string>,
): Promise<Snapshot | undefined> => {
  const rows = await engine.graph.read(listDataProducts, { id: entityId });
  const contracts = rows.flatMap(({ contractId }) => (contractId === null ? [] : [contractId]));
  const [id] = contracts;
  if (rows.length !== 1 || id === undefined) return undefined;
  const record = await engine.store.record(requireKind(engine.registry, CONTRACT), { id }, fields);
  return record?.deleted ? undefined : record;
};

export const findEffectiveContracts = async (
  engine: Engine,
  entityId: string,
  fields: ReadonlySet<string>,
): Promise<EffectiveContracts> => {
  const [own, product] = await Promise.all([
    findContractOf(engine, entityId, fields),
    findProductContract(engine, entityId, fields),
  ]);
  return { own: own?.deleted ? undefined : own, product };
};

const markInherited = (value: Json): Json => ({ ...(value as JsonObject), inherited: true });

const semanticRulesOf = (contract: JsonObject | undefined): readonly JsonObject[] =>
  (contract?.['semantics'] ?? []) as readonly JsonObject[];

const INHERITED_MEMBERS = ['termsOfUse', 'security', 'sla'] as const;

/** What of a product's contract holds for its records is not what it promises of the product itself. */
const PRODUCT_ONLY_MEMBERS: ReadonlySet<string> = new Set([
  'qualityExpectations',
  'schema',
  'testSuite',
  'latestResult',
  'status',
]);

/** A contract that holds for a record although it is about its product. */
const inheritWholeContract = (product: JsonObject, entity: JsonObject, isStatusAsked: boolean): JsonObject => {
  const kept = Object.fromEntries(Object.entries(product).filter(([name]) => !PRODUCT_ONLY_MEMBERS.has(name)));
  const shared = Object.fromEntries(
    INHERITED_MEMBERS.flatMap((name) => (product[name] === undefined ? [] : [[name, markInherited(product[name])]])),
  );
  const rules = semanticRulesOf(product);
  return {
    ...kept,
    ...shared,
    ...(rules.length > 0 ? { semantics: rules.map((rule) => markInherited(rule)) } : {}),
    entity,
    entityStatus: 'Draft',
    ...(isStatusAsked ? { status: 'Draft' } : {}),
    inherited: true,
  } as JsonObject;
};

/** What a record takes over from the contract of its product beside a contract of its own. */
export const selectInheritedParts = (own: JsonObject, product: JsonObject): JsonObject => {
  const shared = Object.fromEntries(
    INHERITED_MEMBERS.flatMap((name) =>
      own[name] === undefined && product[name] !== undefined ? [[name, markInherited(product[name])]] : [],
    ),
  );
  const names = new Set(semanticRulesOf(own).map(({ name }) => name));
  const taken = semanticRulesOf(product).filter(({ name }) => !names.has(name));
  return { ...shared, semantics: taken.map((rule) => markInherited(rule)) } as JsonObject;
};

const mergeInheritedParts = (own: JsonObject, product: JsonObject): JsonObject => {
  const taken = selectInheritedParts(own, product);
  const rules = [...semanticRulesOf(taken), ...semanticRulesOf(own)];
  const { semantics: _own, ...others } = { ...own, ...taken };
  return { ...others, ...(rules.length > 0 ? { semantics: rules } : {}) } as JsonObject;
};

/**
 * The contract that holds for a record, out of what its own and its product's look like to a reader; undefined when there
 * is neither.
 */
export const buildEffectiveContract = (
  own: JsonObject | undefined,
  product: JsonObject | undefined,
  entity: JsonObject,
  isStatusAsked = false,
): JsonObject | undefined => {
  if (!product) return own;
  return own ? mergeInheritedParts(own, product) : inheritWholeContract(product, entity, isStatusAsked);
};
