import type { Engine } from '../catalog/engine.ts';
import { viewFor } from '../catalog/read/answer.ts';
import { permit } from '../catalog/read/facts.ts';
import { writeFields } from '../catalog/read/fields.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { kindNamed } from '../catalog/registry.ts';
import { createRecord } from '../catalog/write/create.ts';
import { putRecord } from '../catalog/write/write.ts';
import { CatalogError, notFound, recordNotFound } from '../errors.ts';
import type { Call } from '../http/route.ts';
import type { ContractResult } from '../model/contract-values.ts';
import type { JsonObject } from '../model/json.ts';
import { abortedBy, judgeContract } from './judge.ts';
import { entityIdOf, readEffective, wholeView } from './reading.ts';
import { amendNewest, type GivenResult, isWaiting, keepResult, type Sender } from './results.ts';
import { CONTRACT, contractOf } from './steward.ts';
import { findSubject } from './subject.ts';

/** Judging contracts, and keeping what was found. */

const NOTE = 'Aborted: another validation began before this one came to its end';

/** A judgement that still waits for results is over when the next one begins. */
const endWaiting = (sender: Sender, id: string): Promise<unknown> =>
  amendNewest(sender, id, async (newest) => {
    if (!isWaiting(newest)) return undefined;
    const { result } = newest as { readonly result?: string };
    return {
      ...newest,
      contractExecutionStatus: 'Aborted',
      result: result === undefined || result === '' ? NOTE : `${result}; ${NOTE}`,
    };
  });

/** Keeps what comes of a judgement below a contract. */
const keepJudged = async (
  engine: Engine,
  call: Call,
  { id, values }: Snapshot,
  judge: () => GivenResult | Promise<GivenResult>,
): Promise<ContractResult> => {
  const sender = { engine, principal: call.principal };
  const latest = values['latestResult'] as { readonly status: ContractResult['contractExecutionStatus'] } | undefined;
  if (latest && isWaiting({ contractExecutionStatus: latest.status })) await endWaiting(sender, id);
  return keepResult(sender, id, await judge());
};

const judgeAndKeep = (engine: Engine, call: Call, keeper: Snapshot, contract: JsonObject): Promise<ContractResult> =>
  keepJudged(engine, call, keeper, () =>
    judgeContract(engine, { contract, entityId: entityIdOf(keeper), viewFor: wholeView(engine, call) }),
  );

/** What a contract is about, or why it is not there any more although its contract is. */
const subjectOf = async (engine: Engine, contract: Snapshot): Promise<Snapshot | CatalogError> => {
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
  const subject = await subjectOf(engine, contract);
  if (subject instanceof CatalogError) {
    return keepJudged(engine, call, contract, () =>
      abortedBy(subject, { timestamp: engine.clock(), executionTime: 1 }),
    );
  }
  await permit(engine, call.principal, ['ViewBasic'], subject);
  const view = viewFor(engine, call, writeFields(contract.kind));
  const { contract: effective } = await readEffective(engine, subject, view);
  if (!effective) throw recordNotFound(CONTRACT, contract.id);
  return judgeAndKeep(engine, call, contract, effective);
};

const MOST_CHARACTERS = 256;

/**
 * What a record takes over from its product is judged below a contract of its own, which says nothing itself. Whoever may
 * change the record may have it judged, so it needs no right to contracts. One that was deleted comes back for that, but
 * not what it said.
 */
const createLocal = async (engine: Engine, call: Call, subject: Snapshot, product: Snapshot): Promise<Snapshot> => {
  const kind = kindNamed(engine.registry, CONTRACT);
  const writer = { kind, principal: { ...call.principal, isAdmin: true } };
  const known = await contractOf(engine, subject.id);
  if (known && !known.deleted) return known;
  const body = {
    name: known?.name ?? [...`${product.name} - ${subject.name}`].slice(0, MOST_CHARACTERS).join(''),
    entity: { id: subject.id, type: subject.kind.entityType },
    entityStatus: 'Draft',
  };
  if (known) return (await putRecord(engine, writer, body, { overrideMetadata: false })).record;
  try {
    return (await createRecord(engine, writer, body)).record;
  } catch (failure) {
    // Somebody else was faster.
    const other = await contractOf(engine, subject.id);
    if (!(failure instanceof CatalogError) || !other || other.deleted) throw failure;
    return other;
  }
};

/** POST /entity/validate: the same for a record, whoever's contract it is that holds for it. */
export const validateSubject = async (engine: Engine, call: Call, subject: Snapshot): Promise<ContractResult> => {
  const view = viewFor(engine, call, writeFields(kindNamed(engine.registry, CONTRACT)));
  const { contract, own, product } = await readEffective(engine, subject, view);
  if (!contract) throw notFound(`Failed to find a data contract for ${subject.fullyQualifiedName}`);
  const local = own ?? (product && (await createLocal(engine, call, subject, product)));
  if (!local) throw notFound(`Failed to find a data contract for ${subject.fullyQualifiedName}`);
  return judgeAndKeep(engine, call, local, contract);
};
