import { deleteRecord } from '../catalog/cascade/delete-and-restore.ts';
import type { Engine, Writer } from '../catalog/engine.ts';
import { buildWriteAnswer, idAddress, parseQueryFlag, readRequiredJson } from '../catalog/read/answer.ts';
import { authorizeRecord } from '../catalog/read/facts.ts';
import { writeFields } from '../catalog/read/fields.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { requireKind } from '../catalog/registry.ts';
import { type Candidate, candidateFromBody, createSchema } from '../catalog/resolve/candidate.ts';
import { puttingNeeds } from '../catalog/resolve/permit-creation.ts';
import * as parameter from '../catalog/routes/parameters.ts';
import * as schema from '../catalog/routes/schemas.ts';
import { createCandidate } from '../catalog/write/create.ts';
import { putCandidate } from '../catalog/write/update.ts';
import { badRequest, notFound, recordNotFound } from '../errors.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import { isObject, type Json, type JsonObject, withMember } from '../model/json.ts';
import type { Kind } from '../model/kind/kind.ts';
import { isLongerThan, MAX_NAME_LENGTH, normaliseFqn } from '../model/name.ts';
import { dropNulls, validate } from '../model/validate.ts';
import { listOf, must, shape, Uuid } from '../model/values.ts';
import { planAddTests, planRemoveTest } from './suite-members.ts';

const TYPE = 'testSuite';

const writerOf = (kind: Kind, call: Call): Writer => ({ kind, principal: call.principal, countWork: call.countWork });

/**
 * Returns the name of a table's suite. The full name may be longer than the name of a record may be, so only
 * `<table>.testSuite` is exempt.
 */
const suiteName = (body: JsonObject, table: string): string => {
  const { name } = body;
  if (typeof name !== 'string' || name === '') throw badRequest('[name must not be null]');
  const isFull = name.toLowerCase() === `${table}.testSuite`.toLowerCase();
  if (!isFull && isLongerThan(name, MAX_NAME_LENGTH)) throw badRequest('[name size must be between 1 and 256]');
  if (/::|[\p{Cc}\p{Cs}]/u.test(name)) throw badRequest(`Invalid name ${name}`);
  return name;
};

const tableNameIn = (body: JsonObject): string => {
  const table = body['basicEntityReference'] ?? body['executableEntityReference'];
  if (typeof table !== 'string' || table === '') throw badRequest('[basicEntityReference must not be null]');
  return normaliseFqn(table);
};

/** Parses the request body of a table's own suite. */
const parseBasicSuite = (kind: Kind, input: unknown): Candidate => {
  if (!isObject(input as Json)) throw badRequest('[body must be an object]');
  const body = dropNulls(input as Json) as JsonObject;
  const table = tableNameIn(body);
  const name = suiteName(body, table);
  const candidate = candidateFromBody(kind, withMember(body, 'name', 'suite'));
  return {
    ...candidate,
    name,
    values: { ...candidate.values, basic: true, executable: true },
    parents: { basicEntityReference: { type: 'table', fqn: table } },
  };
};

const create =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> =>
    buildWriteAnswer(
      engine,
      call,
      await createCandidate(engine, writerOf(kind, call), parseBasicSuite(kind, await readRequiredJson(call))),
    );

const put =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const candidate = parseBasicSuite(kind, await readRequiredJson(call));
    const written = await putCandidate(engine, writerOf(kind, call), candidate, { overrideMetadata: false });
    return buildWriteAnswer(engine, call, written);
  };

const remove =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const address = idAddress(call);
    const found = await engine.store.record(kind, address, new Set());
    if (found && found.values['basic'] !== true) {
      throw badRequest('A logical test suite must be deleted with DELETE /v1/dataQuality/testSuites/{id}');
    }
    const removal = {
      hardDelete: parseQueryFlag(call, 'hardDelete'),
      recursive: parseQueryFlag(call, 'recursive'),
      isByOwnOperation: true,
    };
    return buildWriteAnswer(engine, call, await deleteRecord(engine, writerOf(kind, call), address, removal));
  };

const MAX_MEMBERS = 10_000;

const Membership = shape('LogicalTestCases', {
  testSuiteId: must(Uuid),
  testCaseIds: must(listOf(Uuid, MAX_MEMBERS)),
});

const findLogicalSuite = async (engine: Engine, call: Call, id: string): Promise<Snapshot> => {
  const kind = requireKind(engine.registry, TYPE);
  const suite = await engine.store.record(kind, { id }, writeFields(kind));
  if (!suite || suite.deleted) throw recordNotFound(TYPE, id);
  await authorizeRecord(engine, call.principal, ['EditAll'], suite);
  if (suite.values['basic'] === true)
    throw badRequest('[testSuiteId must name a logical test suite, not the basic test suite of a table]');
  if (suite.values['isContracts'] === true)
    throw badRequest('[testSuiteId must not name the test suite of a data contract]');
  return suite;
};

const answerSuite = async (engine: Engine, call: Call, { kind, id }: Snapshot): Promise<Answer> => {
  const fields = new Set([...writeFields(kind), 'tests']);
  const record = await engine.store.record(kind, { id }, fields);
  if (!record) throw recordNotFound(TYPE, id);
  return buildWriteAnswer(engine, call, { outcome: 'entityFieldsChanged', record }, new Set(['tests']));
};

const addMembers =
  (engine: Engine) =>
  async (call: Call): Promise<Answer> => {
    const body = validate(Membership, dropNulls((await readRequiredJson(call)) as Json)) as {
      readonly testSuiteId: string;
      readonly testCaseIds: readonly string[];
    };
    const ids = [...new Set(body.testCaseIds)];
    const found = await Promise.all(ids.map((id) => engine.store.referenceById(id)));
    const at = found.findIndex((node) => node?.entityType !== 'testCase' || node.deleted === true);
    if (at !== -1) throw recordNotFound('testCase', ids[at] ?? '');
    const suite = await findLogicalSuite(engine, call, body.testSuiteId);
    if (ids.length > 0) await engine.commit(planAddTests(engine, call.principal, suite, ids));
    return answerSuite(engine, call, suite);
  };

const removeMember =
  (engine: Engine) =>
  async (call: Call): Promise<Answer> => {
    const { id } = idAddress(call);
    const suite = await findLogicalSuite(engine, call, idAddress(call, 'testSuiteId').id);
    const kind = suite.kind;
    const held = await engine.store.record(kind, { id: suite.id }, new Set(['tests']));
    if (!held?.related['tests']?.some((node) => node.id === id)) {
      throw notFound(`Failed to find the test case ${id} in ${suite.name}`);
    }
    await engine.commit(planRemoveTest(engine, call.principal, suite, id));
    return answerSuite(engine, call, suite);
  };

const JSON_ONLY = ['application/json'] as const;

const basicRoutes = (engine: Engine, kind: Kind, path: string, one: string): Route[] => {
  const common = { tag: kind.title } as const;
  const body = { schema: createSchema(kind), mediaTypes: JSON_ONLY };
  const access = (operation: string, also?: string) => ({
    access: { operation, resource: TYPE, ...(also === undefined ? {} : { also, anyOf: puttingNeeds(kind) }) },
  });
  return [
    {
      ...common,
      ...access('Create'),
      method: 'POST',
      path,
      summary: `Create the ${one} of a table`,
      body,
      responses: { 201: schema.recordSchema(kind) },
      handle: create(engine, kind),
    },
    {
      ...common,
      ...access('EditAll', 'If the test suite does not exist yet, Create is needed instead.'),
      method: 'PUT',
      path,
      summary: `Create or update the ${one} of a table`,
      body,
      responses: { 200: schema.recordSchema(kind), 201: schema.recordSchema(kind) },
      handle: put(engine, kind),
    },
    {
      ...common,
      ...access('Delete'),
      method: 'DELETE',
      path: `${path}/{id}`,
      summary: `Delete the ${one} of a table`,
      query: parameter.deleteParameters,
      responses: { 200: schema.recordSchema(kind) },
      handle: remove(engine, kind),
    },
  ];
};

/** Routes of tables' own suites and of the members of logical suites (data-quality.md 1 and 3). */
export const suiteRoutes = (engine: Engine): Route[] => {
  const kind = requireKind(engine.registry, TYPE);
  const cases = requireKind(engine.registry, 'testCase');
  const members = `/v1/${cases.path}/logicalTestCases`;
  const changing = {
    tag: kind.title,
    access: { operation: 'EditAll', resource: TYPE },
    responses: { 200: schema.recordSchema(kind) },
  } as const;
  return [
    ...basicRoutes(engine, kind, `/v1/${kind.path}/basic`, 'test suite'),
    ...basicRoutes(engine, kind, `/v1/${kind.path}/executable`, 'executable test suite'),
    {
      ...changing,
      method: 'PUT',
      path: members,
      summary: 'Add test cases to a logical test suite',
      body: { schema: Membership, mediaTypes: JSON_ONLY },
      handle: addMembers(engine),
    },
    {
      ...changing,
      method: 'DELETE',
      path: `${members}/{testSuiteId}/{id}`,
      summary: 'Remove a test case from a logical test suite',
      handle: removeMember(engine),
    },
  ];
};
