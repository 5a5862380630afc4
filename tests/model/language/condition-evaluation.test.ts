import * as assert from 'uvu/assert';
import { type PolicyCondition, parseCondition } from '../../../src/model/language/condition.ts';
import {
  type CallerFacts,
  type ConditionFacts,
  compileCondition,
  holdingFacts,
  type ResourceFacts,
} from '../../../src/model/language/condition-evaluation.ts';
import { suite } from '../../support/suite.ts';

/** Shows that conditions of policies are evaluated against the facts of an asset. */

const test = suite('model: evaluation of conditions');

const caller = (more: Partial<CallerFacts> = {}): CallerFacts => ({
  ownerIds: new Set(['ann', 'crew-id']),
  domainIds: new Set(),
  teams: new Set(['crew', 'Organization']),
  roles: new Set(['DataConsumer']),
  ...more,
});

const resource = (more: Partial<ResourceFacts> = {}): ResourceFacts => ({
  ownerIds: [],
  domainIds: [],
  tags: new Set(),
  certification: undefined,
  ownerTeams: new Set(),
  ...more,
});

const facts = (
  one: Partial<ResourceFacts> | undefined,
  who: Partial<CallerFacts> = {},
  policyTeam?: string,
): ConditionFacts => ({ caller: caller(who), resource: one && resource(one), policyTeam });

const decide = (text: string, given: ConditionFacts): boolean => compileCondition(parseCondition(text))(given);

test('isOwner: the caller or one of their teams is the owner', () => {
  assert.is(decide('isOwner()', facts({ ownerIds: ['ann'] })), true);
  assert.is(decide('isOwner()', facts({ ownerIds: ['ben', 'crew-id'] })), true);
  assert.is(decide('isOwner()', facts({ ownerIds: ['ben'] })), false);
  assert.is(decide('isOwner()', facts({})), false);
});

test('noOwner and noDomain: the record has none', () => {
  assert.is(decide('noOwner()', facts({})), true);
  assert.is(decide('noOwner()', facts({ ownerIds: ['ben'] })), false);
  assert.is(decide('noDomain()', facts({})), true);
  assert.is(decide('noDomain()', facts({ domainIds: ['d'] })), false);
});

test('hasDomain: caller and record share a domain or both have none, and lists decide per row', () => {
  const shares = (mine: string[], its: string[]) =>
    decide('hasDomain()', facts({ domainIds: its }, { domainIds: new Set(mine) }));
  assert.is(shares([], []), true);
  assert.is(shares(['d'], ['d']), true);
  assert.is(shares(['c', 'd'], ['d', 'e']), true);
  assert.is(shares(['d'], []), false);
  assert.is(shares([], ['d']), false);
  assert.is(shares(['c'], ['d']), false);
  assert.is(decide('hasDomain()', facts(undefined)), true);
  assert.is(decide('hasDomain()', facts(undefined, { domainIds: new Set(['d']) })), true);
});

test('matchAllTags and matchAnyTag compare tags and terms of the record', () => {
  const tagged = facts({ tags: new Set(['PII.None', 'g."a.b"']) });
  assert.is(decide(`matchAllTags('PII.None')`, tagged), true);
  assert.is(decide(`matchAllTags('PII.None', 'g."a.b"')`, tagged), true);
  assert.is(decide(`matchAllTags('PII.None', 'PII.Other')`, tagged), false);
  assert.is(decide(`matchAnyTag('PII.Other', 'g."a.b"')`, tagged), true);
  assert.is(decide(`matchAnyTag('PII.Other')`, tagged), false);
  assert.is(decide(`matchAnyTag('PII')`, tagged), false);
  assert.is(decide(`matchAnyTag('pii.none')`, tagged), false);
  for (const name of ['matchAllTags', 'matchAnyTag']) assert.is(decide(`${name}('PII.None')`, facts({})), false);
});

test('matchAnyCertification compares the certification of the record', () => {
  const gold = facts({ certification: 'Certification.Gold' });
  assert.is(decide(`matchAnyCertification('Certification.Gold')`, gold), true);
  assert.is(decide(`matchAnyCertification('Certification.Silver','Certification.Gold')`, gold), true);
  assert.is(decide(`matchAnyCertification('Certification.Silver')`, gold), false);
  assert.is(decide(`matchAnyCertification('Certification.Gold')`, facts({})), false);
});

test('matchTeam: caller and owners are below the team of the policy', () => {
  const owned = { ownerTeams: new Set(['sub', 'crew']) };
  assert.is(decide('matchTeam()', facts(owned, {}, 'crew')), true);
  assert.is(decide('matchTeam()', facts(owned, {}, 'sub')), false);
  assert.is(decide('matchTeam()', facts(owned, { teams: new Set(['sub', 'crew']) }, 'sub')), true);
  assert.is(decide('matchTeam()', facts({}, {}, 'crew')), false);
  assert.is(decide('matchTeam()', facts(owned, {})), false);
});

test('inAnyTeam and hasAnyRole use own and inherited teams and roles, with or without a record', () => {
  for (const one of [undefined, {}]) {
    assert.is(decide(`inAnyTeam('crew')`, facts(one)), true);
    assert.is(decide(`inAnyTeam('x', 'Organization')`, facts(one)), true);
    assert.is(decide(`inAnyTeam('x')`, facts(one)), false);
    assert.is(decide(`hasAnyRole('DataConsumer')`, facts(one)), true);
    assert.is(decide(`hasAnyRole('DataSteward','DataConsumer')`, facts(one)), true);
    assert.is(decide(`hasAnyRole('DataSteward')`, facts(one)), false);
  }
});

test('without a record only hasDomain is true', () => {
  const without = ['isOwner()', 'noOwner()', 'noDomain()', `matchAllTags('a')`, `matchAnyTag('a')`, 'matchTeam()'];
  for (const text of [...without, `matchAnyCertification('a')`]) {
    assert.is(decide(text, facts(undefined, {}, 'crew')), false, text);
  }
});

const TRUE = `inAnyTeam('crew')`;
const FALSE = `inAnyTeam('x')`;

test('operators are correct in every combination of two and three operands', () => {
  for (const a of [true, false]) {
    for (const b of [true, false]) {
      const [x, y] = [a ? TRUE : FALSE, b ? TRUE : FALSE];
      assert.is(decide(`${x} && ${y}`, facts({})), a && b);
      assert.is(decide(`${x} or ${y}`, facts({})), a || b);
      assert.is(decide(`!${x} && not ${y}`, facts({})), !a && !b);
      assert.is(decide(`!(${x} || ${y})`, facts({})), !(a || b));
      for (const c of [true, false]) {
        const z = c ? TRUE : FALSE;
        assert.is(decide(`${x} and ${y} and ${z}`, facts({})), a && b && c);
        assert.is(decide(`${x} || ${y} || ${z}`, facts({})), a || b || c);
        assert.is(decide(`${x} || ${y} && ${z}`, facts({})), a || (b && c));
        assert.is(decide(`(${x} || ${y}) && ${z}`, facts({})), (a || b) && c);
      }
    }
  }
});

/** The plain meaning of a tree whose calls are all about teams, to compare the compiled form with. */
const meaning = (tree: PolicyCondition, teams: ReadonlySet<string>): boolean => {
  if (tree.op === 'call') return tree.names.some((name) => teams.has(name));
  if (tree.op === 'not') return !meaning(tree.of, teams);
  return tree.op === 'all' ? tree.of.every((of) => meaning(of, teams)) : tree.of.some((of) => meaning(of, teams));
};

test('property: a compiled condition equals its tree, and not all equals any not', () => {
  let state = 5;
  const random = (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const grow = (depth: number): PolicyCondition => {
    const choice = depth === 0 ? 0 : random(4);
    if (choice === 0) return { op: 'call', name: 'inAnyTeam', names: [`t${random(6)}`, `t${random(6)}`] };
    if (choice === 1) return { op: 'not', of: grow(depth - 1) };
    const of = Array.from({ length: 2 + random(3) }, () => grow(depth - 1));
    return { op: choice === 2 ? 'all' : 'any', of };
  };
  for (let round = 0; round < 500; round += 1) {
    const tree = grow(4);
    const compiled = compileCondition(tree);
    for (let sample = 0; sample < 10; sample += 1) {
      const teams = new Set(['t0', 't1', 't2', 't3', 't4', 't5'].filter(() => random(2) === 0));
      const given = facts({}, { teams });
      assert.is(compiled(given), meaning(tree, teams), JSON.stringify(tree));
      const [left, right] = [grow(2), grow(2)];
      const negated = compileCondition({ op: 'not', of: { op: 'all', of: [left, right] } });
      const spread = compileCondition({
        op: 'any',
        of: [
          { op: 'not', of: left },
          { op: 'not', of: right },
        ],
      });
      assert.is(negated(given), spread(given));
    }
  }
});

test('evaluation does not change the facts', () => {
  const compiled = compileCondition(parseCondition(`isOwner() || (hasDomain() && !matchAnyTag('PII.Sensitive'))`));
  const given = facts({ tags: new Set(['PII.Sensitive']), ownerIds: ['ann'] });
  Object.freeze(given.caller);
  Object.freeze(given.resource);
  for (let round = 0; round < 3; round += 1) assert.is(compiled(Object.freeze(given)), true);
});

/** What a record may lose so that the condition holds no longer, in short. */
const lost = (text: string) => {
  const { labels, owners, domains } = holdingFacts(parseCondition(text));
  return [labels.join(), ...(owners ? ['owners'] : []), ...(domains ? ['domains'] : [])].join(' ').trim();
};

test('what a condition stops to hold without is told apart from what it begins to hold without', () => {
  assert.is(lost("matchAnyTag('A.b', 'A.c') || matchAllTags('A.d')"), 'A.b,A.c,A.d');
  assert.is(lost("!matchAnyTag('A.b')"), '');
  assert.is(lost("!(!matchAnyTag('A.b') && isOwner())"), 'A.b');
  assert.is(lost('isOwner()'), 'owners');
  assert.is(lost('!isOwner() && !matchTeam()'), '');
  assert.is(lost('matchTeam()'), 'owners');
  assert.is(lost('noOwner() || noDomain()'), '');
  assert.is(lost('!noOwner() || !noDomain()'), 'owners domains');
  assert.is(lost('hasDomain()'), 'domains');
  assert.is(lost('!hasDomain()'), 'domains');
  assert.is(lost("inAnyTeam('crew') || hasAnyRole('DataConsumer') || matchAnyCertification('Certification.Gold')"), '');
});

test.run();
