import type { Principal } from '../access/principal.ts';
import type { FindMailRecipients, MailRecipient } from '../events/delivery-targets.ts';
import { redactVisibleEvents } from '../events/delivery-visibility.ts';
import type { EventVisibilityOf } from '../events/event-visibility.ts';
import type { NumberedEvent } from '../events/tail.ts';
import type { Graph } from '../graph/client.ts';
import { singlePartFqn } from '../model/name.ts';
import type { Destination } from '../model/schemas/events/destination.ts';
import { listNamedPeople, listRelatedPeople, type MailPerson } from './queries.ts';

/** Finds the people to whom a destination mails events, each with what that person may see of them. */

type MailRecipientsDeps = {
  readonly graph: Graph;
  /** Finds the user with this name as a principal with current rights; undefined when the user no longer exists. */
  readonly principalNamed: (name: string) => Promise<Principal | undefined>;
  readonly visibilityOf: EventVisibilityOf;
  readonly ensureFreshRights: () => Promise<void> | undefined;
  /** Finds the address by which a person ends the mails of a subscription to them, if there is one. */
  readonly endUrlOf: (subscriptionId: string, userId: string) => string | undefined;
};

/** A mail about the same events goes to so many people at most. */
const MAX_PEOPLE = 500;

type PersonEvents = { readonly person: MailPerson; readonly events: readonly NumberedEvent[] };

const findRelated = async (
  graph: Graph,
  subscriptionId: string,
  category: 'Owners' | 'Followers',
  events: readonly NumberedEvent[],
): Promise<readonly PersonEvents[]> => {
  const rows = [
    ...new Map(
      events.map(({ entityId, eventType, id }) => {
        const deletionId = eventType === 'entityDeleted' ? id : null;
        return [`${entityId} ${deletionId}`, { entityId, deletionId }];
      }),
    ).values(),
  ].map((row, at) => ({ ...row, at }));
  const [owners, followers] = [category === 'Owners', category === 'Followers'];
  const found = await graph.read(listRelatedPeople, { subscriptionId, rows, owners, followers, limit: MAX_PEOPLE });
  return found.map(({ positions, ...person }) => {
    const records = new Set(positions.map((at) => rows[at]?.entityId));
    return { person, events: events.filter(({ entityId }) => records.has(entityId)) };
  });
};

const findNamed = async (
  graph: Graph,
  subscriptionId: string,
  { category, config }: Destination,
  events: readonly NumberedEvent[],
): Promise<readonly PersonEvents[]> => {
  const receivers = config?.receivers ?? [];
  const people = await graph.read(listNamedPeople, {
    subscriptionId,
    names: category === 'Users' ? receivers.map((name) => singlePartFqn(name.toLowerCase())) : [],
    teams: category === 'Teams' ? receivers.map(singlePartFqn) : [],
    admins: category === 'Admins',
    limit: MAX_PEOPLE,
  });
  return people.map((person) => ({ person, events }));
};

/** Nobody gets mail about their own changes. */
const withoutOwnChanges = ({ person, events }: PersonEvents): PersonEvents => ({
  person,
  events: events.filter(({ userName }) => userName !== person.name),
});

/** Creates the search for recipients. It asks for the people once per destination and for rights only in memory. */
export const createMailRecipients =
  ({ graph, principalNamed, visibilityOf, ensureFreshRights, endUrlOf }: MailRecipientsDeps): FindMailRecipients =>
  async (subscriptionId, destination, events) => {
    const { category } = destination;
    const found = await (category === 'Owners' || category === 'Followers'
      ? findRelated(graph, subscriptionId, category, events)
      : findNamed(graph, subscriptionId, destination, events));
    const concerned = found.map(withoutOwnChanges).filter((one) => one.events.length > 0);
    if (concerned.length > 0) await ensureFreshRights();
    const recipients: MailRecipient[] = [];
    for (const { person, events: about } of concerned) {
      const principal = await principalNamed(person.name);
      if (!principal || principal.id !== person.userId) continue;
      const seen = await redactVisibleEvents(about, visibilityOf(principal));
      if (seen.length === 0) continue;
      const endUrl = endUrlOf(subscriptionId, person.userId);
      recipients.push({ id: person.userId, email: person.email, events: seen, ...(endUrl && { endUrl }) });
    }
    return recipients;
  };
