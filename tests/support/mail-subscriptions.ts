import { randomUUID } from 'node:crypto';
import { ok } from './expect.ts';
import { anonymous, type Service } from './service.ts';

/** Mail subscriptions for tests of services without a mail server, which let nobody make any. */

export const createMailSubscription = async ({ graph }: Service, userId: string): Promise<string> => {
  const id = randomUUID();
  await graph.query(
    `MATCH (person:Entity {id: $userId})
     CREATE (person)-[:HAS_MAIL_SUBSCRIPTION]->(:MailSubscription {id: $id, userId: $userId, name: 'mine',
       resources: [], eventTypes: [], reasons: [], pollInterval: 300, createdAt: 1, updatedAt: 1, seq: 0, mails: 0})`,
    { id, userId },
  );
  return id;
};

const sealEnding = ({ app }: Service, ids: string): string =>
  encodeURIComponent(app.engine.secrets.sealText(`end of mail ${ids}`));

/** The token of a link in a mail of a subscription that has ended. */
export const mailEndingToken = (service: Service): string => sealEnding(service, randomUUID());

/** Ends the mails of an event subscription to one person as the link of such a mail does. */
export const endMailsTo = async (service: Service, userId: string, subscriptionId: string): Promise<void> => {
  const token = sealEnding(service, `${subscriptionId} ${userId}`);
  ok(await anonymous(service).raw('POST', `/v1/notifications/unsubscribe?token=${token}`, ''));
};
