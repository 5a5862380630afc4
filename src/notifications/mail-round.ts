import type { Principal } from '../access/principal.ts';
import type { DeliveryResult } from '../events/delivery-result.ts';
import {
  type EventRecordKey,
  filterVisible,
  parseEventRecordKey,
  type RecordVisibility,
  type RedactForPrincipal,
} from '../events/event-visibility.ts';
import type { Mail } from '../events/mailer.ts';
import type { MailedChange, NotificationMail } from '../events/notification-mail.ts';
import type { Graph } from '../graph/client.ts';
import { encodeProperty } from '../graph/encode-property.ts';
import { mapConcurrently } from '../graph/map-concurrently.ts';
import { withPositions } from '../graph/statement.ts';
import type { Log } from '../http/log.ts';
import { chunk } from '../model/chunk.ts';
import { ALL_RESOURCES } from '../model/language/event-filter.ts';
import type { MailEndingUrlOf } from './mail-ending.ts';
import {
  type DueMailSubscription,
  listDueMailSubscriptions,
  listMailableNotifications,
  type MailedRow,
  saveMailedSubscriptions,
} from './mail-subscription-queries.ts';
import { NOTIFICATION_PROGRESS, type NotificationNode } from './queries.ts';

/**
 * Mails what mail subscriptions select. A round serves many subscriptions with as many statements as one: what is due,
 * the notifications and the facts about their records. The results are saved for a few mails at a time.
 */

/** What callers see of records whose facts are read once for all of them. */
export type ReadSharedVisibility = (
  principals: readonly Principal[],
  records: readonly EventRecordKey[],
) => Promise<(principal: Principal) => RecordVisibility>;

export type MailRoundDeps = {
  readonly graph: Graph;
  readonly log: Pick<Log, 'warn'>;
  readonly clock: () => number;
  /** Finds the user with this name as a principal with current rights; undefined when the user no longer exists. */
  readonly principalNamed: (name: string) => Promise<Principal | undefined>;
  readonly readVisibility: ReadSharedVisibility;
  /** Creates the redaction of one round, which looks each record up once for all principals. */
  readonly createRedaction: () => RedactForPrincipal;
  readonly buildMail: (mail: NotificationMail) => Mail;
  readonly send: (mail: Mail) => Promise<DeliveryResult>;
  readonly endUrlOf: MailEndingUrlOf;
  /** Whether this process may still send: no other process can be mailing. */
  readonly mayGoOn: () => Promise<boolean>;
  /** The delays before the second, third, … attempt. */
  readonly retryMs: readonly number[];
  /** How many subscriptions one round serves. */
  readonly limit: number;
};

/** One mail tells of so many changes at most; the next one tells of the rest. */
const MAX_CHANGES = 200;
/** So many mails are sent at a time, and saved together before the next ones. */
const MAX_CONCURRENT_MAILS = 10;

/** What a subscription has to mail: what its person may see of the notifications up to an event. */
type PendingMail = {
  readonly due: DueMailSubscription;
  readonly upTo: number;
  readonly changes: readonly MailedChange[];
};

const selectedTypes = (resources: readonly string[]): readonly string[] | null =>
  resources.length === 0 || resources.includes(ALL_RESOURCES) ? null : resources;

/** Reads the notifications of each subscription, at most one more than a mail tells of. */
const readNotifications = async (
  graph: Graph,
  due: readonly DueMailSubscription[],
): Promise<readonly (readonly NotificationNode[])[]> => {
  const rows = withPositions(
    due.map(({ node }) => ({
      userId: node.userId,
      after: node.seq,
      reasons: node.reasons,
      entityTypes: selectedTypes(node.resources),
      eventTypes: node.eventTypes,
    })),
  );
  const found: NotificationNode[][] = due.map(() => []);
  for (const { at, note } of await graph.read(listMailableNotifications, { rows, limit: MAX_CHANGES + 1 })) {
    found[at]?.push(note);
  }
  return found;
};

/** Everything up to the head is written, and of a later event at least what was found. */
const reachedSeq = ({ head, node }: DueMailSubscription, notes: readonly NotificationNode[]): number => {
  if (notes.length > MAX_CHANGES) return notes[MAX_CHANGES - 1]?.seq ?? node.seq;
  return Math.max(node.seq, head, notes.at(-1)?.seq ?? 0);
};

const selectedReason = ({ reasons, reason }: NotificationNode, selected: readonly string[]): string =>
  reasons?.find((one) => selected.includes(one)) ?? reason;

const toChange = (note: NotificationNode, selected: readonly string[]): MailedChange => ({
  id: note.id,
  reason: selectedReason(note, selected),
  entityType: note.entityType,
  entityId: note.entityId,
  entityFqn: note.entityFqn,
  actor: note.actor,
  summary: note.summary,
  timestamp: note.timestamp,
});

/** Removes the names of actors whom the person may not see. */
const redactActors = async (
  notes: readonly NotificationNode[],
  principal: Principal,
  redact: RedactForPrincipal,
): Promise<readonly NotificationNode[]> => {
  const shown = (await redact(
    principal,
    notes.map(({ actor }) => ({ actor })),
  )) as readonly { readonly actor?: string }[];
  return notes.map((note, at) => ({ ...note, actor: shown[at]?.actor ?? '' }));
};

const recordsOf = (notes: readonly NotificationNode[]): readonly EventRecordKey[] =>
  notes.flatMap((note) => [note, ...(note.ends ?? []).map(parseEventRecordKey)]);

const findPrincipals = (deps: MailRoundDeps, due: readonly DueMailSubscription[]) =>
  Promise.all(
    due.map(async ({ node, isReachable }) => {
      const principal = isReachable ? await deps.principalNamed(node.userName ?? '') : undefined;
      return principal?.id === node.userId ? principal : undefined;
    }),
  );

const findPendingMails = async (
  deps: MailRoundDeps,
  due: readonly DueMailSubscription[],
): Promise<readonly PendingMail[]> => {
  const [found, principals] = await Promise.all([readNotifications(deps.graph, due), findPrincipals(deps, due)]);
  const present = principals.filter((principal) => principal !== undefined);
  const visibilityOf = await deps.readVisibility(present, recordsOf(found.flat()));
  const redact = deps.createRedaction();
  return Promise.all(
    due.map(async (one, at) => {
      const [notes, principal] = [found[at] ?? [], principals[at]];
      const upTo = reachedSeq(one, notes);
      if (!principal) return { due: one, upTo, changes: [] };
      const seen = await filterVisible(notes.slice(0, MAX_CHANGES), visibilityOf(principal));
      const shown = await redactActors(seen, principal, redact);
      return { due: one, upTo, changes: shown.map((note) => toChange(note, one.node.reasons)) };
    }),
  );
};

const passed = ({ due, upTo }: PendingMail): MailedRow => ({
  id: due.node.id,
  changes: { seq: encodeProperty(upTo), attempts: null },
  mails: 0,
  retryMs: null,
});

const rowOfResult = (
  { clock, retryMs }: Pick<MailRoundDeps, 'clock' | 'retryMs'>,
  mail: PendingMail,
  result: DeliveryResult,
): MailedRow => {
  const done = passed(mail);
  const now = encodeProperty(clock());
  if (result.isOk) return { ...done, changes: { ...done.changes, lastSuccessfulAt: now }, mails: 1 };
  const attempts = (mail.due.node.attempts ?? 0) + 1;
  const delayMs = result.isFinal ? undefined : retryMs[attempts - 1];
  const failure = { lastFailedAt: now, lastFailedReason: result.reason };
  // What no attempt can deliver stays in the inbox, and later changes are mailed again.
  if (delayMs === undefined) return { ...done, changes: { ...done.changes, ...failure } };
  return {
    ...done,
    changes: { ...failure, attempts: encodeProperty(attempts) },
    retryMs: encodeProperty(delayMs),
  };
};

/** Whether the mail may be sent. An error on the way to the answer is no permission. */
const maySend = async ({ mayGoOn, log }: MailRoundDeps): Promise<boolean> => {
  try {
    return await mayGoOn();
  } catch (failure) {
    log.warn('a mail waits, because the lease for mail could not be renewed', {}, failure);
    return false;
  }
};

const sendPendingMail = async (deps: MailRoundDeps, mail: PendingMail): Promise<MailedRow | undefined> => {
  const { node, email } = mail.due;
  if (mail.changes.length === 0 || email === null) return passed(mail);
  if (!(await maySend(deps))) return undefined;
  let content: Mail;
  try {
    content = deps.buildMail({
      to: email,
      subscriptionId: node.id,
      subscriptionName: node.name,
      changes: mail.changes,
      endUrl: deps.endUrlOf(node.id),
    });
  } catch (failure) {
    deps.log.warn('a mail could not be written', { subscription: node.id }, failure);
    return rowOfResult(deps, mail, { isOk: false, reason: 'The mail could not be written' });
  }
  return rowOfResult(deps, mail, await deps.send(content));
};

const sendAndSave = async (deps: MailRoundDeps, mails: readonly PendingMail[]): Promise<void> => {
  const results = await mapConcurrently(mails, MAX_CONCURRENT_MAILS, (mail) => sendPendingMail(deps, mail));
  // All processes lock subscriptions in the same order.
  const rows = results
    .map((row, at) => ({ row, userId: mails[at]?.due.node.userId ?? '' }))
    .sort((a, b) => (a.userId < b.userId ? -1 : 1))
    .flatMap(({ row }) => row ?? []);
  if (rows.length === 0) return;
  await deps.graph.write((transaction) => transaction.run(saveMailedSubscriptions, { rows: withPositions(rows) }));
};

/** Mails what is due. Returns how many subscriptions were. */
export const runMailRound = async (deps: MailRoundDeps): Promise<number> => {
  const { graph, limit } = deps;
  const due = await graph.read(listDueMailSubscriptions, { progress: NOTIFICATION_PROGRESS, limit });
  if (due.length === 0) return 0;
  // What could not be saved is mailed again, so the results are saved before the next few mails are sent.
  for (const mails of chunk(await findPendingMails(deps, due), MAX_CONCURRENT_MAILS)) await sendAndSave(deps, mails);
  return due.length;
};
