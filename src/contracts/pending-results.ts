import { writeFields } from '../catalog/read/fields.ts';
import { requireKind } from '../catalog/registry.ts';
import { CatalogError } from '../errors.ts';
import type { JsonObject } from '../model/json.ts';
import { reevaluateQuality } from './evaluate.ts';
import { CONTRACT } from './hooks.ts';
import { listPendingContracts } from './queries.ts';
import { amendNewestResult, type ContractResultWriter, isPendingResult } from './results.ts';

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
