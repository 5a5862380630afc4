import { restoreRecord } from '../catalog/below/remove.ts';
import type { Engine } from '../catalog/engine.ts';
import { viewFor } from '../catalog/read/answer.ts';
import { permit } from '../catalog/read/facts.ts';
import { writeFields } from '../catalog/read/fields.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { kindNamed } from '../catalog/registry.ts';
import { createRecord } from '../catalog/write/create.ts';
import { CatalogError, notFound, recordNotFound } from '../errors.ts';
import type { Call } from '../http/route.ts';
import type { ContractResult } from '../model/contract-values.ts';
import type { JsonObject } from '../model/json.ts';
import { judgeContract } from './judge.ts';
import { entityIdOf, readEffective, wholeView } from './reading.ts';
import { amendNewest, isWaiting, keepResult, type Sender } from './results.ts';
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

/** What is judged, and below which contract the judgement is kept. */
type Trial = { readonly keeper: Snapshot; readonly entityId: string; readonly contract: JsonObject };

const judgeAndKeep = async (engine: Engine, call: Call, trial: Trial): Promise<ContractResult> => {
  const { keeper, entityId, contract } = trial;
  const { id } = keeper;
  const sender = { engine, principal: call.principal };
  const latest = keeper.values['latestResult'] as
    | { readonly status: ContractResult['contractExecutionStatus'] }
    | undefined;
  if (latest && isWaiting({ contractExecutionStatus: latest.status })) await endWaiting(sender, id);
  const judged = await judgeContract(engine, { contract, entityId, viewFor: wholeView(engine, call) });
  return keepResult(sender, id, judged);
};

/** POST /{id}/validate: what holds for the record of a contract is judged, and kept below the contract. */
export const validateContract = async (engine: Engine, call: Call, contract: Snapshot): Promise<ContractResult> => {
  const entityId = entityIdOf(contract);
  const [entity] = contract.related['entity'] ?? [];
  const subject = await findSubject(engine, { id: entityId, type: entity?.entityType ?? '' });
  await permit(engine, call.principal, ['ViewBasic'], subject);
  const view = viewFor(engine, call, writeFields(contract.kind));
  const { contract: effective } = await readEffective(engine, subject, view);
  if (!effective) throw recordNotFound(CONTRACT, contract.id);
  return judgeAndKeep(engine, call, { keeper: contract, entityId, contract: effective });
};

const MOST_CHARACTERS = 256;

/**
 * What a record takes over from its product is judged below a contract of its own, which says nothing itself. Whoever may
 * change the record may have it judged, so it needs no right to contracts.
 */
const createLocal = async (engine: Engine, call: Call, subject: Snapshot, product: Snapshot): Promise<Snapshot> => {
  const kind = kindNamed(engine.registry, CONTRACT);
  const writer = { kind, principal: { ...call.principal, isAdmin: true } };
  const known = await contractOf(engine, subject.id);
  if (known) return (await restoreRecord(engine, writer, known.id)).record;
  const body = {
    name: [...`${product.name} - ${subject.name}`].slice(0, MOST_CHARACTERS).join(''),
    entity: { id: subject.id, type: subject.kind.entityType },
    entityStatus: 'Draft',
  };
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
  return judgeAndKeep(engine, call, { keeper: local, entityId: subject.id, contract });
};
