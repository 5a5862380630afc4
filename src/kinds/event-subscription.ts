import { computedValue, nested, property, secret } from '../model/kind/attribute.ts';
import { BASE_BLOCK, defineKind, withoutMembers } from '../model/kind/kind.ts';
import { providerMember } from '../model/kind/provider.ts';
import { computeDeliversAs } from '../model/schemas/events/delivers-as.ts';
import {
  checkDestinations,
  Destinations,
  endpointsOfSubscription,
  showDestinations,
} from '../model/schemas/events/destination.ts';
import {
  normaliseDestinations,
  redactDestinations,
  redactSubscription,
} from '../model/schemas/events/destination-redaction.ts';
import {
  ALERT_TYPES,
  BatchSize,
  checkSubscriptionCost,
  describeFilteringRules,
  FilteringInput,
  FilteringRules,
  PollInterval,
  Retries,
  refuseSchedule,
  SubscriptionResources,
  Trigger,
} from '../model/schemas/events/subscription.ts';
import { Flag, FreeForm, listOf, oneOf, Text } from '../model/values.ts';

export const eventSubscription = defineKind({
  entityType: 'eventsubscription',
  label: 'EventSubscription',
  path: 'events/subscriptions',
  title: 'Event subscriptions',
  parents: [],
  create: ['name', 'displayName', 'description', 'owners', 'domains'],
  base: withoutMembers(BASE_BLOCK, 'deleted', 'entityStatus', 'sourceUrl'),
  gated: ['owners', 'domains'],
  attributes: {
    alertType: property(oneOf(ALERT_TYPES), { required: true }),
    enabled: property(Flag, { fallback: true }),
    batchSize: property(BatchSize, { fallback: 10 }),
    retries: property(Retries, { fallback: 3 }),
    pollInterval: property(PollInterval, { fallback: 10 }),
    provider: providerMember(),
    trigger: nested(Trigger),
    // Answers contain them in the filtering rules.
    resources: property(SubscriptionResources, { list: 'value', hidden: true }),
    input: nested(FilteringInput),
    filteringRules: nested(FilteringRules, { request: false, readOnly: true, derive: describeFilteringRules }),
    destinations: secret(Destinations, {
      list: 'id',
      confidential: true,
      disclosedBy: 'EditAll',
      redact: redactDestinations,
      normaliseGiven: normaliseDestinations,
      show: showDestinations,
      derive: ({ destinations }) => destinations ?? [],
    }),
    statuses: computedValue('subscriptions/read_status', FreeForm, { gated: false, hidden: true }),
    deliversAs: property(listOf(Text), {
      list: 'value',
      request: false,
      readOnly: true,
      hidden: true,
      versioned: false,
    }),
    className: property(Text),
    notificationTemplate: nested(FreeForm),
    config: nested(FreeForm),
  },
  search: {},
  filters: { alertType: { by: 'value', property: 'alertType', values: ALERT_TYPES } },
  rules: [refuseSchedule, checkSubscriptionCost, checkDestinations],
  redactState: redactSubscription,
  special: {
    calledUrls: endpointsOfSubscription,
    computeOnWrite: computeDeliversAs,
    insteadOfCreation:
      'No rule allows Create on eventsubscription. Everybody may subscribe to mail about what they own or follow: POST /v1/notifications/subscriptions',
  },
});
