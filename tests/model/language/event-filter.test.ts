import * as assert from 'uvu/assert';
import { loadKinds } from '../../../src/catalog/registry.ts';
import { CatalogError } from '../../../src/errors.ts';
import type { JsonObject } from '../../../src/model/json.ts';
import {
  createEventMatcher,
  describeFilterRule,
  EVENT_FILTER_NAMES,
  type EventFilterInput,
  normaliseFilter,
} from '../../../src/model/language/event-filter.ts';
import { createMatchBudget, ExpressionTooExpensive } from '../../../src/model/language/match-budget.ts';
import { suite } from '../../support/suite.ts';

/** Shows that event filters are validated and match the right events. */

const test = suite('model: event filters');

// Filters name types of records, which the declarations register.
await loadKinds();

const ID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';

const EVENT: JsonObject = {
  id: 'e',
  eventType: 'entityUpdated',
  entityType: 'table',
  entityId: ID,
  entityFullyQualifiedName: 'shop.pg.public.orders',
  userName: 'ana',
  timestamp: 1,
  changeDescription: {
    previousVersion: 0.1,
    fieldsAdded: [{ name: 'tags', newValue: '[]' }],
    fieldsUpdated: [{ name: 'columns.amount.description', oldValue: 'x', newValue: 'y' }],
    fieldsDeleted: [],
  },
  entity: {
    name: 'orders',
    owners: [
      { id: 'u', type: 'user', name: 'ben' },
      { id: 't', type: 'team', name: 'Data' },
    ],
    domains: [{ id: 'd', type: 'domain', name: 'Sales', fullyQualifiedName: 'Commerce.Sales', inherited: true }],
  },
};

const NOTHING = { isBot: false, ownerNamesByTeam: new Set<string>(), newFlows: new Set<string>() };

const filter = (name: string, argument?: string, ...input: string[]): EventFilterInput =>
  argument === undefined ? { name } : { name, arguments: [{ name: argument, input }] };

const holds = (input: EventFilterInput, event: JsonObject = EVENT, circumstances = NOTHING): boolean =>
  createEventMatcher(['all'], [normaliseFilter(input)]).matches(event, circumstances, createMatchBudget());

const isTooExpensive = (failure: unknown): boolean => failure instanceof ExpressionTooExpensive;

const byFqn = (...input: string[]) => holds(filter('filterByFqn', 'fqnList', ...input));

test('filterByFqn matches the name, its descendants, or a pattern for the whole name', () => {
  assert.is(byFqn('shop.pg.public.orders'), true);
  assert.is(byFqn('shop.pg'), true);
  assert.is(byFqn('shop.pg.public.order'), false);
  assert.is(byFqn('shop.pg.public.orders2', 'shop.pg.other'), false);
  assert.is(byFqn('nothing', 'shop\\.pg\\..*\\.orders'), true);
  assert.is(byFqn('.*orders'), true);
  assert.is(byFqn('orders?'), false, 'a part of the name is not the name');
  assert.is(byFqn('^shop\\..+$'), true);
  const dotted = { ...EVENT, entityFullyQualifiedName: 'shop."a.b"' };
  assert.is(holds(filter('filterByFqn', 'fqnList', 'shop."a.b"'), dotted), true);
  assert.is(holds(filter('filterByFqn', 'fqnList', '"shop"."a.b"'), dotted), true);
});

test('expressions that cost more than the budget decide nothing, and names cost nothing', () => {
  const matching = (...input: string[]) =>
    createEventMatcher(['all'], [normaliseFilter(filter('filterByFqn', 'fqnList', ...input))]);
  const [free, excluding] = [createMatchBudget(0), { ...filter('filterByFqn', 'fqnList', '.*x'), effect: 'exclude' }];
  assert.throws(() => matching('.*x').matches(EVENT, NOTHING, free), isTooExpensive);
  const excludingMatcher = createEventMatcher(['all'], [excluding as EventFilterInput]);
  assert.throws(() => excludingMatcher.matches(EVENT, NOTHING, free), isTooExpensive);
  assert.is(matching('.*x', 'shop.pg').matches(EVENT, NOTHING, createMatchBudget(0)), true);
});

test('filterByEntityId, filterByEventType, filterBySource and filterByUpdaterName match', () => {
  assert.is(holds(filter('filterByEntityId', 'entityIdList', ID.toUpperCase())), true);
  assert.is(holds(filter('filterByEntityId', 'entityIdList', ID.replace('3', '4'))), false);
  assert.is(holds(filter('filterByEventType', 'eventTypeList', 'entityCreated', 'entityUpdated')), true);
  assert.is(holds(filter('filterByEventType', 'eventTypeList', 'entityDeleted')), false);
  assert.is(holds(filter('filterBySource', 'sourceList', 'topic', 'Table')), true);
  assert.is(holds(filter('filterBySource', 'sourceList', 'topic')), false);
  assert.is(holds(filter('filterByUpdaterName', 'updateByUserList', 'Ana')), true);
  assert.is(holds(filter('filterByUpdaterName', 'updateByUserList', 'ben')), false);
});

test('filterByOwnerName matches users, teams, and members of owning teams', () => {
  const byOwner = (...input: string[]) => filter('filterByOwnerName', 'ownerNameList', ...input);
  assert.is(holds(byOwner('Ben')), true);
  assert.is(holds(byOwner('Data')), true);
  assert.is(holds(byOwner('data')), false, 'teams are told apart by upper case');
  assert.is(holds(byOwner('cleo')), false);
  assert.is(
    holds(byOwner('cleo'), EVENT, { isBot: false, ownerNamesByTeam: new Set(['cleo']), newFlows: new Set<string>() }),
    true,
  );
  assert.is(
    holds(byOwner('dora'), EVENT, { isBot: false, ownerNamesByTeam: new Set(['cleo']), newFlows: new Set<string>() }),
    false,
  );
  assert.equal(createEventMatcher(['all'], [byOwner('a', 'b'), byOwner('b')]).needs.teamOwnerNames, ['a', 'b']);
});

test('filterByUpdaterIsBot, filterByDomain and filterByMentionedName match', () => {
  assert.is(holds(filter('filterByUpdaterIsBot')), false);
  assert.is(holds(filter('filterByUpdaterIsBot'), EVENT, { ...NOTHING, isBot: true }), true);
  assert.is(createEventMatcher(['all'], [filter('filterByUpdaterIsBot')]).needs.needsIsBot, true);
  assert.is(createEventMatcher(['all'], []).needs.needsIsBot, false);
  assert.is(holds(filter('filterByDomain', 'domainList', 'Commerce.Sales')), true);
  assert.is(holds(filter('filterByDomain', 'domainList', 'Commerce')), false);
  assert.is(holds(filter('filterByMentionedName', 'userList', 'ana')), false);
});

test('filterByFieldChange matches the field and fields below it', () => {
  const byField = (...input: string[]) => holds(filter('filterByFieldChange', 'fieldChangeList', ...input));
  assert.is(byField('tags'), true);
  assert.is(byField('columns'), true);
  assert.is(byField('columns.amount'), true);
  assert.is(byField('columns.amount.description'), true);
  assert.is(byField('columns.am'), false);
  assert.is(byField('description'), false);
  assert.is(holds(filter('filterByGeneralMetadataEvents')), true);
  const { changeDescription: _, ...created } = EVENT;
  assert.is(holds(filter('filterByGeneralMetadataEvents'), created as JsonObject), false);
});

test('resources are checked first, and an exclusion negates a filter', () => {
  const about = (...resources: string[]) =>
    createEventMatcher(resources, []).matches(EVENT, NOTHING, createMatchBudget());
  assert.is(about('all'), true);
  assert.is(about('table'), true);
  assert.is(about('topic'), false);
  assert.is(about(), false);
  const excluding = { ...filter('filterByUpdaterName', 'updateByUserList', 'ana'), effect: 'exclude' } as const;
  assert.is(holds(excluding), false);
  assert.is(holds({ ...excluding, arguments: [{ name: 'updateByUserList', input: ['ben'] }] }), true);
});

test('filters are applied from left to right', () => {
  const yes = filter('filterBySource', 'sourceList', 'table');
  const no = filter('filterBySource', 'sourceList', 'topic');
  const or = (input: EventFilterInput) => ({ ...input, prefixCondition: 'OR' as const });
  const chain = (...filters: EventFilterInput[]) =>
    createEventMatcher(['all'], filters).matches(EVENT, NOTHING, createMatchBudget());
  assert.is(chain(yes, no), false);
  assert.is(chain(yes, or(no)), true);
  assert.is(chain(no, or(yes)), true);
  assert.is(chain(or(no), yes), false, 'what the first is joined by means nothing');
  assert.is(chain(yes, or(yes), no), false, '(yes or yes) and no');
  assert.is(chain(no, yes, or(yes)), true, '(no and yes) or yes');
});

test('a filter is stored in its normal form', () => {
  const checked = normaliseFilter(filter('filterByEntityId', 'entityIdList', ID.toUpperCase(), ID));
  assert.equal(checked.arguments, [{ name: 'entityIdList', input: [ID] }]);
  assert.equal(normaliseFilter(filter('filterBySource', 'sourceList', 'eventSubscription')).arguments, [
    { name: 'sourceList', input: ['eventsubscription'] },
  ]);
});

const refusal = (input: EventFilterInput): string => {
  try {
    normaliseFilter(input);
  } catch (failure) {
    assert.instance(failure, CatalogError);
    assert.is((failure as CatalogError).status, 400);
    return (failure as Error).message;
  }
  return assert.unreachable(`${JSON.stringify(input)} was taken`) as never;
};

/** Expressions that only take long to read. */
const emptyRepeats = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `(){${990 + at}}`);

test('an invalid filter is refused', () => {
  assert.match(refusal(filter('filterByWeather')), /Unknown filter filterByWeather/);
  assert.match(refusal(filter('constructor')), /Unknown filter constructor/);
  assert.match(refusal(filter('filterByFqn')), /needs values for its argument fqnList/);
  assert.match(refusal(filter('filterByFqn', 'fqnList')), /needs values/);
  assert.match(refusal(filter('filterByFqn', 'entityIdList', 'x')), /has no argument entityIdList/);
  assert.match(refusal(filter('filterByUpdaterIsBot', 'x', 'y')), /has no argument x/);
  assert.match(refusal(filter('filterByFqn', 'fqnList', '(a')), /filterByFqn: fqnList unclosed group at character 1/);
  assert.match(refusal(filter('filterByFqn', 'fqnList', 'a..b')), /Invalid name/);
  const costly = ['a{900}', 'b{900}', 'c{900}', 'd{900}', 'e{900}', 'f{900}'];
  assert.match(refusal(filter('filterByFqn', 'fqnList', ...costly)), /fqnList the expression is too expensive/);
  assert.match(refusal(filter('filterByFqn', 'fqnList', ...emptyRepeats(9))), /is too expensive/);
  assert.match(refusal(filter('filterByEntityId', 'entityIdList', 'x')), /must be a UUID/);
  assert.match(refusal(filter('filterByEventType', 'eventTypeList', 'x')), /known event type/);
  assert.match(refusal(filter('filterBySource', 'sourceList', 'dragon')), /known entity type/);
});

test('onNewFlow matches the flows that an event brought about', () => {
  const flow = (types?: readonly string[]): EventFilterInput => ({
    name: 'onNewFlow',
    arguments: [{ name: 'tag', input: ['PII'] }, ...(types ? [{ name: 'types', input: types }] : [])],
  });
  const brought = (key: string) => ({ ...NOTHING, newFlows: new Set([key]) });
  assert.is(holds(flow()), false);
  assert.is(holds(flow(), EVENT, brought('PII\ndashboard\nmlmodel')), true, 'there are types by default');
  assert.is(holds(flow(['topic', 'Chart']), EVENT, brought('PII\nchart\ntopic')), true);
  assert.is(holds(flow(['topic']), EVENT, brought('PII\ndashboard\nmlmodel')), false);
  assert.equal(createEventMatcher(['all'], [flow(['topic'])]).needs.flows, [{ tag: 'PII', types: ['topic'] }]);
  assert.equal(createEventMatcher(['all'], []).needs.flows, []);
  assert.match(refusal(flow(['dragon'])), /onNewFlow: types must be a known entity type/);
  assert.match(refusal(filter('onNewFlow', 'types', 'topic')), /needs values for its argument tag/);
  assert.match(refusal(filter('onNewFlow', 'colour', 'red')), /has no argument colour/);
  const rule = describeFilterRule(normaliseFilter(flow(['topic', 'chart'])));
  assert.is(rule['condition'], "onNewFlow({'PII'}, {'topic','chart'})");
  assert.equal(rule['arguments'], ['tag', 'types']);
  assert.is(describeFilterRule(normaliseFilter(flow()))['condition'], "onNewFlow({'PII'})");
});

test('every filter has a description', () => {
  for (const name of EVENT_FILTER_NAMES) {
    const rule = describeFilterRule({ name });
    assert.is(rule['name'], name);
    assert.equal([rule['effect'], rule['prefixCondition']], ['include', 'AND']);
    for (const member of ['displayName', 'description', 'condition']) assert.ok(rule[member], `${name}.${member}`);
  }
  const rule = describeFilterRule({
    ...filter('filterByFqn', 'fqnList', "a'b", '$&'),
    effect: 'exclude',
    prefixCondition: 'OR',
  });
  assert.is(rule['condition'], "matchAnyEntityFqn({'a''b','$&'})");
  assert.equal([rule['effect'], rule['prefixCondition'], rule['inputType']], ['exclude', 'OR', 'runtime']);
  assert.equal(rule['arguments'], ['fqnList']);
  assert.is(describeFilterRule({ name: 'filterByUpdaterIsBot' })['inputType'], 'none');
});

test.run();
