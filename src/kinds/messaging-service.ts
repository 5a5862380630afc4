import { defineKind } from '../model/kind.ts';
import { serviceKind } from '../model/service-values.ts';

const TYPES = ['Kafka', 'Redpanda', 'Kinesis', 'PubSub', 'CustomMessaging'] as const;

export const messagingService = defineKind(
  serviceKind({
    entityType: 'messagingService',
    label: 'MessagingService',
    path: 'services/messagingServices',
    title: 'Messaging services',
    index: 'messaging_service_search_index',
    types: TYPES,
  }),
);
