import * as assert from 'uvu/assert';
import { requireKind } from '../../src/catalog/registry.ts';
import { MAX_CONDITION_LENGTH, NAMEABLE_KINDS } from '../../src/model/language/condition.ts';
import { createPerson, expectRefused, expectUnchanged, ok, readStored } from '../support/expect.ts';
import {
  applies,
  conditionsOf,
  createDenyingPolicy,
  denyingPolicy,
  type Policy,
  readNotedConditions,
  readPolicy,
} from '../support/policies.ts';
import { createSamples, type Samples } from '../support/samples.ts';
import { openSecondProcess, openSecondProcessWith } from '../support/second-process.ts';
import { type Client, openService, type Reply, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that conditions of policies that refer to assets by name follow a renaming (identity.md 5). */

const test = suite('catalog: names in conditions');

let service: Service;
let samples: Samples;
test.before(async () => {
  service = await openService();
  samples = createSamples(service);
});

const make = (entityType: string, more: Parameters<Samples['create']>[1] = {}) =>
  samples.create(requireKind(service.registry, entityType), more);

const pathOf = (entityType: string) => `/v1/${requireKind(service.registry, entityType).path}`;

type Made = { readonly id: string; readonly fullyQualifiedName: string };

const rename = (entityType: string, { id }: Pick<Made, 'id'>, name: string, client: Client = service.admin) =>
  client.patch(`${pathOf(entityType)}/${id}`, { name });

const renamed = async (...args: Parameters<typeof rename>): Promise<Made> => ok(await rename(...args));

const conditions = async ({ id }: Pick<Policy, 'id'>) => conditionsOf(await readPolicy(service.admin, id));

const read = async (path: string) => ok(await service.admin.get(`/v1/${path}`));

/** A classification with a tag, which has another one below it. */
const plantTags = async () => {
  const classification = await make('classification');
  const outer = await make('tag', { name: 'outer', classification: classification.fullyQualifiedName });
  const inner = await make('tag', { name: 'inner', parent: outer.fullyQualifiedName });
  return { classification, outer, inner };
};

const tagsOf = async ({ id }: Pick<Made, 'id'>): Promise<ReadonlySet<string>> => {
  const { tags } = await read(`tables/${id}?fields=tags`);
  return new Set(tags.map(({ tagFQN }: { tagFQN: string }) => tagFQN));
};

test('conditions follow renames of a tag, its parent tag and its classification, and still match', async () => {
  const { classification, outer, inner } = await plantTags();
  const table = await make('table', { tags: [{ tagFQN: inner.fullyQualifiedName }] });
  const name = inner.fullyQualifiedName;
  const policies = [
    await createDenyingPolicy(service.admin, `matchAnyTag('${name}')`),
    await createDenyingPolicy(service.admin, `matchAllTags('${name}')`),
    await createDenyingPolicy(service.admin, `isOwner() or !(not matchAnyTag('Tier.Tier1', '${name}'))`),
  ];
  const stillApply = async (wanted: string) => {
    const tags = await tagsOf(table);
    assert.equal([...tags], [wanted]);
    for (const { id } of policies) {
      const policy = await readPolicy(service.admin, id);
      assert.ok(applies(policy, { resource: { tags } }), String(conditionsOf(policy)));
      assert.ok((await readNotedConditions(service, id)).includes(`tag ${wanted}`));
    }
  };
  await stillApply(name);
  await renamed('tag', inner, 'inmost');
  await stillApply(`${outer.fullyQualifiedName}.inmost`);
  await renamed('tag', outer, 'outmost');
  await stillApply(`${classification.name}.outmost.inmost`);
  const classes = uniqueName('classes');
  await renamed('classification', classification, classes);
  await stillApply(`${classes}.outmost.inmost`);
  assert.equal(await Promise.all(policies.map(conditions)), [
    [`matchAnyTag('${classes}.outmost.inmost')`],
    [`matchAllTags('${classes}.outmost.inmost')`],
    [`isOwner() or !(not matchAnyTag('Tier.Tier1', '${classes}.outmost.inmost'))`],
  ]);
  for (const { id } of policies) assert.is((await readPolicy(service.admin, id)).version, 0.4);
});

test('conditions follow a renamed certification tag', async () => {
  const classification = await make('classification');
  const tag = await make('tag', { name: 'Gold', classification: classification.fullyQualifiedName });
  const table = await make('table');
  const label = { tagFQN: tag.fullyQualifiedName, source: 'Classification', labelType: 'Manual', state: 'Confirmed' };
  const certification = { tagLabel: label, appliedDate: 1, expiryDate: 2 };
  ok(await service.admin.patch(`/v1/tables/${table.id}`, { certification }));
  const policy = await createDenyingPolicy(
    service.admin,
    `matchAnyCertification('Certification.Gold','${tag.fullyQualifiedName}')`,
  );
  const classes = uniqueName('medals');
  await renamed('classification', classification, classes);
  await renamed('tag', tag, 'Au');
  assert.equal(await conditions(policy), [`matchAnyCertification('Certification.Gold','${classes}.Au')`]);
  const found = (await read(`tables/${table.id}?fields=certification`)).certification.tagLabel.tagFQN;
  assert.ok(applies(await readPolicy(service.admin, policy.id), { resource: { certification: found } }));
});

test('conditions follow renames of a term, its parent term and its glossary', async () => {
  const glossary = await make('glossary');
  const term = await make('glossaryTerm', { name: 'person', glossary: glossary.fullyQualifiedName });
  const below = await make('glossaryTerm', {
    name: 'first.name',
    glossary: glossary.fullyQualifiedName,
    parent: term.fullyQualifiedName,
  });
  const table = await make('table', { tags: [{ tagFQN: below.fullyQualifiedName, source: 'Glossary' }] });
  const policy = await createDenyingPolicy(service.admin, `matchAnyTag('${below.fullyQualifiedName}')`);
  const words = uniqueName('words');
  await renamed('glossary', glossary, words);
  assert.equal(await conditions(policy), [`matchAnyTag('${words}.person."first.name"')`]);
  await renamed('glossaryTerm', term, 'human being');
  await renamed('glossaryTerm', below, 'name');
  assert.equal(await conditions(policy), [`matchAnyTag('${words}.human being.name')`]);
  assert.ok(applies(await readPolicy(service.admin, policy.id), { resource: { tags: await tagsOf(table) } }));
  assert.equal(await readNotedConditions(service, policy.id), [`glossaryTerm ${words}.human being.name`]);
});

test('conditions follow a renamed team and a renamed role', async () => {
  const team = await make('team');
  const role = await make('role');
  const user = await make('user', { teams: [team.id], roles: [role.id] });
  const policy = await createDenyingPolicy(
    service.admin,
    `inAnyTeam('${team.name}') && hasAnyRole('${role.name}')`,
    `hasAnyRole('${role.name}')`,
  );
  const [crew, part] = [uniqueName('crew.of'), uniqueName('part')];
  await renamed('team', team, crew);
  await renamed('role', role, part);
  const after = await readPolicy(service.admin, policy.id);
  assert.equal(conditionsOf(after), [`inAnyTeam('"${crew}"') && hasAnyRole('${part}')`, `hasAnyRole('${part}')`]);
  const { teams, roles } = await read(`users/${user.id}?fields=teams,roles`);
  const names = (refs: readonly Made[]) => new Set(refs.map((ref) => ref.fullyQualifiedName));
  assert.ok(applies(after, { caller: { teams: names(teams), roles: names(roles) } }));
});

test('names with quotes, dots, spaces and any letters are rewritten, and the rest of the text stays', async () => {
  const team = await make('team');
  const before = (name: string) =>
    `\t!( inAnyTeam ( 'Organization','${name}' ,\n'"${name}"' ) )or  noOwner()  &&not isOwner( )  `;
  const policy = await createDenyingPolicy(service.admin, before(team.name));
  const wanted = (literal: string) =>
    `\t!( inAnyTeam ( 'Organization',${literal} ,\n${literal} ) )or  noOwner()  &&not isOwner( )  `;
  const mark = uniqueName('x');
  const names: readonly (readonly [string, string])[] = [
    [`it's ${mark}`, `'it''s ${mark}'`],
    [`''${mark}''`, `'''''${mark}'''''`],
    [`a.b ${mark}. c`, `'"a.b ${mark}. c"'`],
    [`') or isOwner() or inAnyTeam('${mark}`, `''') or isOwner() or inAnyTeam(''${mark}'`],
    [`${mark} && || ! not and or`, `'${mark} && || ! not and or'`],
    [`Zoë 角色 🎈 ${mark} $& \\ $1`, `'Zoë 角色 🎈 ${mark} $& \\ $1'`],
    [`${mark}.it's."`.replace('"', '”'), `'"${mark}.it''s.”"'`],
    [mark, `'${mark}'`],
  ];
  for (const [name, literal] of names) {
    const { fullyQualifiedName } = await renamed('team', team, name);
    assert.equal(await conditions(policy), [wanted(literal)]);
    // The rule holds for whoever is neither there nor in the organization.
    const after = await readPolicy(service.admin, policy.id);
    const within = (teams: string[]) =>
      applies(after, { caller: { teams: new Set(teams), ownerIds: new Set(['u']) }, resource: { ownerIds: ['u'] } });
    assert.equal([within([fullyQualifiedName]), within(['elsewhere'])], [false, true]);
    assert.equal(
      await readNotedConditions(service, policy.id),
      ['team Organization', `team ${fullyQualifiedName}`].sort(),
    );
  }
});

test('every kind that a condition can name has a test case', () => {
  assert.equal([...NAMEABLE_KINDS].sort(), ['glossaryTerm', 'role', 'tag', 'team']);
  for (const entityType of NAMEABLE_KINDS) assert.is(requireKind(service.registry, entityType).isRenamable, true);
});

test('names with a common prefix and equal names of other kinds stay', async () => {
  const [name, longer] = [uniqueName('same'), uniqueName('same')];
  await make('classification', { name });
  const tag = await make('tag', { name: 'a', classification: name });
  await make('tag', { name: 'ab', classification: name });
  await make('tag', { name: 'b', parent: `${name}.a` });
  await make('glossary', { name: longer });
  await make('team', { name });
  const role = await make('role', { name });
  const policy = await createDenyingPolicy(
    service.admin,
    `matchAnyTag('${name}.a','${name}.ab', '${name}.a.b')`,
    `inAnyTeam('${name}') or hasAnyRole('${name}')`,
  );
  await renamed('tag', tag, 'z');
  await renamed('role', role, `${name}2`);
  assert.equal(await conditions(policy), [
    `matchAnyTag('${name}.z','${name}.ab', '${name}.z.b')`,
    `inAnyTeam('${name}') or hasAnyRole('${name}2')`,
  ]);
});

test('when a tag and a term share a name, the text follows the one it was resolved to', async () => {
  const name = uniqueName('twice');
  const glossary = await make('glossary', { name });
  const term = await make('glossaryTerm', { name: 'x', glossary: name });
  const ofTerm = await createDenyingPolicy(service.admin, `matchAnyTag('${name}.x')`);
  await make('classification', { name });
  const tag = await make('tag', { name: 'x', classification: name });
  const ofTag = await createDenyingPolicy(
    service.admin,
    `matchAnyTag('${name}.x') or matchAnyCertification('${name}.x')`,
  );
  await renamed('tag', tag, 'tag');
  assert.equal(await conditions(ofTerm), [`matchAnyTag('${name}.x')`]);
  assert.equal(await conditions(ofTag), [`matchAnyTag('${name}.tag') or matchAnyCertification('${name}.tag')`]);
  await renamed('glossaryTerm', term, 'term');
  await renamed('glossary', glossary, `${name}g`);
  assert.equal(await conditions(ofTerm), [`matchAnyTag('${name}g.term')`]);
  assert.is((await readPolicy(service.admin, ofTag.id)).version, 0.2);
});

test('a rewritten policy gets one version by the renaming user, which lists its rules', async () => {
  const { classification, outer, inner } = await plantTags();
  const team = await make('team');
  const names = [outer, inner].map(({ fullyQualifiedName }) => fullyQualifiedName);
  const policy = await createDenyingPolicy(
    service.admin,
    `matchAnyTag('${names[0]}') or matchAllTags('${names[1]}', '${names[0]}')`,
    `inAnyTeam('${team.name}')`,
    `matchAnyTag('${names[1]}')`,
  );
  const other = await createDenyingPolicy(service.admin, `matchAnyTag('Tier.Tier1') and inAnyTeam('${team.name}')`);
  const boss = await createPerson(service, uniqueName('boss'), { isAdmin: true });
  const classes = uniqueName('classes');
  await renamed('classification', classification, classes, boss);
  const after = ok(await service.admin.get(`/v1/policies/${policy.id}`));
  assert.equal([after.version, after.updatedBy], [0.2, boss.name]);
  assert.ok(after.updatedAt >= ok(await service.admin.get(`/v1/policies/${policy.id}/versions/0.1`)).updatedAt);
  assert.equal(conditionsOf(after), [
    `matchAnyTag('${classes}.outer') or matchAllTags('${classes}.outer.inner', '${classes}.outer')`,
    `inAnyTeam('${team.name}')`,
    `matchAnyTag('${classes}.outer.inner')`,
  ]);
  const { previousVersion, fieldsAdded, fieldsUpdated, fieldsDeleted } = after.changeDescription;
  assert.equal([previousVersion, fieldsAdded, fieldsDeleted, fieldsUpdated.length], [0.1, [], [], 1]);
  assert.is(fieldsUpdated[0].name, 'rules');
  const told = (text: string) =>
    JSON.parse(text).map(({ name, condition }: { name: string; condition: string }) => [name, condition]);
  const changed = (rules: Policy) => [0, 2].map((at) => [`r${at}`, conditionsOf(rules)[at]]);
  assert.equal(told(fieldsUpdated[0].oldValue), changed(policy));
  assert.equal(told(fieldsUpdated[0].newValue), changed(after));
  assert.equal(ok(await service.admin.get(`/v1/policies/${policy.id}/versions/0.1`)).rules, policy.rules);
  assert.equal(
    JSON.parse(ok(await service.admin.get(`/v1/policies/${policy.id}/versions`)).versions[0]).rules,
    after.rules,
  );
  const [event] = await service.graph.query(
    `MATCH (e:ChangeEvent {entityId: $id, eventType: 'entityUpdated'}) RETURN e.json AS json`,
    { id: policy.id },
  );
  const happened = JSON.parse(String(event?.['json']));
  assert.equal(
    [
      happened.userName,
      happened.previousVersion,
      happened.currentVersion,
      happened.changeDescription,
      happened.entity.rules,
    ],
    [boss.name, 0.1, 0.2, after.changeDescription, after.rules],
  );
  const kept = await readStored(service, policy.id);
  assert.equal([kept?.versions, kept?.events], [1, 2]);
  const [mark] = await service.graph.query('MATCH (d:Dirty {entityId: $id}) RETURN d.revision AS revision', {
    id: policy.id,
  });
  assert.is(mark?.['revision'], kept?.properties['revision']);
  assert.is((await readPolicy(service.admin, other.id)).version, 0.1);
});

test('system, disabled and deleted policies are rewritten too', async () => {
  const team = await make('team');
  const condition = `inAnyTeam('${team.name}')`;
  const [frozen, off, deleted] = [
    await createDenyingPolicy(service.admin, condition),
    await createDenyingPolicy(service.admin, condition),
    await createDenyingPolicy(service.admin, condition),
  ];
  ok(await service.admin.patch(`/v1/policies/${frozen.id}`, { allowEdit: false }));
  ok(await service.admin.patch(`/v1/policies/${off.id}`, { enabled: false, disabled: true }));
  ok(await service.admin.delete(`/v1/policies/${deleted.id}`));
  const crew = uniqueName('crew');
  await renamed('team', team, crew);
  const wanted = [`inAnyTeam('${crew}')`];
  assert.equal([await conditions(frozen), await conditions(off)], [wanted, wanted]);
  assert.equal(conditionsOf(await readPolicy(service.admin, deleted.id, '?include=deleted')), wanted);
  ok(await service.admin.put('/v1/policies/restore', { id: deleted.id }));
  assert.equal(await conditions(deleted), wanted);
});

test('deletion leaves the text, which follows renamed ancestors and any later record of that name', async () => {
  const classification = await make('classification');
  const tag = await make('tag', { name: 'x', classification: classification.fullyQualifiedName });
  const policy = await createDenyingPolicy(service.admin, `matchAnyTag('${tag.fullyQualifiedName}')`);
  const text = await conditions(policy);
  ok(await service.admin.delete(`/v1/tags/${tag.id}`));
  assert.equal(await conditions(policy), text);
  const hidden = uniqueName('hidden');
  await renamed('classification', classification, hidden);
  assert.equal(await conditions(policy), [`matchAnyTag('${hidden}.x')`]);
  ok(await service.admin.put('/v1/tags/restore', { id: tag.id }));
  ok(await service.admin.delete(`/v1/tags/${tag.id}?hardDelete=true`));
  assert.equal(await conditions(policy), [`matchAnyTag('${hidden}.x')`]);
  assert.is((await readPolicy(service.admin, policy.id)).version, 0.2);
  const next = await make('tag', { name: 'y', classification: hidden });
  await renamed('tag', next, 'x');
  assert.is((await readPolicy(service.admin, policy.id)).version, 0.2);
  await renamed('tag', next, 'z');
  assert.equal(await conditions(policy), [`matchAnyTag('${hidden}.z')`]);
});

test('a policy that is deleted or no longer names a record is not rewritten', async () => {
  const [team, other] = [await make('team'), await make('team')];
  const policy = await createDenyingPolicy(service.admin, `inAnyTeam('${team.name}')`, `inAnyTeam('${other.name}')`);
  const rules = policy.rules.slice(1);
  ok(await service.admin.put('/v1/policies', { name: policy.name, rules }));
  assert.equal(await readNotedConditions(service, policy.id), [`team ${other.name}`]);
  await renamed('team', team, uniqueName('team'));
  assert.is((await readPolicy(service.admin, policy.id)).version, 0.2);
  const patch = [
    {
      op: 'add',
      path: '/rules/-',
      value: { ...denyingPolicy(`not inAnyTeam('${other.name}')`).rules[0], name: 'more' },
    },
  ];
  ok(await service.admin.patch(`/v1/policies/${policy.id}`, patch));
  const crew = uniqueName('crew');
  await renamed('team', other, crew);
  assert.equal(await conditions(policy), [`inAnyTeam('${crew}')`, `not inAnyTeam('${crew}')`]);
  ok(await service.admin.delete(`/v1/policies/${policy.id}?hardDelete=true`));
  await renamed('team', other, uniqueName('crew'));
  const strays = await service.graph.query('MATCH (n:Naming) WHERE NOT (n)<-[:REFERENCES_NAME]-() RETURN n');
  assert.equal(strays, []);
});

test('a former name is unknown in a new request', async () => {
  const team = await make('team');
  const policy = await createDenyingPolicy(service.admin, `inAnyTeam('${team.name}')`);
  const crew = uniqueName('crew');
  await renamed('team', team, crew);
  const { name, rules } = policy;
  const sentence = `team instance for ${team.name} not found`;
  expectRefused(
    await expectUnchanged(service, policy.id, () => service.admin.put('/v1/policies', { name, rules })),
    404,
    sentence,
  );
  expectRefused(await service.admin.post('/v1/policies', denyingPolicy(`inAnyTeam('${team.name}')`)), 404, sentence);
  ok(await service.admin.patch(`/v1/policies/${policy.id}`, { description: 'told' }));
  assert.equal(await conditions(policy), [`inAnyTeam('${crew}')`]);
});

test('a rename that would make a condition too long is refused and changes nothing', async () => {
  const team = await make('team');
  const condition = `inAnyTeam('${team.name}')`;
  const long = condition + ' '.repeat(MAX_CONDITION_LENGTH - condition.length);
  const policy = await createDenyingPolicy(service.admin, 'isOwner()', long);
  const name = `${team.name}x`;
  const reply = await expectUnchanged(service, team.id, () =>
    expectUnchanged(service, policy.id, () => rename('team', team, name)),
  );
  expectRefused(
    reply,
    400,
    `[rules.1.condition is not a condition: longer than 10000 characters, which is the most] in policy ${policy.name}, which refers to the renamed asset`,
  );
  await renamed('team', team, team.name.slice(0, -1));
  assert.is((await conditions(policy))[1]?.length, MAX_CONDITION_LENGTH - 1);
});

test('a rename that affects more policies than one request may change is refused', async () => {
  const { client } = await openSecondProcessWith(service, { cascadeRows: 3 });
  const team = await make('team');
  const policies = await Promise.all([1, 2, 3, 4].map(() => createDenyingPolicy(client, `inAnyTeam('${team.name}')`)));
  const reply = await expectUnchanged(service, team.id, () => rename('team', team, uniqueName('crew'), client));
  expectRefused(reply, 400, '[name must not be changed while the texts of more than 3 assets refer to it]');
  for (const { id, version } of policies) assert.is((await readPolicy(client, id)).version, version);
  ok(await client.delete(`/v1/policies/${policies[0]?.id}?hardDelete=true`));
  const crew = uniqueName('crew');
  await renamed('team', team, crew, client);
  for (const policy of policies.slice(1)) assert.equal(await conditions(policy), [`inAnyTeam('${crew}')`]);
});

const statusIs = (reply: Reply, ...allowed: readonly number[]) =>
  assert.ok(allowed.includes(reply.status), `${reply.status}: ${reply.text}`);

test('concurrent edits of a policy and a rename lose neither', async () => {
  const twin = await openSecondProcess(service);
  const tag = await make('tag', { classification: (await make('classification')).fullyQualifiedName });
  const policies = await Promise.all(
    Array.from({ length: 4 }, () => createDenyingPolicy(service.admin, `matchAnyTag('${tag.fullyQualifiedName}')`)),
  );
  const above = tag.fullyQualifiedName.slice(0, -tag.name.length);
  const last: (string | undefined)[] = policies.map(() => undefined);
  const edit = async (at: number, description: string) => {
    const client = at % 2 === 0 ? service.admin : twin;
    const reply = await client.patch(`/v1/policies/${policies[at]?.id}`, { description });
    statusIs(reply, 200, 409);
    if (reply.status === 200) last[at] = description;
  };
  let name = tag.name;
  for (let turn = 0; turn < 12; turn += 1) {
    name = uniqueName('tag');
    const renaming = rename('tag', tag, name, turn % 2 === 0 ? twin : service.admin);
    await Promise.all(policies.map((_, at) => edit(at, `turn ${turn}`)));
    ok(await renaming);
  }
  for (const [at, { id }] of policies.entries()) {
    const after = ok(await service.admin.get(`/v1/policies/${id}`));
    assert.equal([conditionsOf(after), after.description], [[`matchAnyTag('${above}${name}')`], last[at]]);
    assert.equal(await readNotedConditions(service, id), [`tag ${above}${name}`]);
  }
});

test('a policy stored during a rename gets the final name', async () => {
  const twin = await openSecondProcess(service);
  const glossary = await make('glossary');
  const term = await make('glossaryTerm', { name: 'x', glossary: glossary.fullyQualifiedName });
  const made: string[] = [];
  let missed = 0;
  const write = async (client: Client) => {
    const { fullyQualifiedName } = ok(await client.get(`/v1/glossaryTerms/${term.id}`));
    const reply = await client.post('/v1/policies', denyingPolicy(`matchAnyTag('${fullyQualifiedName}')`));
    statusIs(reply, 201, 404);
    if (reply.status === 201) made.push(reply.json.id);
    else missed += 1;
  };
  const writers = [service.admin, twin, service.admin, twin];
  for (let turn = 0; turn < 12; turn += 1) {
    const client = turn % 2 === 0 ? twin : service.admin;
    const renaming =
      turn % 3 === 0
        ? rename('glossaryTerm', term, `x${turn}`, client)
        : rename('glossary', glossary, uniqueName('g'), client);
    await Promise.all(writers.map(write));
    ok(await renaming);
  }
  const { fullyQualifiedName } = await read(`glossaryTerms/${term.id}`);
  assert.ok(made.length > 0, `none was made, ${missed} came too late`);
  for (const id of made) {
    assert.equal(await conditions({ id }), [`matchAnyTag('${fullyQualifiedName}')`]);
    assert.equal(await readNotedConditions(service, id), [`glossaryTerm ${fullyQualifiedName}`]);
  }
});

test('concurrent renames of a record and its ancestors end consistently', async () => {
  const twin = await openSecondProcess(service);
  const { classification, outer, inner } = await plantTags();
  const policy = await createDenyingPolicy(
    service.admin,
    `matchAnyTag('${inner.fullyQualifiedName}', '${outer.fullyQualifiedName}')`,
  );
  for (let turn = 0; turn < 8; turn += 1) {
    const replies = await Promise.all([
      rename('classification', classification, uniqueName('c'), turn % 2 === 0 ? twin : service.admin),
      rename('tag', outer, `o${turn}`, service.admin),
      rename('tag', inner, `i${turn}`, twin),
    ]);
    for (const reply of replies) statusIs(reply, 200, 409);
  }
  const [top, above, below] = await Promise.all([
    read(`classifications/${classification.id}`),
    read(`tags/${outer.id}`),
    read(`tags/${inner.id}`),
  ]);
  assert.equal(
    [above.fullyQualifiedName, below.fullyQualifiedName],
    [`${top.name}.${above.name}`, `${top.name}.${above.name}.${below.name}`],
  );
  assert.equal(await conditions(policy), [`matchAnyTag('${below.fullyQualifiedName}', '${above.fullyQualifiedName}')`]);
});

test.run();
