import * as assert from 'uvu/assert';
import type { TeamBranch } from '../../src/explorer/api/team-branch.ts';
import { auditTimes, readAuditChoice, writeAuditChoice } from '../../src/explorer/audit/audit-choice.ts';
import {
  GAPS,
  gapQuery,
  readHealthChoice,
  scopeQuery,
  staleSince,
  writeHealthChoice,
} from '../../src/explorer/health/health-choice.ts';
import { listTeamRows } from '../../src/explorer/people/team-rows.ts';
import { suite } from '../support/suite.ts';

/** Shows what the addresses of the pages for health and audit hold, and how teams become rows. */

const test = suite('explorer: health, teams and audit');

test('the address of a health page holds the whole view, and no address breaks it', () => {
  const through = (text: string) => writeHealthChoice(readHealthChoice(new URLSearchParams(text))).toString();
  assert.is(through('scope=a.b&stale=90&all=true'), 'scope=a.b&stale=90&all=true');
  assert.is(through('scope=&stale=31&all=yes'), '');
});

test('the time since which edges must be confirmed stays the same for an hour', () => {
  const noon = Date.UTC(2026, 0, 31, 12);
  assert.is(staleSince(30, noon), Date.UTC(2026, 0, 1, 12));
  assert.is(staleSince(30, noon + 3_599_999), staleSince(30, noon));
});

test('names in queries stand as they are', () => {
  assert.is(scopeQuery(undefined), '*');
  assert.match(scopeQuery('a-b.c'), 'fullyQualifiedName:"a-b.c" OR fullyQualifiedName:a\\-b.c.*');
  assert.match(scopeQuery('a"b'), 'fullyQualifiedName:"a\\"b" OR fullyQualifiedName:a\\"b.*');
  assert.is(gapQuery(GAPS[0], undefined), GAPS[0].query);
  assert.match(gapQuery(GAPS[0], 'x'), /^NOT owners\.name:\* AND \(fullyQualifiedName:"x"/);
});

const team = (name: string, ...children: readonly TeamBranch[]): TeamBranch => ({
  id: name,
  name,
  fullyQualifiedName: name,
  children,
});

const TEAMS = [team('all', team('beta', team('leaf')), team('alpha'))];

const rowsOf = (options: { readonly closed?: readonly string[]; readonly text?: string }) =>
  listTeamRows(TEAMS, { closed: new Set(options.closed ?? []), text: options.text ?? '' }).map(
    ({ team: { name }, depth, below }) => [name, depth, below],
  );

test('teams stand below theirs in the order of their names', () => {
  assert.equal(rowsOf({}), [
    ['all', 0, 3],
    ['alpha', 1, 0],
    ['beta', 1, 1],
    ['leaf', 2, 0],
  ]);
});

test('what is below a closed team is left out, unless it is looked for', () => {
  assert.equal(
    rowsOf({ closed: ['beta'] }).map(([name]) => name),
    ['all', 'alpha', 'beta'],
  );
  assert.equal(
    rowsOf({ closed: ['all', 'beta'], text: ' LEAF' }).map(([name]) => name),
    ['all', 'beta', 'leaf'],
  );
  assert.equal(rowsOf({ text: 'nobody' }), []);
});

test('the address of an audit page holds its conditions, and no address breaks it', () => {
  const through = (text: string) => writeAuditChoice(readAuditChoice(new URLSearchParams(text))).toString();
  assert.is(
    through('actor=ana&action=login&from=2026-01-31&to=2026-02-01'),
    'actor=ana&action=login&from=2026-01-31&to=2026-02-01',
  );
  assert.is(through('action=toString&from=yesterday&to=2026-13-40'), '');
  assert.is(through('from=2026-02-31'), '', 'no other day is taken for one that there is not');
});

test('both days are part of what is shown', () => {
  const { from = 0, to = 0 } = auditTimes({ actor: '', action: undefined, from: '2026-01-31', to: '2026-01-31' });
  assert.is(to - from, 24 * 3_600_000 - 1);
  assert.equal(auditTimes({ actor: '', action: undefined, from: '', to: '' }), {});
});

test.run();
