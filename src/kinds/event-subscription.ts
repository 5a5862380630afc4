import { found, nested, property, secret } from '../model/attribute.ts';
import { stampDeliversAs } from '../model/delivers-as.ts';
import { redactDestinations, redactSubscription, settleDestinations } from '../model/destination-secrets.ts';
import { checkDestinations, Destinations, endpointsOf, showDestinations } from '../model/destination-values.ts';
import { BASE_BLOCK, defineKind, without } from '../model/kind.ts';
import { provider } from '../model/provider.ts';
import {
  ALERT_TYPES,
  BatchSize,
  FilteringInput,
  FilteringRules,
  filteringRules,
  PollInterval,
  Resources,
  Retries,
  refuseCostly,
  refuseSchedule,
  Trigger,
} from '../model/subscription-values.ts';
import { Flag, FreeForm, listOf, oneOf, Text } from '../model/values.ts';

export const eventSubscription = defineKind({
  entityType: 'eventsubscription',
  label: 'EventSubscription',
  path: 'events/subscriptions',
  title: 'Event subscriptions',
  parents: [],
  create: ['name', 'displayName', 'description', 'owners', 'domains'],
  base: without(BASE_BLOCK, 'deleted', 'entityStatus', 'sourceUrl'),
  gated: ['owners', 'domains'],
  attributes: {
    alertType: property(oneOf(ALERT_TYPES), { required: true }),
    enabled: property(Flag, { fallback: true }),
    batchSize: property(BatchSize, { fallback: 10 }),
    retries: property(Retries, { fallback: 3 }),
    pollInterval: property(PollInterval, { fallback: 10 }),
    provider: provider(),
    trigger: nested(Trigger),
    // Answers tell of them in the rules.
    resources: property(Resources, { list: 'value', hidden: true }),
    input: nested(FilteringInput),
    filteringRules: nested(FilteringRules, { request: false, readOnly: true, derive: filteringRules }),
    destinations: secret(Destinations, {
      list: 'id',
      confidential: true,
      disclosedBy: 'EditAll',
      redact: redactDestinations,
      settle: settleDestinations,
      show: showDestinations,
      derive: ({ destinations }) => destinations ?? [],
    }),
    statuses: found('subscription/read_status', FreeForm, { gated: false, hidden: true }),
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
  rules: [refuseSchedule, refuseCostly, checkDestinations],
  calls: endpointsOf,
  stamp: stampDeliversAs,
  redactState: redactSubscription,
});
