import {
  type ChangeEntry,
  type ChangeMessage,
  type DescribedField,
  describeOmitted,
  fitMessage,
} from './change-message.ts';
import { shortenText } from './message-text.ts';

/** Renders messages for incoming webhooks of Slack: blocks with a plain text for notifications. */

/** Slack refuses longer texts in a header and a section. A message has 23 blocks at most, and Slack takes 50. */
const MAX_HEADER_LENGTH = 150;
const MAX_SECTION_LENGTH = 3000;
const MAX_MESSAGE_BYTES = 100_000;

/** Escapes a text, so that it cannot mention a channel, a user or a link. A joiner splits mentions in plain text. */
const escapeSlack = (text: string): string =>
  text
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/@(?=channel|here|everyone)/gi, '@\u2060');

const codeOf = (text: string): string => `\`${escapeSlack(text).replaceAll('`', 'ʼ')}\``;

const renderField = ({ name, before, after }: DescribedField): string => {
  if (before === undefined && after === undefined) return `• ${codeOf(name)}`;
  return `• ${codeOf(name)}: ${before === undefined ? 'nothing' : codeOf(before)} → ${after === undefined ? 'nothing' : codeOf(after)}`;
};

/** Adds lines as long as the text stays within the limit: a cut line could end inside an escape. */
const joinWithin = (lines: readonly string[], maxLength: number): string => {
  let text = '';
  for (const line of lines) {
    const longer = text === '' ? line : `${text}\n${line}`;
    if (longer.length > maxLength) break;
    text = longer;
  }
  return text;
};

const renderEntry = ({ assetName, assetType, url, actor, summary, fields }: ChangeEntry) => {
  const name = url === undefined ? codeOf(assetName) : `<${url}|${escapeSlack(assetName)}>`;
  const head = `${name} (${escapeSlack(assetType)}) – ${codeOf(summary)} by ${codeOf(actor)}`;
  const text = joinWithin([head, ...fields.map(renderField)], MAX_SECTION_LENGTH);
  return { type: 'section', text: { type: 'mrkdwn', text, verbatim: true } };
};

const renderContext = (text: string) => ({ type: 'context', elements: [{ type: 'plain_text', text, emoji: false }] });

/** Renders a message as the body that Slack takes. */
export const renderSlackMessage = (whole: ChangeMessage): string =>
  fitMessage(whole, MAX_MESSAGE_BYTES, (message) => {
    const { title, entries, footer } = message;
    const omitted = describeOmitted(message);
    return JSON.stringify({
      text: escapeSlack(shortenText(title, MAX_HEADER_LENGTH)),
      blocks: [
        {
          type: 'header',
          text: { type: 'plain_text', text: shortenText(title, MAX_HEADER_LENGTH), emoji: false },
        },
        ...entries.map(renderEntry),
        ...(omitted === undefined ? [] : [renderContext(omitted)]),
        renderContext(footer),
      ],
      unfurl_links: false,
      unfurl_media: false,
    });
  });
