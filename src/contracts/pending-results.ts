import { writeFields } from '../catalog/read/fields.ts';
import { requireKind } from '../catalog/registry.ts';
import { CatalogError } from '../errors.ts';
import type { JsonObject } from '../model/json.ts';
import { reevaluateQuality } from './evaluate.ts';
import { CONTRACT } from './hooks.ts';
import { listPendingContracts } from './queries.ts';
import { amendNewestResult, type ContractResultWriter, isPendingResult } from './results.ts';

/** What a contract expects of tests, as its judge reads it. */
const readExpectations = async ({ engine }: ContractResultWriter, id: string): Promise<JsonObject> => {
  const kind = requireKind(engine.registry, CONTRACT);
  const record = await engine.store.record(kind, { id }, writeFields(kind));
  const tests = (record?.related['qualityExpectations'] ?? []).map((node) => ({ id: node.id }));
  return { qualityExpectations: tests };
};

/** Judgements that wait for results of tests are taken up again when these come. */
export const reevaluatePendingContracts = async (
  sender: ContractResultWriter,
  testIds: readonly string[],
): Promise<void> => {
  const rows = await sender.engine.graph.read(listPendingContracts, { ids: testIds });
  for (const { id } of rows) await reevaluatePendingContract(sender, id);
};

/** A contract that is gone by now waits for nothing. */
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
