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
import { buildAbortedResult, evaluateContract } from './evaluate.ts';
import { CONTRACT, findContractOf } from './hooks.ts';
import {
  amendNewestResult,
  type ContractResultInput,
  type ContractResultWriter,
  isPendingResult,
  storeContractResult,
} from './results.ts';
import { findSubject } from './subject.ts';

/** Judging contracts, and keeping what was found. */

const ABORT_NOTE = 'Aborted: another validation began before this one came to its end';

/** A judgement that still waits for results is over when the next one begins. */
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

/** Keeps what comes of a judgement below a contract. */
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

/** What a contract is about, or why it is not there any more although its contract is. */
const findSubjectOrFailure = async (engine: Engine, contract: Snapshot): Promise<Snapshot | CatalogError> => {
  const [entity] = contract.related['entity'] ?? [];
  try {
    return await findSubject(engine, { id: entityIdOf(contract), type: entity?.entityType ?? '' });
  } catch (failure) {
    if (failure instanceof CatalogError && failure.code === 'not_found') return failure;
    throw failure;
  }
};

/** POST /{id}/validate: what holds for the record of a contract is judged, and kept below the contract. */
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
 * What a record takes over from its product is judged below a contract of its own, which says nothing itself. Whoever may
 * change the record may have it judged, so it needs no right to contracts. One that was deleted comes back for that, but
 * not what it said.
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
    // Somebody else was faster.
    const other = await findContractOf(engine, subject.id);
    if (!(failure instanceof CatalogError) || !other || other.deleted) throw failure;
    return other;
  }
};

/** POST /entity/validate: the same for a record, whoever's contract it is that holds for it. */
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
