import type { Engine } from '../catalog/engine.ts';
import { createView } from '../catalog/read/answer.ts';
import { authorizeRecord } from '../catalog/read/facts.ts';
import { writeFields } from '../catalog/read/fields.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { requireKind } from '../catalog/registry.ts';
import { createRecord } from '../catalog/write/create.ts';
import { putRecord } from '../catalog/write/update.ts';
import { CatalogError, notFound, recordNotFound } from '../errors.ts';
import type { Call } from '../http/route.ts';
import type { JsonObject } from '../model/json.ts';
import type { ContractResult } from '../model/schemas/contracts/contract.ts';
import { entityIdOf, readEffectiveContract, serviceView } from './contract-access.ts';
import { buildAbortedResult, evaluateContract, reevaluateQuality } from './evaluate.ts';
import { CONTRACT, findContractOf } from './hooks.ts';
import { listPendingContracts } from './queries.ts';
import {
  amendNewestResult,
  type ContractResultInput,
  type ContractResultWriter,
  isPendingResult,
  storeContractResult,
} from './results.ts';
import { findSubject } from './subject.ts';

/** Validates contracts and stores the results. */

const ABORT_NOTE = 'Aborted: another validation began before this one came to its end';

/** Aborts a result that still waits for test results, because the next validation begins. */
const abortPendingResult = (sender: ContractResultWriter, id: string): Promise<unknown> =>
  amendNewestResult(sender, id, async (newest) => {
    if (!isPendingResult(newest)) return undefined;
    const { result } = newest as { readonly result?: string };
    return {
      ...newest,
      contractExecutionStatus: 'Aborted',
      result: result === undefined || result === '' ? ABORT_NOTE : `${result}; ${ABORT_NOTE}`,
    };
  });

/** Runs an evaluation and stores its result with the contract. */
const storeEvaluation = async (
  engine: Engine,
  call: Call,
  { id, values }: Snapshot,
  evaluate: () => ContractResultInput | Promise<ContractResultInput>,
): Promise<ContractResult> => {
  const sender = { engine, principal: call.principal };
  const latest = values['latestResult'] as { readonly status: ContractResult['contractExecutionStatus'] } | undefined;
  if (latest && isPendingResult({ contractExecutionStatus: latest.status })) await abortPendingResult(sender, id);
  return storeContractResult(sender, id, await evaluate());
};

const evaluateAndStore = (engine: Engine, call: Call, owner: Snapshot, contract: JsonObject): Promise<ContractResult> =>
  storeEvaluation(engine, call, owner, () =>
    evaluateContract(engine, { contract, entityId: entityIdOf(owner), viewFor: serviceView(engine, call) }),
  );

/** Finds the record of a contract, or returns the error when the record no longer exists. */
const findSubjectOrFailure = async (engine: Engine, contract: Snapshot): Promise<Snapshot | CatalogError> => {
  const [entity] = contract.related['entity'] ?? [];
  try {
    return await findSubject(engine, { id: entityIdOf(contract), type: entity?.entityType ?? '' });
  } catch (failure) {
    if (failure instanceof CatalogError && failure.code === 'not_found') return failure;
    throw failure;
  }
};

/** POST /{id}/validate: validates the effective contract of the record and stores the result with this contract. */
export const validateContract = async (engine: Engine, call: Call, contract: Snapshot): Promise<ContractResult> => {
  const subject = await findSubjectOrFailure(engine, contract);
  if (subject instanceof CatalogError) {
    return storeEvaluation(engine, call, contract, () =>
      buildAbortedResult(subject, { timestamp: engine.clock(), executionTime: 1 }),
    );
  }
  await authorizeRecord(engine, call.principal, ['ViewBasic'], subject);
  const view = createView(engine, call, writeFields(contract.kind));
  const { contract: effective } = await readEffectiveContract(engine, subject, view);
  if (!effective) throw recordNotFound(CONTRACT, contract.id);
  return evaluateAndStore(engine, call, contract, effective);
};

const MAX_NAME_CHARACTERS = 256;

/**
 * Creates an empty contract for a record, so that the validation of what it inherits can be stored. It requires
 * permission to edit the record, not to create contracts. A soft-deleted contract is restored without its content.
 */
const createOwnContract = async (
  engine: Engine,
  call: Call,
  subject: Snapshot,
  product: Snapshot,
): Promise<Snapshot> => {
  const kind = requireKind(engine.registry, CONTRACT);
  const writer = { kind, principal: { ...call.principal, isAdmin: true } };
  const known = await findContractOf(engine, subject.id);
  if (known && !known.deleted) return known;
  const body = {
    name: known?.name ?? [...`${product.name} - ${subject.name}`].slice(0, MAX_NAME_CHARACTERS).join(''),
    entity: { id: subject.id, type: subject.kind.entityType },
    entityStatus: 'Draft',
  };
  if (known) return (await putRecord(engine, writer, body, { overrideMetadata: false })).record;
  try {
    return (await createRecord(engine, writer, body)).record;
  } catch (failure) {
    // A concurrent request created the contract first.
    const other = await findContractOf(engine, subject.id);
    if (!(failure instanceof CatalogError) || !other || other.deleted) throw failure;
    return other;
  }
};

/** POST /entity/validate: validates the effective contract of a record, whether it is its own or inherited. */
export const validateEntityContract = async (
  engine: Engine,
  call: Call,
  subject: Snapshot,
): Promise<ContractResult> => {
  const view = createView(engine, call, writeFields(requireKind(engine.registry, CONTRACT)));
  const { contract, own, product } = await readEffectiveContract(engine, subject, view);
  if (!contract) throw notFound(`Failed to find a data contract for ${subject.fullyQualifiedName}`);
  const ownOrCreated = own ?? (product && (await createOwnContract(engine, call, subject, product)));
  if (!ownOrCreated) throw notFound(`Failed to find a data contract for ${subject.fullyQualifiedName}`);
  return evaluateAndStore(engine, call, ownOrCreated, contract);
};

/** Reads the quality expectations of a contract in the form that evaluation needs. */
const readExpectations = async ({ engine }: ContractResultWriter, id: string): Promise<JsonObject> => {
  const kind = requireKind(engine.registry, CONTRACT);
  const record = await engine.store.record(kind, { id }, writeFields(kind));
  const tests = (record?.related['qualityExpectations'] ?? []).map((node) => ({ id: node.id }));
  return { qualityExpectations: tests };
};

/** Evaluates contracts again whose newest result waits for results of the given tests. */
export const reevaluatePendingContracts = async (
  sender: ContractResultWriter,
  testIds: readonly string[],
): Promise<void> => {
  const rows = await sender.engine.graph.read(listPendingContracts, { ids: testIds });
  for (const { id } of rows) await reevaluatePendingContract(sender, id);
};

/** Evaluates one contract again. A contract that was deleted in the meantime is skipped. */
const reevaluatePendingContract = async (sender: ContractResultWriter, id: string): Promise<void> => {
  try {
    const contract = await readExpectations(sender, id);
    await amendNewestResult(sender, id, async (newest) =>
      isPendingResult(newest) ? reevaluateQuality(sender.engine, contract, newest) : undefined,
    );
  } catch (failure) {
    if (!(failure instanceof CatalogError) || failure.code !== 'not_found') throw failure;
  }
};
