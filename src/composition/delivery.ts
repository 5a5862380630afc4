import type { PrincipalResolver } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import { redactValues } from '../catalog/read/redaction.ts';
import { createSharedRedaction } from '../catalog/read/shared-redaction.ts';
import { eventVisibilityFor, sharedEventVisibilityFor } from '../catalog/read/visibility.ts';
import type { Registry } from '../catalog/registry.ts';
import type { DeliveryVisibilityOf } from '../events/delivery-visibility.ts';
import { createDestinationSender, type DestinationSender } from '../events/destination-sender.ts';
import { createDeliveryDispatcher, type DeliveryDispatcher } from '../events/dispatcher.ts';
import {
  createEventVisibility,
  type EventVisibilityOf,
  type RecordVisibilityOf,
  type RedactForPrincipal,
} from '../events/event-visibility.ts';
import { createMailer } from '../events/mailer.ts';
import { buildNotificationMail } from '../events/notification-mail.ts';
import { openSubscriptionCache } from '../events/subscription-cache.ts';
import { createWebhookCaller } from '../events/webhook-caller.ts';
import { createNewFlowReader } from '../insight/flows/new-flows.ts';
import { filterLineageEvents } from '../lineage/filter-lineage-events.ts';
import type { AssetUrlOf } from '../messages/change-message.ts';
import { assetPagePath } from '../model/asset-page.ts';
import { createMailEndingUrls } from '../notifications/mail-ending.ts';
import {
  type NotificationService,
  type NotificationServiceDeps,
  openNotificationService,
} from '../notifications/notification-service.ts';
import { createDeliveryVisibility } from '../subscriptions/delivery-visibility.ts';
import { createMailRecipients } from '../subscriptions/mail-recipients.ts';
import { createSubscriptionAudiences } from '../subscriptions/notification-audience.ts';
import { createEventContextReader, createSubscriptionReader } from '../subscriptions/subscription-reader.ts';
import type { AppDeps } from './app-deps.ts';
import { propagationDepsOf } from './labels.ts';
import type { SharedServices } from './shared-services.ts';

/** Who may see which event. */
type EventVisibilities = {
  readonly recordVisibilityOf: RecordVisibilityOf;
  readonly redactForPrincipal: RedactForPrincipal;
  readonly visibilityOf: EventVisibilityOf;
  readonly deliveryVisibilityOf: DeliveryVisibilityOf;
};

/** How change events reach receivers and inboxes. */
export type EventDelivery = EventVisibilities & {
  readonly sender: DestinationSender;
  readonly dispatcher: DeliveryDispatcher;
  readonly notifications: NotificationService;
};

type Principals = Pick<PrincipalResolver, 'findByName'>;

const composeVisibilities = (engine: Engine, principals: Principals): EventVisibilities => {
  const recordVisibilityOf = eventVisibilityFor(engine);
  const redactForPrincipal: RedactForPrincipal = (principal, values) => redactValues(engine, principal, values);
  const visibilityOf = createEventVisibility(recordVisibilityOf, filterLineageEvents(engine), redactForPrincipal);
  const deliveryVisibilityOf = createDeliveryVisibility({
    engine,
    principalNamed: principals.findByName,
    visibilityOf,
  });
  return { recordVisibilityOf, redactForPrincipal, visibilityOf, deliveryVisibilityOf };
};

/** Links lead to the public address, as no request says how its reader reaches this service. */
const createAssetUrls =
  (publicUrl: string | undefined, { byType }: Registry): AssetUrlOf =>
  (entityType, fullyQualifiedName) => {
    const kind = byType.get(entityType);
    return kind && publicUrl ? `${publicUrl}${assetPagePath(kind.path, fullyQualifiedName)}` : undefined;
  };

/** Mail subscriptions are served over a mailer of their own, so that neither waits for the other's connections. */
const composeMailSubscriptions = (
  { config, secrets, clock }: AppDeps,
  engine: Engine,
  principals: Principals,
): NotificationServiceDeps['mail'] => {
  const assetUrlOf = createAssetUrls(config.publicUrl, engine.registry);
  return (
    config.mail && {
      mailer: createMailer(config.mail),
      clock,
      principalNamed: principals.findByName,
      readVisibility: sharedEventVisibilityFor(engine),
      createRedaction: () => createSharedRedaction(engine),
      buildMail: (mail) => buildNotificationMail(mail, assetUrlOf),
      endUrlOf: createMailEndingUrls(secrets, config.publicUrl),
    }
  );
};

export const composeDelivery = (
  deps: AppDeps,
  { engine, events }: SharedServices,
  principals: Principals,
): EventDelivery => {
  const { config, graph, log, clock, bounds, secrets } = deps;
  const visibilities = composeVisibilities(engine, principals);
  const { deliveryVisibilityOf } = visibilities;
  const readSubscriptions = createSubscriptionReader(engine);
  const readEventContexts = createEventContextReader(engine, createNewFlowReader(propagationDepsOf(config, engine)));
  const notifications = openNotificationService({
    graph,
    log,
    tail: events.tail,
    subscriptionAudiences: createSubscriptionAudiences(
      openSubscriptionCache(graph, readSubscriptions),
      readEventContexts,
      deliveryVisibilityOf,
    ),
    mail: composeMailSubscriptions(deps, engine, principals),
    options: bounds?.notifications ?? {},
  });
  const sender = createDestinationSender({
    caller: createWebhookCaller({ allowPrivate: config.webhooks.allowPrivate, userAgent: 'Tributary' }),
    mailer: config.mail && createMailer(config.mail),
    assetUrlOf: createAssetUrls(config.publicUrl, engine.registry),
    tracing: graph.observer.tracing,
  });
  const dispatcher = createDeliveryDispatcher({
    graph,
    tail: events.tail,
    sender,
    readSubscriptions,
    readEventContexts,
    visibility: deliveryVisibilityOf,
    mailRecipients: createMailRecipients({
      graph,
      principalNamed: principals.findByName,
      visibilityOf: visibilities.visibilityOf,
      ensureFreshRights: () => engine.authorizer.ensureFresh(),
      endUrlOf: createMailEndingUrls(secrets, config.publicUrl),
    }),
    log,
    clock,
    options: bounds?.events?.dispatcher ?? {},
  });
  return { ...visibilities, sender, dispatcher, notifications };
};
