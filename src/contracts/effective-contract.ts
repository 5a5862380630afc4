import type { Engine } from '../catalog/engine.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { requireKind } from '../catalog/registry.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { CONTRACT, findContractOf } from './hooks.ts';
import { listDataProducts } from './queries.ts';

/**
 * The contracts that apply to a record: its own and the one inherited from its data product. A record with several
 * data products inherits nothing, since their contracts could contradict each other.
 */
export type EffectiveContracts = {
  /** The record's own contract, if it has one. */
  readonly own: Snapshot | undefined;
  /** The contract of its only data product, if that contract is in force. */
  readonly product: Snapshot | undefined;
};

/** Finds the contract of the record's only data product, if that contract is in force. */
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

/** Members of a data product's contract that describe the product itself and are not inherited by its records. */
const PRODUCT_ONLY_MEMBERS: ReadonlySet<string> = new Set([
  'qualityExpectations',
  'schema',
  'testSuite',
  'latestResult',
  'status',
]);

/** Builds the contract of a record that has none of its own from the contract of its data product. */
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

/** Selects the members that a record inherits from its data product's contract because its own contract lacks them. */
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
 * Builds the effective contract of a record from the redacted views of its own and its data product's contract.
 * Returns undefined when it has neither.
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
