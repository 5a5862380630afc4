import { readFile } from 'node:fs/promises';
import * as assert from 'uvu/assert';
import { SYSTEM_PRINCIPAL } from '../../src/access/service-identity.ts';
import { readConfig } from '../../src/config.ts';
import { ensureBuiltIns } from '../../src/system/built-ins.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that the built-in policies, roles and bots are those of the contract. */

const test = suite('system: built-in rights');

let service: Service;
test.before(async () => {
  service = await openService();
});

type Rule = {
  readonly effect: string;
  readonly operations: readonly string[];
  readonly resources: readonly string[];
  readonly condition?: string;
};
type Named = { readonly id: string; readonly name: string };

const names = (refs: readonly Named[]): string[] => refs.map(({ name }) => name).sort();

/** A rule in one line: what it does, to what, and when. */
const lineOf = ({ effect, operations, resources, condition }: Rule): string =>
  `${effect} ${operations.join(',')} on ${resources.join(',')}${condition ? ` if ${condition}` : ''}`;

const STEWARDS =
  'ViewAll,EditDescription,EditDisplayName,EditLineage,EditOwners,EditTags,EditGlossaryTerms,EditTier,EditCertification,' +
  'EditDomains,EditReviewers,EditCustomFields,EditTests,CreateTests';

const POLICIES: Readonly<Record<string, readonly string[]>> = {
  OrganizationPolicy: ['allow EditAll,ViewAll,Delete on all if isOwner()', 'allow EditOwners on all if noOwner()'],
  DataConsumerPolicy: ['allow ViewAll,EditDescription,EditTags,EditGlossaryTerms,EditTier,EditCertification on all'],
  DataStewardPolicy: [
    `allow ${STEWARDS} on all`,
    'allow Create,EditAll on dataContract,testCase,testSuite,glossary,glossaryTerm,classification,tag',
  ],
  DefaultBotPolicy: ['deny Create,Delete on bot,eventsubscription'],
  IngestionBotPolicy: [
    'allow Create,BulkCreate,BulkUpdate,EditAll,ViewAll,Delete on all',
    'allow All on apiService,dashboardService,databaseService,driveService,messagingService,mlmodelService,pipelineService,searchService,storageService',
    'deny EditDisplayName on all',
  ],
  QualityBotPolicy: ['allow ViewAll on all', 'allow Create,EditAll,EditTests on testCase,testSuite,dataContract,table'],
  ProfilerBotPolicy: ['allow ViewAll,EditDataProfile,EditSampleData,EditTags on table'],
};

const ROLES: Readonly<Record<string, readonly string[]>> = {
  DataConsumer: ['DataConsumerPolicy'],
  DataSteward: ['DataStewardPolicy'],
  IngestionBotRole: ['DefaultBotPolicy', 'IngestionBotPolicy'],
  QualityBotRole: ['DefaultBotPolicy', 'QualityBotPolicy'],
  ProfilerBotRole: ['DefaultBotPolicy', 'ProfilerBotPolicy'],
};

const BOTS: Readonly<Record<string, string>> = {
  'ingestion-bot': 'IngestionBotRole',
  'quality-bot': 'QualityBotRole',
  'profiler-bot': 'ProfilerBotRole',
};

test('the policies are those of the contract, rule by rule, and the roles have them', async () => {
  for (const [name, lines] of Object.entries(POLICIES)) {
    const policy = ok(await service.admin.get(`/v1/policies/name/${name}`));
    assert.equal(policy.rules.map(lineOf), lines, name);
    assert.equal([policy.provider, policy.enabled], ['system', true], name);
  }
  for (const [name, policies] of Object.entries(ROLES)) {
    const role = ok(await service.admin.get(`/v1/roles/name/${name}?fields=policies`));
    assert.equal([names(role.policies), role.provider], [policies, 'system'], name);
  }
});

test('Organization passes on the DataConsumer role and its policy', async () => {
  const team = ok(await service.admin.get('/v1/teams/name/Organization?fields=defaultRoles,policies'));
  assert.equal([names(team.defaultRoles), names(team.policies)], [['DataConsumer'], ['OrganizationPolicy']]);
});

test('every bot has a user of its name with its own role, and is no administrator', async () => {
  for (const [name, role] of Object.entries(BOTS)) {
    const bot = ok(await service.admin.get(`/v1/bots/name/${name}`));
    assert.equal([bot.botUser.name, bot.provider], [name, 'system']);
    const user = ok(await service.admin.get(`/v1/users/name/${name}?fields=roles`));
    assert.equal([user.isBot, user.isAdmin, names(user.roles)], [true, false, [role]]);
    assert.match(user.email, /^[a-z-]+-bot@tributary\.example$/);
  }
});

test('system records cannot be deleted', async () => {
  for (const path of ['policies/name/DataStewardPolicy', 'roles/name/DataConsumer', 'bots/name/quality-bot']) {
    for (const query of ['', '?hardDelete=true&recursive=true']) {
      expectRefused(await service.admin.delete(`/v1/${path}${query}`), 400);
    }
  }
});

const start = () => ensureBuiltIns(service.app.engine, SYSTEM_PRINCIPAL, readConfig({ TRIBUTARY_HOME: 'unused' }));

test('a later start keeps what an administrator changed', async () => {
  const policyPath = '/v1/policies/name/ProfilerBotPolicy';
  const teamPath = '/v1/teams/name/Organization';
  const policy = ok(await service.admin.get(policyPath));
  const team = ok(await service.admin.get(`${teamPath}?fields=defaultRoles,policies`));
  const description = uniqueName('text');
  try {
    ok(await service.admin.patch(policyPath, { description, enabled: false, rules: policy.rules.slice(0, 1) }));
    ok(await service.admin.patch(teamPath, { policies: [] }));
    await Promise.all([start(), start()]);
    const kept = ok(await service.admin.get(policyPath));
    assert.equal([kept.description, kept.enabled], [description, false]);
    assert.equal(ok(await service.admin.get(`${teamPath}?fields=policies`)).policies, []);
  } finally {
    ok(await service.admin.patch(policyPath, { description: policy.description, enabled: true }));
    ok(await service.admin.patch(teamPath, { policies: team.policies }));
  }
});

test('a catalog from before roles gets its defaults at the next start', async () => {
  const teamPath = '/v1/teams/name/Organization';
  const team = ok(await service.admin.get(`${teamPath}?fields=defaultRoles,policies`));
  ok(await service.admin.patch(teamPath, { policies: [], defaultRoles: [] }));
  await service.graph.query("MATCH (n:Rights {name: 'rights'}) REMOVE n.hasDefaults");
  await Promise.all([start(), start()]);
  const given = ok(await service.admin.get(`${teamPath}?fields=defaultRoles,policies`));
  assert.equal([given.defaultRoles, given.policies], [team.defaultRoles, team.policies]);
});

const BUILT_IN = new URL('../../seeds/builtin/test-definitions.json', import.meta.url);

/** The built-in ones are known by their names: whoever makes a definition may call it one of the system. */
const validators = async (): Promise<readonly [string, string][]> => {
  const declared = JSON.parse(await readFile(BUILT_IN, 'utf8')) as readonly {
    readonly body: { readonly name: string };
  }[];
  const names = declared.map(({ body }) => body.name);
  return ok(await service.admin.get('/v1/dataQuality/testDefinitions?limit=1000&testPlatform=OpenMetadata'))
    .data.filter(({ name }: { name: string }) => names.includes(name))
    .map(({ name, validatorClass }: Record<string, string>) => [name, validatorClass]);
};

test('built-in test definitions name the classes that run them, also in older catalogs', async () => {
  const named = await validators();
  assert.is(named.length, 25);
  for (const [name, validator] of named) {
    assert.is(validator, `${name.slice(0, 1).toUpperCase()}${name.slice(1)}Validator`);
  }
  const path = '/v1/dataQuality/testDefinitions/name';
  ok(await service.admin.patch(`${path}/tableDiff`, { validatorClass: null }));
  ok(await service.admin.patch(`${path}/tableRowCountToEqual`, { validatorClass: 'Own' }));
  try {
    await start();
    assert.is(ok(await service.admin.get(`${path}/tableDiff`)).validatorClass, undefined);
    await service.graph.query("MATCH (n:Rights {name: 'validators of test definitions'}) REMOVE n.hasDefaults");
    await Promise.all([start(), start()]);
    assert.is(ok(await service.admin.get(`${path}/tableDiff`)).validatorClass, 'TableDiffValidator');
    assert.is(ok(await service.admin.get(`${path}/tableRowCountToEqual`)).validatorClass, 'Own');
  } finally {
    const validatorClass = 'TableRowCountToEqualValidator';
    ok(await service.admin.patch(`${path}/tableRowCountToEqual`, { validatorClass }));
  }
});

test('a configured administrator is one after the start, even as an existing user', async () => {
  const name = uniqueName('chief');
  const email = `${name}@example.com`;
  const { id } = ok(await service.admin.post('/v1/users', { name, email }), 201);
  const config = readConfig({ TRIBUTARY_HOME: 'unused', AUTH_ADMINS: `${name},${name}2` });
  await ensureBuiltIns(service.app.engine, SYSTEM_PRINCIPAL, config);
  const user = ok(await service.admin.get(`/v1/users/${id}`));
  assert.equal([user.isAdmin, user.email], [true, email]);
  assert.is(ok(await service.admin.get(`/v1/users/name/${name}2`)).isAdmin, true);
});

test.run();
