import * as assert from 'uvu/assert';
import { findDocumentReferences } from '../../../src/contracts/odcs/import.ts';
import type { Json, JsonObject } from '../../../src/model/json.ts';
import { contractOf, document, edited, exported, findings, imported } from '../../support/odcs-mapping.ts';
import { suite } from '../../support/suite.ts';

/** Shows that owners and reviewers are converted both ways. */

const test = suite('contracts/odcs: people');

const ada = { id: 'user-ada', type: 'user' };
const bob = { id: 'user-bob', type: 'user' };
const shop = { id: 'team-shop', type: 'team' };

const team = (...members: readonly JsonObject[]) => document({ team: members });
const owner = (username: string, more: JsonObject = {}): JsonObject => ({ username, role: 'owner', ...more });

test('owners are users by name, e-mail or display name, then teams, with a role in any case', () => {
  const rows: readonly (readonly [JsonObject, Json | undefined])[] = [
    [owner('ada'), [ada]],
    [owner('ada@example.com', { role: 'Owner' }), [ada]],
    [owner('x', { name: 'ada', role: 'OWNER' }), [ada]],
    [owner('shop', { name: 'ada' }), [ada]],
    [owner('x', { name: 'shop' }), [shop]],
    [owner('shop'), [shop]],
    [owner('nobody'), undefined],
    [owner('ada', { role: 'Data Scientist' }), undefined],
    [{ username: 'ada' }, undefined],
    [owner('ada', { dateOut: '2026-02-28' }), undefined],
    [owner('ada', { dateOut: '2026-03-01' }), [ada]],
    [owner('ada', { dateOut: '2026-03-01T11:00:00Z' }), undefined],
    [owner('ada', { dateOut: '2030-01-01' }), [ada]],
    [owner('ada', { dateOut: 'some day' }), [ada]],
  ];
  for (const [member, owners] of rows) assert.equal(contractOf(team(member))['owners'], owners, JSON.stringify(member));
});

test('reviewers are matched like owners, and a team may be an object', () => {
  const source = document({
    team: { name: 'People', members: [owner('ada'), owner('bob', { role: 'reviewer' }), owner('ada'), 'odd'] },
  });
  const { owners, reviewers } = contractOf(source);
  assert.equal([owners, reviewers], [[ada], [bob]]);
});

test('users and teams, or two teams, cannot own together, and the rest is reported', () => {
  const mixed = imported(team(owner('shop'), owner('ada'), owner('bob')));
  assert.equal(mixed.contract['owners'], [ada, bob]);
  assert.equal(findings(mixed), ['warning team team[0]']);
  const teams = imported(team(owner('shop'), owner('data')));
  assert.equal(teams.contract['owners'], [shop]);
  assert.equal(findings(teams), ['warning team team[1]']);
  const unknown = imported(document({ team: { members: [owner('ghost')] } }));
  assert.equal(findings(unknown), ['warning team team.members[0]']);
  assert.equal(unknown.report['canImport'], true);
});

test('all names to look up are listed beforehand', () => {
  const property = { name: 'a', tags: ['one', 'two'], properties: [{ name: 'b', tags: ['three'] }] };
  const list = { name: 'l', items: { properties: [{ name: 'c', tags: ['two', 'four'] }] } };
  const source = document({
    tags: ['none'],
    team: [owner('ada', { name: 'Ada' }), { username: 'x', role: 'dpo' }, owner('bob', { role: 'Reviewer' })],
    // In the oldest form this item is a column itself.
    schema: [{ name: 'o', tags: ['top'], properties: [property, list] }],
  });
  assert.equal(findDocumentReferences(source), {
    people: ['ada', 'Ada', 'bob'],
    tags: ['top', 'one', 'two', 'three', 'four'],
  });
  const asked = new Set<string>();
  const listen = { person: (text: string) => void asked.add(text), tag: (text: string) => void asked.add(text) };
  exported({}, source, {
    lookup: { person: (text) => listen.person(text) ?? undefined, tag: (text) => listen.tag(text) ?? undefined },
  });
  assert.equal([...asked].sort(), ['Ada', 'ada', 'bob', 'four', 'one', 'three', 'two']);
});

test('owners and reviewers are written for a contract without a document', () => {
  const contract = {
    owners: [
      { ...ada, name: 'ada', displayName: 'Ada L.' },
      { ...bob, name: 'bob', inherited: true },
    ],
    reviewers: [{ ...shop, name: 'shop' }],
  };
  assert.equal(exported(contract)['team'], [
    { username: 'ada', name: 'Ada L.', role: 'owner' },
    { username: 'shop', name: 'shop', role: 'reviewer' },
  ]);
  assert.equal(contractOf(exported(contract))['owners'], [ada]);
  assert.is(exported({ owners: [] })['team'], undefined);
});

test('changed owners change the members, in the format of the document', () => {
  const members = [
    owner('ada', { role: 'Owner', dateIn: '2020-01-01' }),
    { username: 'x', role: 'dpo' },
    owner('ghost'),
  ];
  const refs =
    (...owners: readonly JsonObject[]) =>
    (contract: JsonObject) => ({ ...contract, owners });
  const bobby = { username: 'bob', name: 'Bob', role: 'owner' };
  const named = { ...bob, name: 'bob', displayName: 'Bob' };
  assert.equal(edited(team(...members), refs(ada, named))['team'], [...members, bobby]);
  assert.equal(edited(team(...members), refs(named))['team'], [...members.slice(1), bobby]);
  const whole = document({ team: { name: 'People', members } });
  assert.equal(edited(whole, refs(named))['team'], { name: 'People', members: [...members.slice(1), bobby] });
  assert.equal(edited(document({ team: { name: 'P', members: [owner('ada')] } }), refs())['team'], { name: 'P' });
  assert.is(edited(team(owner('ada')), refs())['team'], undefined);
});

test('former and unmatched members stay though they own nothing', () => {
  const source = team(owner('ada', { dateOut: '2020-01-01' }), owner('shop'), owner('bob'));
  assert.equal(edited(source, (contract) => contract)['team'], source['team']);
  assert.equal(edited(source, ({ owners: _owners, ...contract }) => contract)['team'], [
    owner('ada', { dateOut: '2020-01-01' }),
    owner('shop'),
  ]);
});

const roles = (...items: readonly JsonObject[]) => document({ roles: items });

test('roles become policies with their approvers, and one classification of the data', () => {
  const source = roles(
    { role: 'reader', access: 'read', firstLevelApprovers: 'Ada, Bob ,', secondLevelApprovers: 'x' },
    { role: 'writer', firstLevelApprovers: ['Ada', 'Bob'] },
    { role: 'classification-secret', access: 'read' },
    { role: 'plain' },
    { access: 'read' },
  );
  assert.equal(contractOf(source)['security'], {
    dataClassification: 'secret',
    policies: [
      { accessPolicy: 'reader', identities: ['Ada', 'Bob'] },
      { accessPolicy: 'writer', identities: ['Ada', 'Bob'] },
      { accessPolicy: 'plain' },
    ],
  });
  assert.equal(findings(imported(roles({ role: 'classification-a' }, { role: 'classification-b' }))), [
    'warning roles roles[1]',
  ]);
  assert.is(contractOf(document({ roles: [] }))['security'], undefined);
});

test('security is written for a contract without a document', () => {
  const security = {
    dataClassification: 'secret',
    policies: [{ accessPolicy: 'reader', identities: ['Ada', 'Bob'] }, { identities: ['x'] }, { accessPolicy: 'free' }],
  };
  assert.equal(exported({ security })['roles'], [
    { role: 'reader', access: 'read', firstLevelApprovers: 'Ada, Bob' },
    { role: 'data-consumer', access: 'read', firstLevelApprovers: 'x' },
    { role: 'free', access: 'read' },
    { role: 'classification-secret', access: 'read' },
  ]);
});

test('changed security changes the roles, and their other members stay', () => {
  const reader = { role: 'reader', access: 'write', firstLevelApprovers: 'Ada,Bob', description: 'd' };
  const secret = { role: 'classification-secret', access: 'none', description: 'c' };
  const source = roles(secret, reader, { role: 'other' });
  const security = (value: JsonObject) => edited(source, (contract) => ({ ...contract, security: value }))['roles'];
  const same = { accessPolicy: 'reader', identities: ['Ada', 'Bob'] };
  assert.equal(security({ dataClassification: 'secret', policies: [same] }), [secret, reader]);
  assert.equal(security({ dataClassification: 'open', policies: [{ accessPolicy: 'reader', identities: ['Cid'] }] }), [
    { ...secret, role: 'classification-open' },
    { ...reader, firstLevelApprovers: 'Cid' },
  ]);
  const { firstLevelApprovers: _approvers, ...silent } = reader;
  assert.equal(security({ policies: [{ accessPolicy: 'new' }, { accessPolicy: 'reader' }] }), [
    silent,
    { role: 'new', access: 'read' },
  ]);
  assert.is(edited(source, ({ security: _security, ...contract }) => contract)['roles'], undefined);
});

test('two roles with one name are two policies', () => {
  const twins = [
    { role: 'r', description: '1', firstLevelApprovers: 'a' },
    { role: 'r', description: '2', firstLevelApprovers: 'b' },
  ];
  const policies = [
    { accessPolicy: 'r', identities: ['a'] },
    { accessPolicy: 'r', identities: ['c'] },
  ];
  assert.equal(edited(roles(...twins), (contract) => ({ ...contract, security: { policies } }))['roles'], [
    twins[0],
    { ...twins[1], firstLevelApprovers: 'c' },
  ]);
});

test.run();
