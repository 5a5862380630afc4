import { defineKind } from '../model/kind/kind.ts';
import type { ConnectionSteps } from '../model/schemas/services/connection-steps.ts';
import { declareServiceKind } from '../model/schemas/services/service.ts';

const MESSAGING_SERVICE_TYPES = ['Kafka', 'Redpanda', 'Kinesis', 'PubSub', 'CustomMessaging'] as const;

const USUAL_STEPS = ['GetTopics'] as const;

/** What the connectors of these types know. */
const STEPS_OF_TYPE = {
  Kafka: [...USUAL_STEPS, 'CheckSchemaRegistry'],
  Redpanda: [...USUAL_STEPS, 'CheckSchemaRegistry'],
  PubSub: [...USUAL_STEPS, 'CheckSchemaRegistry'],
} as const satisfies ConnectionSteps;

export const messagingService = defineKind(
  declareServiceKind({
    entityType: 'messagingService',
    label: 'MessagingService',
    path: 'services/messagingServices',
    title: 'Messaging services',
    index: 'messaging_service_search_index',
    types: MESSAGING_SERVICE_TYPES,
    steps: { usual: USUAL_STEPS, ofType: STEPS_OF_TYPE },
  }),
);
