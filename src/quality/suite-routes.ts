import { removeRecord } from '../catalog/below/remove.ts';
import { type Candidate, candidateFromBody, createSchema } from '../catalog/desire/candidate.ts';
import type { Engine, Writer } from '../catalog/engine.ts';
import { idAddress, queryFlag, requiredJson, writeAnswer } from '../catalog/read/answer.ts';
import { permit } from '../catalog/read/facts.ts';
import { writeFields } from '../catalog/read/fields.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { kindNamed } from '../catalog/registry.ts';
import * as parameter from '../catalog/routes/parameters.ts';
import * as schema from '../catalog/routes/schemas.ts';
import { createCandidate } from '../catalog/write/create.ts';
import { putCandidate } from '../catalog/write/write.ts';
import { badRequest, notFound, recordNotFound } from '../errors.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import { isObject, type Json, type JsonObject, withMember } from '../model/json.ts';
import type { Kind } from '../model/kind.ts';
import { isLongerThan, MAX_NAME_LENGTH, normaliseFqn } from '../model/name.ts';
import { check, dropNulls } from '../model/validate.ts';
import { listOf, must, shape, Uuid } from '../model/values.ts';
import { planLeaving, planMembers } from './members.ts';

const TYPE = 'testSuite';

const writerOf = (kind: Kind, call: Call): Writer => ({ kind, principal: call.principal, spend: call.spend });

/** The suite of a table is named after it in full, which may be no name that a record could have of its own. */
const suiteName = (body: JsonObject, table: string): string => {
  const { name } = body;
  if (typeof name !== 'string' || name === '') throw badRequest('[name must not be null]');
  const isFull = name.toLowerCase() === `${table}.testSuite`.toLowerCase();
  if (!isFull && isLongerThan(name, MAX_NAME_LENGTH)) throw badRequest('[name size must be between 1 and 256]');
  if (/::|[\p{Cc}\p{Cs}]/u.test(name)) throw badRequest(`Invalid name ${name}`);
  return name;
};

const tableNamed = (body: JsonObject): string => {
  const table = body['basicEntityReference'] ?? body['executableEntityReference'];
  if (typeof table !== 'string' || table === '') throw badRequest('[basicEntityReference must not be null]');
  return normaliseFqn(table);
};

/** A suite that belongs to a table, as a request describes it. */
const basicSuite = (kind: Kind, input: unknown): Candidate => {
  if (!isObject(input as Json)) throw badRequest('[body must be an object]');
  const body = dropNulls(input as Json) as JsonObject;
  const table = tableNamed(body);
  const name = suiteName(body, table);
  const asked = candidateFromBody(kind, withMember(body, 'name', 'suite'));
  return {
    ...asked,
    name,
    values: { ...asked.values, basic: true, executable: true },
    parents: { basicEntityReference: { type: 'table', fqn: table } },
  };
};

const create =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> =>
    writeAnswer(
      engine,
      call,
      await createCandidate(engine, writerOf(kind, call), basicSuite(kind, await requiredJson(call))),
    );

const put =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const asked = basicSuite(kind, await requiredJson(call));
    const written = await putCandidate(engine, writerOf(kind, call), asked, { overrideMetadata: false });
    return writeAnswer(engine, call, written);
  };

const remove =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const address = idAddress(call);
    const found = await engine.store.record(kind, address, new Set());
    if (found && found.values['basic'] !== true) {
      throw badRequest('[A logical test suite is deleted by the operation for all test suites]');
    }
    const removal = {
      hardDelete: queryFlag(call, 'hardDelete'),
      recursive: queryFlag(call, 'recursive'),
      isOwn: true,
    };
    return writeAnswer(engine, call, await removeRecord(engine, writerOf(kind, call), address, removal));
  };

const MOST_MEMBERS = 10_000;

const Membership = shape('LogicalTestCases', {
  testSuiteId: must(Uuid),
  testCaseIds: must(listOf(Uuid, MOST_MEMBERS)),
});

const findLogical = async (engine: Engine, call: Call, id: string): Promise<Snapshot> => {
  const kind = kindNamed(engine.registry, TYPE);
  const suite = await engine.store.record(kind, { id }, writeFields(kind));
  if (!suite || suite.deleted) throw recordNotFound(TYPE, id);
  await permit(engine, call.principal, ['EditAll'], suite);
  if (suite.values['basic'] === true)
    throw badRequest('[testSuiteId names a basic test suite, which holds the tests of its table]');
  if (suite.values['isContracts'] === true)
    throw badRequest('[testSuiteId names the test suite of a data contract, which holds what the contract expects]');
  return suite;
};

const answerSuite = async (engine: Engine, call: Call, { kind, id }: Snapshot): Promise<Answer> => {
  const fields = new Set([...writeFields(kind), 'tests']);
  const record = await engine.store.record(kind, { id }, fields);
  if (!record) throw recordNotFound(TYPE, id);
  return writeAnswer(engine, call, { outcome: 'entityFieldsChanged', record }, new Set(['tests']));
};

const addMembers =
  (engine: Engine) =>
  async (call: Call): Promise<Answer> => {
    const body = check(Membership, dropNulls((await requiredJson(call)) as Json)) as {
      readonly testSuiteId: string;
      readonly testCaseIds: readonly string[];
    };
    const ids = [...new Set(body.testCaseIds)];
    const found = await Promise.all(ids.map((id) => engine.store.referenceById(id)));
    const at = found.findIndex((node) => node?.entityType !== 'testCase' || node.deleted === true);
    if (at !== -1) throw recordNotFound('testCase', ids[at] ?? '');
    const suite = await findLogical(engine, call, body.testSuiteId);
    if (ids.length > 0) await engine.commit(planMembers(engine, call.principal, suite, ids));
    return answerSuite(engine, call, suite);
  };

const removeMember =
  (engine: Engine) =>
  async (call: Call): Promise<Answer> => {
    const { id } = idAddress(call);
    const suite = await findLogical(engine, call, idAddress(call, 'testSuiteId').id);
    const kind = suite.kind;
    const held = await engine.store.record(kind, { id: suite.id }, new Set(['tests']));
    if (!held?.related['tests']?.some((node) => node.id === id)) {
      throw notFound(`Failed to find the test case ${id} in ${suite.name}`);
    }
    await engine.commit(planLeaving(engine, call.principal, suite, id));
    return answerSuite(engine, call, suite);
  };

const JSON_ONLY = ['application/json'] as const;

const basicRoutes = (engine: Engine, kind: Kind, path: string): Route[] => {
  const common = { tag: kind.title } as const;
  const body = { schema: createSchema(kind), mediaTypes: JSON_ONLY };
  const access = (operation: string, also?: string) => ({
    access: { operation, resource: TYPE, ...(also === undefined ? {} : { also }) },
  });
  return [
    {
      ...common,
      ...access('Create'),
      method: 'POST',
      path,
      summary: 'Create the test suite of a table',
      body,
      responses: { 201: schema.record(kind) },
      handle: create(engine, kind),
    },
    {
      ...common,
      ...access('EditAll', 'A suite that is not there yet needs Create instead.'),
      method: 'PUT',
      path,
      summary: 'Create or update the test suite of a table',
      body,
      responses: { 200: schema.record(kind), 201: schema.record(kind) },
      handle: put(engine, kind),
    },
    {
      ...common,
      ...access('Delete'),
      method: 'DELETE',
      path: `${path}/{id}`,
      summary: 'Delete the test suite of a table',
      query: parameter.remove,
      responses: { 200: schema.record(kind) },
      handle: remove(engine, kind),
    },
  ];
};

/** Suites of tables, and which tests belong to a suite that somebody has chosen (data-quality.md 1 and 3). */
export const suiteRoutes = (engine: Engine): Route[] => {
  const kind = kindNamed(engine.registry, TYPE);
  const cases = kindNamed(engine.registry, 'testCase');
  const members = `/v1/${cases.path}/logicalTestCases`;
  const changing = {
    tag: kind.title,
    access: { operation: 'EditAll', resource: TYPE },
    responses: { 200: schema.record(kind) },
  } as const;
  return [
    ...basicRoutes(engine, kind, `/v1/${kind.path}/basic`),
    ...basicRoutes(engine, kind, `/v1/${kind.path}/executable`),
    {
      ...changing,
      method: 'PUT',
      path: members,
      summary: 'Add tests to a logical test suite',
      body: { schema: Membership, mediaTypes: JSON_ONLY },
      handle: addMembers(engine),
    },
    {
      ...changing,
      method: 'DELETE',
      path: `${members}/{testSuiteId}/{id}`,
      summary: 'Take a test out of a logical test suite',
      handle: removeMember(engine),
    },
  ];
};
