import type { SecretBox } from '../access/secret-box.ts';
import { badRequest } from '../errors.ts';
import type { Graph } from '../graph/client.ts';
import { answerHtmlPage } from '../http/html-page.ts';
import { textParameter } from '../http/query-parameters.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import { escapeHtml } from '../model/html.ts';
import { isUuid } from '../model/uuid.ts';
import { createMailOptOut, readMailOptOut } from './mail-opt-out-queries.ts';
import { deleteMailSubscription, readMailSubscription } from './mail-subscription-queries.ts';

/**
 * Ends mails from within a mail, without a sign-in: by the button of the reader's mail program (RFC 8058), or by the page
 * that the link leads to. A mail subscription ends; an event subscription goes on and mails one person no more. The token
 * of the link is sealed and does nothing else.
 */

const MAIL_ENDING_PATH = '/v1/notifications/unsubscribe';

/** Other sealed texts do not begin like this, so none of them ends anything. */
const TOKEN_PREFIX = 'end of mail ';

export type MailEndingDeps = { readonly graph: Graph; readonly secrets: Pick<SecretBox, 'sealText' | 'openText'> };

/**
 * Finds the address that ends a mail subscription, or the mails of an event subscription to one person; undefined when
 * the public address of the service is unknown.
 */
export type MailEndingUrlOf = (subscriptionId: string, userId?: string) => string | undefined;

export const createMailEndingUrls =
  ({ sealText }: MailEndingDeps['secrets'], publicUrl: string | undefined): MailEndingUrlOf =>
  (subscriptionId, userId) => {
    const ids = userId === undefined ? subscriptionId : `${subscriptionId} ${userId}`;
    const token = encodeURIComponent(sealText(`${TOKEN_PREFIX}${ids}`));
    return publicUrl && `${publicUrl}${MAIL_ENDING_PATH}?token=${token}`;
  };

/** What a token ends. Only mails of event subscriptions name a person: a mail subscription has one. */
type MailEnding = { readonly subscriptionId: string; readonly userId: string | undefined };

const openToken = ({ secrets }: MailEndingDeps, call: Call): MailEnding => {
  const invalid = (cause?: unknown) => badRequest('[token is not one that a mail contains]', cause);
  let text: string;
  try {
    text = secrets.openText(call.query.get('token') ?? '');
  } catch (cause) {
    throw invalid(cause);
  }
  const [subscriptionId = '', userId, ...more] = text.slice(TOKEN_PREFIX.length).split(' ');
  const areIds = isUuid(subscriptionId) && (userId === undefined || isUuid(userId)) && more.length === 0;
  if (!text.startsWith(TOKEN_PREFIX) || !areIds) throw invalid();
  return { subscriptionId, userId };
};

/** Finds the name of the subscription whose mails can be ended; undefined when they have ended. */
const findName = async ({ graph }: MailEndingDeps, ending: MailEnding): Promise<string | undefined> => {
  const { subscriptionId, userId } = ending;
  if (userId === undefined) return (await graph.read(readMailSubscription, { id: subscriptionId }))[0]?.node.name;
  const [row] = await graph.read(readMailOptOut, { subscriptionId, userId });
  return row?.isOptedOut === false ? row.name : undefined;
};

const answerPage = (title: string, content: string): Answer =>
  answerHtmlPage({ status: 200, title, content, formAction: "'self'" });

const ENDED = '<p>This subscription sends you no more mail.</p>';

/** Programs follow links of mails to check them, so looking at the page ends nothing. */
const showEnding = async (deps: MailEndingDeps, call: Call): Promise<Answer> => {
  const name = await findName(deps, openToken(deps, call));
  if (name === undefined) return answerPage('Mail ended', ENDED);
  const button =
    '<form method="post"><button name="List-Unsubscribe" value="One-Click">End these mails</button></form>';
  return answerPage('End these mails?', `<p>The subscription: ${escapeHtml(name)}</p>${button}`);
};

/** A second request finds them ended, which is what was asked for. */
const endMail = async (deps: MailEndingDeps, call: Call): Promise<Answer> => {
  const { subscriptionId, userId } = openToken(deps, call);
  await deps.graph.write(async (transaction) => {
    if (userId === undefined) await transaction.run(deleteMailSubscription, { id: subscriptionId });
    else await transaction.run(createMailOptOut, { subscriptionId, userId });
  });
  return answerPage('Mail ended', ENDED);
};

export const mailEndingRoutes = (deps: MailEndingDeps): Route[] => {
  const shared = {
    path: MAIL_ENDING_PATH,
    tag: 'Notifications',
    access: 'public',
    query: [textParameter('token', 'Token from the link in a mail')],
    responses: { 200: undefined },
    alsoAnswers: ['text/html'],
    isOwn: true,
  } as const;
  return [
    {
      ...shared,
      method: 'GET',
      summary: 'Show the page that ends the mails of a subscription',
      handle: (call) => showEnding(deps, call),
    },
    {
      ...shared,
      method: 'POST',
      summary: 'End the mails of a subscription by the link of a mail',
      handle: (call) => endMail(deps, call),
    },
  ];
};
