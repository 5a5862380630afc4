import * as assert from 'uvu/assert';
import { buildChangeMessage, type ChangeMessage } from '../../src/messages/change-message.ts';
import { renderGChatMessage } from '../../src/messages/gchat-message.ts';
import { renderSlackMessage } from '../../src/messages/slack-message.ts';
import { renderTeamsMessage } from '../../src/messages/teams-message.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { suite } from '../support/suite.ts';

/** Shows what messages to chat services say, that they hold the limits of the services, and that no text breaks out. */

const test = suite('messages: chat services');

const HOSTILE = '<!channel> @here <https://evil.example|x> `*_~ & "\u202egnp\u0000\nnext';

const eventOf = (more: JsonObject = {}): JsonObject => ({
  id: 'e1',
  eventType: 'entityUpdated',
  entityType: 'table',
  entityId: 't1',
  entityFullyQualifiedName: 'shop.pg.public.orders',
  userName: 'ana',
  timestamp: 1_763_719_200_000,
  changeDescription: { fieldsUpdated: [{ name: 'description', oldValue: 'Old.', newValue: 'New.' }] },
  ...more,
});

const urlOf = (type: string, name: string) => `https://catalog.example/${type}s/${encodeURIComponent(name)}`;

const messageOf = (events: readonly JsonObject[], changes = events.length, assets = 1): ChangeMessage =>
  buildChangeMessage(events, { changes, assets, subscriptionName: 'hook' }, urlOf);

const hostileEvent = (at: number): JsonObject =>
  eventOf({
    entityId: `t${at}`,
    entityFullyQualifiedName: `${at}${HOSTILE.repeat(200)}`,
    userName: HOSTILE.repeat(200),
    changeDescription: {
      fieldsUpdated: Array.from({ length: 50 }, (_, field) => ({
        name: `${field}${HOSTILE.repeat(100)}`,
        oldValue: HOSTILE.repeat(100),
        newValue: JSON.stringify({ deep: HOSTILE.repeat(100) }),
      })),
    },
  });

const hostileEvents = Array.from({ length: 25 }, (_, at) => hostileEvent(at));
const hostileMessage = messageOf(hostileEvents, 1000, 1000);

test('the content says who changed which asset, and what it was and is', () => {
  const { title, entries, omitted, footer } = messageOf([eventOf()]);
  assert.is(title, 'shop.pg.public.orders (table): description changed');
  assert.equal(entries, [
    {
      assetType: 'table',
      assetName: 'shop.pg.public.orders',
      url: 'https://catalog.example/tables/shop.pg.public.orders',
      actor: 'ana',
      summary: 'description changed',
      fields: [{ name: 'description', before: 'Old.', after: 'New.' }],
      timestamp: 1_763_719_200_000,
    },
  ]);
  assert.is(omitted, 0);
  assert.is(footer, 'Sent by the subscription hook');
});

test('many changes become one content that describes twenty and counts the rest', () => {
  const { title, entries, omitted } = hostileMessage;
  assert.is(title, '1000 changes to 1000 assets');
  assert.is(entries.length, 20);
  assert.is(omitted, 980);
  assert.is(messageOf([eventOf(), eventOf()]).title, '2 changes to shop.pg.public.orders');
  const texts = entries.flatMap(({ assetName, actor, fields }) => [assetName, actor, ...fields.flatMap(Object.values)]);
  for (const text of texts) assert.not.match(text, /[\p{Cc}\u202e]/u);
});

test('without a public address there are no links', () => {
  const [entry] = buildChangeMessage(
    [eventOf()],
    { changes: 1, assets: 1, subscriptionName: 'hook' },
    () => undefined,
  ).entries;
  assert.is(entry?.url, undefined);
});

test('Slack gets a header, a section per change and the footer', () => {
  const body = JSON.parse(renderSlackMessage(messageOf([eventOf()])));
  assert.is(body.text, 'shop.pg.public.orders (table): description changed');
  assert.equal(
    body.blocks.map(({ type }: { type: string }) => type),
    ['header', 'section', 'context'],
  );
  assert.equal(body.blocks[1].text, {
    type: 'mrkdwn',
    text: '<https://catalog.example/tables/shop.pg.public.orders|shop.pg.public.orders> (table) – `description changed` by `ana`\n• `description`: `Old.` → `New.`',
    verbatim: true,
  });
});

test('Slack gets no more blocks and no longer texts than it takes, and nobody can mention a channel', () => {
  const body = JSON.parse(renderSlackMessage(hostileMessage));
  assert.ok(body.blocks.length <= 50);
  assert.is(body.blocks[0].text.text.length <= 150, true);
  const sections = body.blocks.filter(({ type }: { type: string }) => type === 'section');
  assert.ok(sections.length > 0);
  for (const { text } of sections) {
    assert.ok(text.text.length > 0 && text.text.length <= 3000, `${text.text.length} characters`);
    const links = text.text.match(/<[^>]*>/g) ?? [];
    assert.ok(
      links.every((link: string) => link.startsWith('<https://catalog.example/')),
      links.join(),
    );
    assert.not.match(text.text, /@(here|channel)/);
    assert.not.match(text.text, /&(?!amp;|lt;|gt;)/);
  }
});

test('Teams gets a message with one Adaptive Card of plain runs, below 28 KB', () => {
  const body = JSON.parse(renderTeamsMessage(messageOf([eventOf()])));
  assert.is(body.type, 'message');
  const [{ contentType, content }] = body.attachments;
  assert.is(contentType, 'application/vnd.microsoft.card.adaptive');
  assert.equal([content.type, content.version], ['AdaptiveCard', '1.4']);
  const runs = content.body.flatMap(({ inlines }: { inlines: { text: string }[] }) => inlines);
  assert.equal(runs[1].selectAction, {
    type: 'Action.OpenUrl',
    url: 'https://catalog.example/tables/shop.pg.public.orders',
  });
  assert.equal(
    runs.map(({ text }: { text: string }) => text),
    [
      'shop.pg.public.orders (table): description changed',
      'shop.pg.public.orders',
      ' (table) – description changed by ',
      'ana',
      '• description',
      ': Old. → New.',
      'Sent by the subscription hook',
    ],
  );
  const long = renderTeamsMessage(hostileMessage);
  assert.ok(Buffer.byteLength(long) <= 28 * 1024, `${Buffer.byteLength(long)} bytes`);
  const last = JSON.parse(long).attachments[0].content.body.at(-2).inlines[0].text;
  assert.match(last, /^and 99\d more changes$/);
});

test('Google Chat gets a card whose texts are escaped, below 32,000 bytes', () => {
  const body = JSON.parse(renderGChatMessage(messageOf([eventOf({ userName: '<users/all>' })])));
  const [{ card }] = body.cardsV2;
  assert.is(
    card.sections[0].widgets[0].textParagraph.text,
    '<a href="https://catalog.example/tables/shop.pg.public.orders">shop.pg.public.orders</a> (table) – description changed by <b>&lt;users/all&gt;</b><br>• <b>description</b>: Old. → New.',
  );
  assert.ok(Buffer.byteLength(renderGChatMessage(hostileMessage)) <= 32_000);
});

test.run();
