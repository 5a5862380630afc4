import * as v from 'valibot';
import { badRequest, CatalogError } from '../errors.ts';
import { checkCost, checkFilter, EVERY_RESOURCE, type FilterInput, ruleOf } from './event-filter.ts';
import { isObject, type Json, type JsonObject } from './json.ts';
import { recordType } from './record-type.ts';
import { bounded, defaulting, listOf, must, oneOf, ShortText, shape, Text, Word } from './values.ts';

/** What subscriptions to change events are made of (events.md 4.1). */

export const ALERT_TYPES = [
  'Notification',
  'Observability',
  'ActivityFeed',
  'GovernanceWorkflowChangeEvent',
  'Custom',
] as const;

export const BatchSize = bounded(1, 10_000);
export const Retries = bounded(0, 100);
export const PollInterval = bounded(1, 86_400);

export const Trigger = shape('Trigger', {
  triggerType: must(oneOf(['RealTime', 'Scheduled'])),
  scheduleInfo: oneOf(['Daily', 'Weekly', 'Monthly', 'Custom']),
  cronExpression: ShortText,
});

/** Clients send a default schedule with every trigger; what matters is that delivery is immediate. */
export const refuseSchedule = (candidate: JsonObject): void => {
  const trigger = candidate['trigger'];
  if (isObject(trigger) && trigger['triggerType'] === 'Scheduled') {
    throw badRequest('[trigger.triggerType must be RealTime]');
  }
};

const Resource = v.pipe(
  v.string('must be a string'),
  v.check(
    (name) => name.toLowerCase() === EVERY_RESOURCE || recordType(name) !== undefined,
    'must be a known resource',
  ),
  v.transform((name) => recordType(name) ?? EVERY_RESOURCE),
);

const distinct = (names: string[]): string[] => [...new Set(names)];

/** Types of records, or all of them. */
export const Resources = v.pipe(listOf(Resource, 100), v.transform(distinct));

const Argument = shape('Argument', { name: must(Word), input: must(listOf(Word, 1000)) });

const argumentsInput = {
  name: must(Word),
  effect: defaulting(oneOf(['include', 'exclude']), 'include'),
  prefixCondition: defaulting(oneOf(['AND', 'OR']), 'AND'),
  arguments: listOf(Argument, 10),
};

/** What work comes to, or what is wrong with what was given. */
const attempt = <T>(work: () => T): { readonly value: T } | { readonly problem: string } => {
  try {
    return { value: work() };
  } catch (failure) {
    if (failure instanceof CatalogError) return { problem: failure.message };
    throw failure;
  }
};

/** A filter whose name and arguments are known, in its normal form. */
const Filter = v.pipe(
  shape('ArgumentsInput', argumentsInput),
  v.rawTransform(({ dataset, addIssue, NEVER }) => {
    const filter = dataset.value as unknown as FilterInput;
    const checked = attempt(() => checkFilter(filter));
    if ('value' in checked) return checked.value as unknown as JsonObject;
    addIssue({ message: `is not a filter: ${checked.problem}` });
    return NEVER;
  }),
);

export const FilteringInput = shape('AlertFilteringInput', {
  filters: listOf(Filter, 100),
  actions: listOf(shape('ActionInput', argumentsInput), 100),
});

const inputsOf = (values: JsonObject, name: 'filters' | 'actions'): readonly FilterInput[] => {
  const input = values['input'];
  return ((isObject(input) ? input[name] : undefined) ?? []) as unknown as readonly FilterInput[];
};

/** The types of records a subscription is about: all of them unless it says. */
export const resourcesOf = (values: JsonObject): readonly string[] => {
  const resources = (values['resources'] ?? []) as readonly string[];
  return resources.length > 0 ? resources : [EVERY_RESOURCE];
};

export const filtersOf = (values: JsonObject): readonly FilterInput[] => inputsOf(values, 'filters');

export const refuseCostly = (candidate: JsonObject): void => checkCost(filtersOf(candidate));

/** What a subscription's resources and filters come to, rule by rule. */
export const filteringRules = (values: JsonObject): Json => ({
  resources: resourcesOf(values),
  rules: filtersOf(values).map(ruleOf),
  actions: inputsOf(values, 'actions').map(ruleOf),
});

const Rule = shape('EventFilterRule', {
  name: must(Text),
  displayName: Text,
  fullyQualifiedName: Text,
  description: Text,
  effect: must(oneOf(['include', 'exclude'])),
  condition: must(Text),
  arguments: listOf(Text),
  inputType: oneOf(['static', 'runtime', 'none']),
  prefixCondition: oneOf(['AND', 'OR']),
});

export const FilteringRules = shape('FilteringRules', {
  resources: must(listOf(Text)),
  rules: listOf(Rule),
  actions: listOf(Rule),
});

/** The types of which something is delivered; the others are kept for programs that bring their own. */
const DELIVERED: readonly string[] = ['Notification', 'Observability', 'Custom'];

/** Whether anything is delivered to a subscription with these values. */
export const isDelivered = (values: JsonObject): boolean =>
  values['enabled'] !== false && DELIVERED.includes(String(values['alertType']));

/** The filters that subscriptions of a type may have. */
export const mayFilter = (alertType: string): boolean => DELIVERED.includes(alertType);
