import { defineKind } from '../model/kind/kind.ts';
import { declareServiceKind } from '../model/schemas/services/service.ts';

const MESSAGING_SERVICE_TYPES = ['Kafka', 'Redpanda', 'Kinesis', 'PubSub', 'CustomMessaging'] as const;

export const messagingService = defineKind(
  declareServiceKind({
    entityType: 'messagingService',
    label: 'MessagingService',
    path: 'services/messagingServices',
    title: 'Messaging services',
    index: 'messaging_service_search_index',
    types: MESSAGING_SERVICE_TYPES,
  }),
);
