import { writeFields } from '../catalog/read/fields.ts';
import { kindNamed } from '../catalog/registry.ts';
import { CatalogError } from '../errors.ts';
import type { JsonObject } from '../model/json.ts';
import { rejudgeQuality } from './judge.ts';
import { listWaiting } from './queries.ts';
import { amendNewest, isWaiting, type Sender } from './results.ts';
import { CONTRACT } from './steward.ts';

/** What a contract expects of tests, as its judge reads it. */
const expectations = async ({ engine }: Sender, id: string): Promise<JsonObject> => {
  const kind = kindNamed(engine.registry, CONTRACT);
  const record = await engine.store.record(kind, { id }, writeFields(kind));
  const tests = (record?.related['qualityExpectations'] ?? []).map((node) => ({ id: node.id }));
  return { qualityExpectations: tests };
};

/** Judgements that wait for results of tests are taken up again when these come. */
export const resumeJudging = async (sender: Sender, testIds: readonly string[]): Promise<void> => {
  const rows = await sender.engine.graph.read(listWaiting, { ids: testIds });
  for (const { id } of rows) await resumeOne(sender, id);
};

/** A contract that is gone by now waits for nothing. */
const resumeOne = async (sender: Sender, id: string): Promise<void> => {
  try {
    const contract = await expectations(sender, id);
    await amendNewest(sender, id, async (newest) =>
      isWaiting(newest) ? rejudgeQuality(sender.engine, contract, newest) : undefined,
    );
  } catch (failure) {
    if (!(failure instanceof CatalogError) || failure.code !== 'not_found') throw failure;
  }
};
