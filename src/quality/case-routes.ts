import type { Engine } from '../catalog/engine.ts';
import { buildWriteAnswer, createView, idAddress, readRequiredJson } from '../catalog/read/answer.ts';
import { authorizeRecord } from '../catalog/read/facts.ts';
import { NO_FIELDS } from '../catalog/read/fields.ts';
import { listSensitiveColumns, redactRecord } from '../catalog/read/sensitive-values.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { requireKind } from '../catalog/registry.ts';
import * as schema from '../catalog/routes/schemas.ts';
import { type RecordRevision, reviseRecord } from '../catalog/write/update.ts';
import { badRequest, notFound, recordNotFound } from '../errors.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { Kind } from '../model/kind/kind.ts';
import { anyOfOperations } from '../model/schemas/access/policy.ts';
import { TableData } from '../model/schemas/profiler/sample-data.ts';
import { dropNulls, validate } from '../model/validate.ts';
import { Text } from '../model/values.ts';
import { resultNeeds } from './results.ts';

const SAMPLE = 'failedRowsSample';
const MASKS = 'failedRowsMasks';
const QUERY = 'inspectionQuery';

const revise = async (
  engine: Engine,
  kind: Kind,
  call: Call,
  change: Pick<RecordRevision, 'revise' | 'setValues' | 'touched'>,
): Promise<Answer> => {
  const written = await reviseRecord(
    engine,
    { kind, principal: call.principal, countWork: call.countWork },
    {
      address: idAddress(call),
      isJsonPatch: false,
      operations: [anyOfOperations('EditAll', 'EditTests')],
      precondition: () => {},
      viewFor: (fields) => createView(engine, call, fields),
      ...change,
    },
  );
  return buildWriteAnswer(engine, call, written);
};

/** Finds the table that a test case is about. */
const findTable = async (engine: Engine, test: Snapshot): Promise<Snapshot | undefined> => {
  const tableRef = test.ancestors.find(({ entityType }) => entityType === 'table');
  return tableRef && engine.store.record(requireKind(engine.registry, 'table'), { id: tableRef.id }, NO_FIELDS);
};

const putSample =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const sample = validate(TableData, dropNulls((await readRequiredJson(call)) as Json)) as JsonObject;
    const test = await engine.store.record(kind, idAddress(call), NO_FIELDS);
    const table = test && (await findTable(engine, test));
    const masks = table ? await listSensitiveColumns(engine, table, (sample['columns'] ?? []) as string[]) : [];
    const answer = await revise(engine, kind, call, {
      revise: (document) => document,
      touched: [],
      setValues: () => ({ [SAMPLE]: sample, [MASKS]: masks }),
    });
    // Clients read from this answer what was stored; no other answer with the test has it.
    return { ...answer, json: { ...(answer.json as JsonObject), [SAMPLE]: sample } };
  };

/** Redacts the values of columns that the caller may not see, as the table's own sample data does. */
const redactSample = async (engine: Engine, { principal }: Call, test: Snapshot, sample: Json): Promise<Json> => {
  const table = await findTable(engine, test);
  if (!table) return sample;
  const sampleMasks = test.values[MASKS] ?? [];
  const { values } = await redactRecord(engine, principal, { ...table, values: { sampleData: sample, sampleMasks } });
  return values['sampleData'] ?? sample;
};

const readSample =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const { id } = idAddress(call);
    const record = await engine.store.record(kind, { id }, NO_FIELDS);
    if (!record || record.deleted) throw recordNotFound(kind.entityType, id);
    await authorizeRecord(engine, call.principal, ['ViewTestCaseFailedRowsSample'], record);
    const sample = record.values[SAMPLE];
    if (sample === undefined) throw notFound(`Failed to find a sample of failed rows for ${record.name}`);
    return { status: 200, json: await redactSample(engine, call, record, sample) };
  };

const MAX_QUERY_CHARACTERS = 1_000_000;

const putQuery =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const text = await call.body.text();
    if (text.trim() === '') throw badRequest('[body must not be empty]');
    if (text.length > MAX_QUERY_CHARACTERS) throw badRequest(`[body size must be at most ${MAX_QUERY_CHARACTERS}]`);
    return revise(engine, kind, call, { revise: (document) => ({ ...document, [QUERY]: text }), touched: [QUERY] });
  };

/** Routes of single test cases other than those of results. */
export const caseRoutes = (engine: Engine): Route[] => {
  const kind = requireKind(engine.registry, 'testCase');
  const path = `/v1/${kind.path}/{id}`;
  const also = 'EditTests is accepted too.';
  const changing = {
    method: 'PUT',
    tag: kind.title,
    access: { operation: 'EditAll', resource: kind.entityType, also, anyOf: resultNeeds },
    responses: { 200: schema.recordSchema(kind) },
  } as const;
  return [
    {
      ...changing,
      path: `${path}/failedRowsSample`,
      summary: 'Store a sample of the rows that failed a test case',
      body: { schema: TableData, mediaTypes: ['application/json'] },
      responses: { 200: schema.extendedRecordSchema(kind, 'TestCaseWithSample', { [SAMPLE]: TableData }) },
      handle: putSample(engine, kind),
    },
    {
      method: 'GET',
      tag: kind.title,
      access: { operation: 'ViewTestCaseFailedRowsSample', resource: kind.entityType },
      path: `${path}/failedRowsSample`,
      summary: 'Get the sample of the rows that failed a test case',
      responses: { 200: TableData },
      handle: readSample(engine, kind),
    },
    {
      ...changing,
      path: `${path}/inspectionQuery`,
      summary: 'Store the query that finds the rows that failed a test case',
      body: { schema: Text, mediaTypes: ['*/*'] },
      handle: putQuery(engine, kind),
    },
  ];
};
