import * as assert from 'uvu/assert';
import {
  CHANGE_HEADER_NAME,
  countStored,
  expectRecord,
  expectRefused,
  expectUnchanged,
  ok,
} from '../support/expect.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that policies and their rules are validated by the contract. */

const test = suite('catalog: policies');

let service: Service;
test.before(async () => {
  service = await openService();
});

type Made = { readonly id: string; readonly name: string };
type Rule = { readonly [member: string]: unknown };

const rule = (more: Rule = {}): Rule => ({
  name: 'look',
  effect: 'allow',
  operations: ['ViewAll'],
  resources: ['all'],
  ...more,
});
const body = (rules: unknown, more: object = {}) => ({ name: uniqueName('pol'), rules, ...more });
const post = (rules: unknown, more: object = {}) => service.admin.post('/v1/policies', body(rules, more));
const make = async (rules: readonly Rule[], more: object = {}) => ok(await post(rules, more), 201);

/** The operations, resources and functions of identity.md 5, written out again so that the code is not its own judge. */
const OPERATIONS =
  'All Create BulkCreate BulkUpdate Delete ViewAll ViewBasic ViewUsage ViewTests ViewQueries ViewDataProfile ViewProfilerGlobalConfiguration ViewSampleData ViewTestCaseFailedRowsSample DeleteTestCaseFailedRowsSample ViewCustomFields EditAll EditCustomFields EditDataProfile EditDescription EditDisplayName EditDomains EditLineage EditEntityRelationship EditPolicy EditOwners EditQueries EditReviewers EditRole EditSampleData EditStatus EditTags EditGlossaryTerms EditTeams EditTier EditCertification EditTests EditUsage EditUsers EditLifeCycle EditKnowledgePanel EditPage EditIngestionPipelineStatus EditUserNotificationTemplate CreateTests CreateIngestionPipelineAutomator CreateTask EditTask ResolveTask CloseTask ReassignTask Deploy Trigger Kill GenerateToken Impersonate AuditLogs EditScim CreateScim DeleteScim ViewScim ViewSecrets ViewTestDefinitionLibrary EditTestDefinitionLibrary'.split(
    ' ',
  );
const RESOURCES =
  'database databaseSchema table storedProcedure query topic pipeline container searchIndex dashboard chart dashboardDataModel mlmodel apiCollection apiEndpoint databaseService messagingService dashboardService pipelineService mlmodelService storageService searchService apiService user bot team role policy domain dataProduct glossary glossaryTerm classification tag type testCase testSuite testDefinition dataContract eventsubscription metric driveService directory file lineage search events job'.split(
    ' ',
  );

/** A policy as the list has it, however many there are. */
const listed = async (wanted: string): Promise<(Made & { readonly rules: readonly Rule[] }) | undefined> => {
  for (let after = ''; ; ) {
    const { data, paging } = ok(await service.admin.get(`/v1/policies?limit=1000&after=${encodeURIComponent(after)}`));
    const found = data.find(({ id }: Made) => id === wanted);
    if (found || paging.after === undefined) return found;
    after = paging.after;
  }
};

test('a rule is returned as sent, with its fully qualified name', async () => {
  const sent = [
    rule({ description: 'Look at *everything*' }),
    rule({ name: 'not.mine', effect: 'deny', operations: ['Delete', 'EditAll'], resources: ['table', 'topic'] }),
    rule({ name: "Zoë's", condition: "isOwner() || !matchAnyTag('PII.Sensitive')" }),
  ];
  const made = await make(sent, { displayName: 'Shown', description: 'Told' });
  const kind = service.registry.byType.get('policy');
  assert.ok(kind);
  expectRecord(kind, made);
  const names = ['look', '"not.mine"', "Zoë's"].map((part) => `${made.name}.${part}`);
  const wanted = sent.map((one, at) => ({ ...one, fullyQualifiedName: names[at] }));
  assert.equal(made.rules, wanted);
  assert.equal([made.enabled, made.provider, made.fullyQualifiedName], [true, 'user', made.name]);
  for (const absent of ['allowDelete', 'allowEdit', 'disabled', 'teams', 'roles', 'location']) {
    assert.is(absent in made, false, absent);
  }
  assert.equal((await listed(made.id))?.rules, wanted);
  assert.equal(ok(await service.admin.get(`/v1/policies/${made.id}/versions/0.1`)).rules, wanted);
  const quoted = await make([rule()], { name: `${uniqueName('pol')}.x` });
  assert.is(quoted.rules[0].fullyQualifiedName, `"${quoted.name}".look`);
});

test('operations are those of the contract and one former spelling', async () => {
  const made = await make([rule({ operations: OPERATIONS })]);
  assert.equal(made.rules[0].operations, OPERATIONS);
  const old = await make([rule({ operations: ['EditOwner', 'EditOwners', 'EditOwner'] })]);
  assert.equal(old.rules[0].operations, ['EditOwners']);
  const unknown = /^\[rules\.0\.operations\.1 must be a known operation\]( \(did you mean EditAll\?\))?$/;
  for (const operation of ['editAll', 'View', '', 'EditEverything', 'constructor', 7, null, {}]) {
    expectRefused(
      await post([rule({ operations: ['All', operation] })]),
      400,
      operation === null ? undefined : unknown,
    );
  }
  expectRefused(await post([rule({ operations: [] })]), 400, '[rules.0.operations must have at least one item]');
  expectRefused(await post([rule({ operations: 'All' })]), 400, '[rules.0.operations must be a list]');
});

test('resources are those of the contract in any case, and all must come first', async () => {
  const made = await make([rule({ resources: RESOURCES }), rule({ name: 'b', resources: ['all', ...RESOURCES] })]);
  assert.equal(made.rules[0].resources, RESOURCES);
  assert.equal(made.rules[1].resources, ['all', ...RESOURCES]);
  const shouted = await make([rule({ resources: RESOURCES.map((name) => name.toUpperCase()) })]);
  assert.equal(shouted.rules[0].resources, RESOURCES);
  const mixed = await make([rule({ resources: ['ALL', 'eventSubscription', 'eventsubscription', 'DataBase'] })]);
  assert.equal(mixed.rules[0].resources, ['all', 'eventsubscription', 'database']);
  for (const name of ['tables', 'everything', '', '*', 'constructor', 7, {}]) {
    expectRefused(await post([rule({ resources: ['table', name] })]), 400, /^\[rules\.0\.resources\.1 must be a /);
  }
  const first = '[rules.0.resources must not name all anywhere but first]';
  for (const resources of [
    ['table', 'all'],
    ['all', 'table', 'ALL'],
  ]) {
    expectRefused(await post([rule({ resources })]), 400, first);
  }
  expectRefused(await post([rule({ resources: [] })]), 400, '[rules.0.resources must have at least one item]');
});

test('a policy has at least one rule, and rules have their required members and unique names', async () => {
  const before = await countStored(service);
  expectRefused(await service.admin.post('/v1/policies', { name: 'p' }), 400, '[rules must not be null]');
  expectRefused(await post(null), 400, '[rules must not be null]');
  expectRefused(await post([]), 400, '[rules must have at least one item]');
  expectRefused(await service.admin.put('/v1/policies', body([])), 400, '[rules must have at least one item]');
  expectRefused(await post({}), 400, '[rules must be a list]');
  expectRefused(await post(['rule']), 400, '[rules.0 must be an object]');
  for (const member of ['name', 'effect', 'operations', 'resources']) {
    const { [member]: _left, ...rest } = rule();
    expectRefused(await post([rule({ name: 'a' }), rest]), 400, `[rules.1.${member} must not be null]`);
  }
  expectRefused(
    await post([rule({ effect: 'Allow' })]),
    400,
    '[rules.0.effect must be one of allow, deny] (did you mean allow?)',
  );
  expectRefused(await post([rule({ nonsense: 1 })]), 400, '[rules.0.nonsense is not a known property]');
  for (const name of ['', 'a::b', 'a"b', 'x'.repeat(257), 7]) {
    expectRefused(await post([rule({ name })]), 400, /^\[rules\.0\.name /);
  }
  expectRefused(await post([rule(), rule({ effect: 'deny' })]), 400, '[rules must not have two items of one name]');
  const many = Array.from({ length: 501 }, (_, at) => rule({ name: `r${at}` }));
  expectRefused(await post(many), 400, '[rules must have at most 500 items]');
  assert.equal(await countStored(service), before);
  assert.is((await make(many.slice(1))).rules.length, 500);
  const made = await make([rule()]);
  for (const patch of [{ rules: [] }, { rules: null }, [{ op: 'remove', path: '/rules/0' }]]) {
    expectRefused(
      await expectUnchanged(service, made.id, () => service.admin.patch(`/v1/policies/${made.id}`, patch)),
      400,
      /^\[rules must (have at least one item|not be null)\]$/,
    );
  }
});

test('an invalid condition is refused with its fault and position by every write', async () => {
  const before = await countStored(service);
  const bad: readonly (readonly [unknown, string])[] = [
    ['', 'is not a condition: a function expected instead of the end at character 1'],
    ['isowner()', 'is not a condition: unknown function at character 1'],
    ['isOwner(', 'is not a condition: isOwner takes no argument, but there is the end at character 9'],
    ['isOwner() and', 'is not a condition: a function expected instead of the end at character 14'],
    ["matchAnyTag('a) ", 'is not a condition: text without a closing quote at character 13'],
    [`isOwner()${' '.repeat(10_000)}`, 'is not a condition: longer than 10000 characters, which is the most'],
    [7, 'must be a string'],
    [{}, 'must be a string'],
  ];
  for (const [condition, problem] of bad) {
    const sentence = `[rules.1.condition ${problem}]`;
    const rules = [rule(), rule({ name: 'b', condition })];
    expectRefused(await post(rules), 400, sentence);
    expectRefused(await service.admin.put('/v1/policies', body(rules)), 400, sentence);
    const result = ok(await service.admin.put('/v1/policies/bulk', [body(rules)]));
    assert.is(result.failedRequest[0].message, sentence);
  }
  assert.equal(await countStored(service), before);
  const made = await make([rule()]);
  const patch = [{ op: 'add', path: '/rules/0/condition', value: 'isOwner' }];
  expectRefused(
    await expectUnchanged(service, made.id, () => service.admin.patch(`/v1/policies/${made.id}`, patch)),
    400,
    '[rules.0.condition is not a condition: ( expected instead of the end at character 8]',
  );
});

test('tags, terms, teams and roles in a condition must exist when it is stored', async () => {
  const team = ok(await service.admin.post('/v1/teams', { name: `${uniqueName('team')}.x` }), 201);
  const helper = await make([rule()]);
  const role = ok(await service.admin.post('/v1/roles', { name: uniqueName('role'), policies: [helper.name] }), 201);
  const glossary = ok(
    await service.admin.post('/v1/glossaries', { name: uniqueName('terms'), description: 'Words' }),
    201,
  );
  await service.admin.post('/v1/glossaryTerms', { name: 'Order', glossary: glossary.name, description: 'A wish' });
  const condition = (text: string) => [rule({ condition: text })];
  const good = [
    `matchAllTags('PII.None', 'Tier.Tier1')`,
    `matchAnyTag('"PII"."None"')`,
    `matchAllTags('PII.None', '${glossary.name}.Order')`,
    `matchAnyCertification('Certification.Gold')`,
    `inAnyTeam('Organization', '${team.name}')`,
    `hasAnyRole('${role.name}') and not isOwner()`,
  ];
  for (const text of good) assert.is((await make(condition(text))).rules[0].condition, text);
  const before = await countStored(service);
  const bad: readonly (readonly [string, string])[] = [
    [`matchAllTags('PII.None', 'PII.Some')`, 'tag instance for PII.Some not found'],
    [`matchAnyTag('Tier')`, 'tag instance for Tier not found'],
    [`matchAnyCertification('${glossary.name}.Order')`, `tag instance for ${glossary.name}.Order not found`],
    [`matchAnyCertification('Certification.Lead')`, 'tag instance for Certification.Lead not found'],
    [`isOwner() || inAnyTeam('nowhere')`, 'team instance for nowhere not found'],
    [`hasAnyRole('no.body')`, 'role instance for "no.body" not found'],
    [`inAnyTeam('${role.name}')`, `team instance for ${role.name} not found`],
  ];
  for (const [text, sentence] of bad) {
    expectRefused(await post(condition(text)), 404, sentence);
    expectRefused(await service.admin.put('/v1/policies', body(condition(text))), 404, sentence);
  }
  assert.equal(await countStored(service), before);
  const made = await make(condition(`hasAnyRole('${role.name}')`));
  ok(await service.admin.delete(`/v1/roles/${role.id}`));
  expectRefused(await post(condition(`hasAnyRole('${role.name}')`)), 404);
  // What was stored already is not looked at again by a change of something else.
  const told = ok(await service.admin.patch(`/v1/policies/${made.id}`, { description: 'Told' }));
  assert.equal([told.version, told.rules], [0.2, made.rules]);
  const worse = [{ op: 'replace', path: '/rules/0/condition', value: `hasAnyRole('${role.name}','x')` }];
  const reply = await expectUnchanged(service, made.id, () => service.admin.patch(`/v1/policies/${made.id}`, worse));
  expectRefused(reply, 404, 'role instance for x not found');
});

test('rules are replaced by PUT and changed by PATCH, with one change entry per rule', async () => {
  const made = await make([rule(), rule({ name: 'b' })]);
  const at = `/v1/policies/${made.id}`;
  const same = await expectUnchanged(service, made.id, () =>
    service.admin.put('/v1/policies', { name: made.name, rules: made.rules }),
  );
  assert.is(same.headers.get(CHANGE_HEADER_NAME), 'entityNoChange');
  const put = ok(await service.admin.put('/v1/policies', { name: made.name, rules: [rule(), rule({ name: 'c' })] }));
  assert.equal([put.version, put.rules.map(({ name }: Made) => name)], [0.2, ['look', 'c']]);
  const { fieldsAdded, fieldsDeleted } = put.changeDescription;
  assert.equal([fieldsAdded[0].name, fieldsDeleted[0].name], ['rules', 'rules']);
  assert.equal(
    JSON.parse(fieldsAdded[0].newValue).map(({ name }: Made) => name),
    ['c'],
  );
  const patched = ok(
    await service.admin.patch(at, [
      { op: 'test', path: '/rules/1/fullyQualifiedName', value: `${made.name}.c` },
      { op: 'replace', path: '/rules/1/fullyQualifiedName', value: 'elsewhere' },
      { op: 'replace', path: '/rules/1/name', value: 'd' },
      { op: 'add', path: '/rules/-', value: rule({ name: 'e', condition: 'isOwner()' }) },
      { op: 'add', path: '/rules/0/resources/-', value: 'table' },
    ]),
  );
  assert.is(patched.version, 0.3);
  assert.equal(
    patched.rules.map(({ fullyQualifiedName }: { fullyQualifiedName: string }) => fullyQualifiedName),
    [`${made.name}.look`, `${made.name}.d`, `${made.name}.e`],
  );
  assert.equal(patched.rules[0].resources, ['all', 'table']);
  const cleared = ok(await service.admin.patch(at, [{ op: 'remove', path: '/rules/2/condition' }]));
  assert.equal([cleared.version, 'condition' in cleared.rules[2]], [0.4, false]);
  const [row] = await service.graph.query('MATCH (p:Policy {id: $id}) RETURN p.rulesJson AS rules', { id: made.id });
  assert.not.match(String(row?.['rules']), /fullyQualifiedName/);
});

test('enabled and disabled are stored, and PUT keeps what it omits', async () => {
  const made = await make([rule()], { enabled: false });
  assert.is(made.enabled, false);
  const at = `/v1/policies/${made.id}`;
  const off = ok(await service.admin.patch(at, { enabled: true, disabled: true, allowDelete: false }));
  assert.equal([off.enabled, off.disabled, off.allowDelete], [true, true, false]);
  const put = ok(await service.admin.put('/v1/policies', { name: made.name, rules: [rule()], description: 'x' }));
  assert.equal([put.enabled, put.disabled, put.allowDelete, put.provider], [true, true, false, 'user']);
  expectRefused(
    await expectUnchanged(service, made.id, () => service.admin.delete(at)),
    400,
    `System entity [${made.name}] of type policy can not be deleted.`,
  );
  for (const enabled of ['yes', 1, {}])
    expectRefused(await post([rule()], { enabled }), 400, '[enabled must be true or false]');
});

test('a policy without allowEdit keeps its rules', async () => {
  const made = await make([rule()]);
  const at = `/v1/policies/${made.id}`;
  ok(await service.admin.patch(at, { allowEdit: false }));
  const sentence = `System entity [${made.name}] of type policy can not be modified.`;
  const more = [{ op: 'add', path: '/rules/-', value: rule({ name: 'b' }) }];
  expectRefused(await expectUnchanged(service, made.id, () => service.admin.patch(at, more)), 400, sentence);
  const put = { name: made.name, rules: [rule({ effect: 'deny' })] };
  expectRefused(await expectUnchanged(service, made.id, () => service.admin.put('/v1/policies', put)), 400, sentence);
  ok(await service.admin.patch(at, { allowEdit: true }));
  assert.is(ok(await service.admin.patch(at, more)).rules.length, 2);
});

test('owners are users or one team, domains are domains, and the location is a container', async () => {
  const name = uniqueName('usr');
  const owner = ok(await service.admin.post('/v1/users', { name, email: `${name}@example.com` }), 201);
  const domain = ok(
    await service.admin.post('/v1/domains', { name: uniqueName('dom'), domainType: 'Aggregate', description: 'x' }),
    201,
  );
  const made = await make([rule()], { owners: [{ id: owner.id, type: 'user' }], domains: [domain.name] });
  assert.equal([made.owners[0].id, made.domains[0].id], [owner.id, domain.id]);
  const lake = ok(
    await service.admin.post('/v1/services/storageServices', { name: uniqueName('lake'), serviceType: 'S3' }),
    201,
  );
  const container = ok(await service.admin.post('/v1/containers', { name: 'raw', service: lake.name }), 201);
  const placed = await make([rule()], { location: container.id });
  assert.is(placed.location.id, container.id);
  const at = `/v1/policies/${placed.id}`;
  assert.is('location' in ok(await service.admin.get(at)), false);
  assert.is(ok(await service.admin.get(`${at}?fields=location`)).location.fullyQualifiedName, `${lake.name}.raw`);
  const freed = ok(await service.admin.patch(at, [{ op: 'remove', path: '/location' }]));
  assert.equal([freed.version, 'location' in freed], [0.2, false]);
  expectRefused(await post([rule()], { location: owner.id }), 404, `container instance for ${owner.id} not found`);
  expectRefused(await post([rule()], { location: 'lake' }), 400, '[location must be a UUID]');
});

test.run();
