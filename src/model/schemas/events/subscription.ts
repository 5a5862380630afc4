import * as v from 'valibot';
import { badRequest, CatalogError } from '../../../errors.ts';
import { isObject, type Json, type JsonObject } from '../../json.ts';
import { parseRecordType } from '../../kind/record-type.ts';
import {
  ALL_RESOURCES,
  checkFilterCost,
  describeFilterRule,
  type EventFilterInput,
  normaliseFilter,
} from '../../language/event-filter.ts';
import { bounded, defaulting, listOf, must, NonEmptyText, oneOf, ShortText, shape, Text } from '../../values.ts';

/** The schemas of subscriptions to change events (events.md 4.1). */

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

/**
 * Refuses scheduled delivery. Clients send a default schedule with every trigger, so only the trigger's type is
 * checked.
 */
export const refuseSchedule = (candidate: JsonObject): void => {
  const trigger = candidate['trigger'];
  if (isObject(trigger) && trigger['triggerType'] === 'Scheduled') {
    throw badRequest('[trigger.triggerType must be RealTime]');
  }
};

const SubscriptionResource = v.pipe(
  v.string('must be a string'),
  v.check(
    (name) => name.toLowerCase() === ALL_RESOURCES || parseRecordType(name) !== undefined,
    'must be a known resource',
  ),
  v.transform((name) => parseRecordType(name) ?? ALL_RESOURCES),
);

const uniqueNames = (names: string[]): string[] => [...new Set(names)];

/** Types of records, or all of them. */
export const SubscriptionResources = v.pipe(listOf(SubscriptionResource, 100), v.transform(uniqueNames));

const FilterArgument = shape('Argument', { name: must(NonEmptyText), input: must(listOf(NonEmptyText, 1000)) });

const argumentsInput = {
  name: must(NonEmptyText),
  effect: defaulting(oneOf(['include', 'exclude']), 'include'),
  prefixCondition: defaulting(oneOf(['AND', 'OR']), 'AND'),
  arguments: listOf(FilterArgument, 10),
};

/** Answers the result of the work, or the message of its failure. */
const tryCheck = <T>(work: () => T): { readonly value: T } | { readonly problem: string } => {
  try {
    return { value: work() };
  } catch (failure) {
    if (failure instanceof CatalogError) return { problem: failure.message };
    throw failure;
  }
};

/** A filter with a known name and valid arguments, normalised. */
const EventFilter = v.pipe(
  shape('ArgumentsInput', argumentsInput),
  v.rawTransform(({ dataset, addIssue, NEVER }) => {
    const filter = dataset.value as unknown as EventFilterInput;
    const checked = tryCheck(() => normaliseFilter(filter));
    if ('value' in checked) return checked.value as unknown as JsonObject;
    addIssue({ message: `is not a filter: ${checked.problem}` });
    return NEVER;
  }),
);

export const FilteringInput = shape('AlertFilteringInput', {
  filters: listOf(EventFilter, 100),
  actions: listOf(shape('ActionInput', argumentsInput), 100),
});

const inputsOfSubscription = (values: JsonObject, name: 'filters' | 'actions'): readonly EventFilterInput[] => {
  const input = values['input'];
  return ((isObject(input) ? input[name] : undefined) ?? []) as unknown as readonly EventFilterInput[];
};

/** The types of records that a subscription is about: all of them by default. */
export const resourcesOfSubscription = (values: JsonObject): readonly string[] => {
  const resources = (values['resources'] ?? []) as readonly string[];
  return resources.length > 0 ? resources : [ALL_RESOURCES];
};

export const filtersOfSubscription = (values: JsonObject): readonly EventFilterInput[] =>
  inputsOfSubscription(values, 'filters');

export const checkSubscriptionCost = (candidate: JsonObject): void => checkFilterCost(filtersOfSubscription(candidate));

/** Describes the resources and filters of a subscription, rule by rule. */
export const describeFilteringRules = (values: JsonObject): Json => ({
  resources: resourcesOfSubscription(values),
  rules: filtersOfSubscription(values).map(describeFilterRule),
  actions: inputsOfSubscription(values, 'actions').map(describeFilterRule),
});

const EventFilterRule = shape('EventFilterRule', {
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
  rules: listOf(EventFilterRule),
  actions: listOf(EventFilterRule),
});

/** The alert types that are delivered here. The others are stored for programs that deliver them themselves. */
const DELIVERED_ALERT_TYPES: readonly string[] = ['Notification', 'Observability', 'Custom'];

/** Whether a subscription with these values delivers anything. */
export const isDeliveredSubscription = (values: JsonObject): boolean =>
  values['enabled'] !== false && DELIVERED_ALERT_TYPES.includes(String(values['alertType']));

/** Whether subscriptions of this type may have filters. */
export const canHaveFilters = (alertType: string): boolean => DELIVERED_ALERT_TYPES.includes(alertType);
