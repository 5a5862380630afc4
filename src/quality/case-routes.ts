import type { Engine } from '../catalog/engine.ts';
import { idAddress, requiredJson, viewFor, writeAnswer } from '../catalog/read/answer.ts';
import { permit } from '../catalog/read/facts.ts';
import { NO_FIELDS } from '../catalog/read/fields.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { withhold } from '../catalog/read/withheld.ts';
import { kindNamed } from '../catalog/registry.ts';
import * as schema from '../catalog/routes/schemas.ts';
import { type Revision, reviseRecord } from '../catalog/write/write.ts';
import { badRequest, notFound, recordNotFound } from '../errors.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import type { Json } from '../model/json.ts';
import type { Kind } from '../model/kind.ts';
import { either } from '../model/policy-values.ts';
import { TableData } from '../model/sample-values.ts';
import { check, dropNulls } from '../model/validate.ts';
import { Text } from '../model/values.ts';

const SAMPLE = 'failedRowsSample';
const QUERY = 'inspectionQuery';

const revise = async (
  engine: Engine,
  kind: Kind,
  call: Call,
  change: Pick<Revision, 'revise' | 'set' | 'touched'>,
): Promise<Answer> => {
  const written = await reviseRecord(
    engine,
    { kind, principal: call.principal, spend: call.spend },
    {
      address: idAddress(call),
      isJsonPatch: false,
      operations: [either('EditAll', 'EditTests')],
      precondition: () => {},
      viewFor: (fields) => viewFor(engine, call, fields),
      ...change,
    },
  );
  return writeAnswer(engine, call, written);
};

const putSample =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const sample = check(TableData, dropNulls((await requiredJson(call)) as Json)) as Json;
    return revise(engine, kind, call, {
      revise: (document) => document,
      touched: [],
      set: () => ({ [SAMPLE]: sample }),
    });
  };

/** Rows of a table are shown as its own sample is: what not everybody may see of some columns is masked here as well. */
const asShown = async (engine: Engine, { principal }: Call, test: Snapshot, sample: Json): Promise<Json> => {
  const above = test.ancestors.find(({ entityType }) => entityType === 'table');
  const table = above && (await engine.store.record(kindNamed(engine.registry, 'table'), { id: above.id }, NO_FIELDS));
  if (!table) return sample;
  const { values } = await withhold(engine, principal, { ...table, values: { sampleData: sample } });
  return values['sampleData'] ?? sample;
};

const readSample =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const { id } = idAddress(call);
    const record = await engine.store.record(kind, { id }, NO_FIELDS);
    if (!record || record.deleted) throw recordNotFound(kind.entityType, id);
    await permit(engine, call.principal, ['ViewTestCaseFailedRowsSample'], record);
    const sample = record.values[SAMPLE];
    if (sample === undefined) throw notFound(`Failed to find a sample of failed rows for ${record.name}`);
    return { status: 200, json: await asShown(engine, call, record, sample) };
  };

const MOST_CHARACTERS = 1_000_000;

const putQuery =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const text = await call.body.text();
    if (text.trim() === '') throw badRequest('[body must not be empty]');
    if (text.length > MOST_CHARACTERS) throw badRequest(`[body size must be at most ${MOST_CHARACTERS}]`);
    return revise(engine, kind, call, { revise: (document) => ({ ...document, [QUERY]: text }), touched: [QUERY] });
  };

/** What belongs to one test beside its results. */
export const caseRoutes = (engine: Engine): Route[] => {
  const kind = kindNamed(engine.registry, 'testCase');
  const path = `/v1/${kind.path}/{id}`;
  const also = 'EditTests serves too.';
  const changing = {
    method: 'PUT',
    tag: kind.title,
    access: { operation: 'EditAll', resource: kind.entityType, also },
    responses: { 200: schema.record(kind) },
  } as const;
  return [
    {
      ...changing,
      path: `${path}/failedRowsSample`,
      summary: 'Keep some of the rows for which a test failed',
      body: { schema: TableData, mediaTypes: ['application/json'] },
      handle: putSample(engine, kind),
    },
    {
      method: 'GET',
      tag: kind.title,
      access: { operation: 'ViewTestCaseFailedRowsSample', resource: kind.entityType },
      path: `${path}/failedRowsSample`,
      summary: 'Read some of the rows for which a test failed',
      responses: { 200: TableData },
      handle: readSample(engine, kind),
    },
    {
      ...changing,
      path: `${path}/inspectionQuery`,
      summary: 'Keep the query that shows the rows for which a test failed',
      body: { schema: Text, mediaTypes: ['*/*'] },
      handle: putQuery(engine, kind),
    },
  ];
};
