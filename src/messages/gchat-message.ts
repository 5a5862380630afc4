import { escapeHtml } from '../model/html.ts';
import {
  type ChangeEntry,
  type ChangeMessage,
  type DescribedField,
  describeOmitted,
  fitMessage,
} from './change-message.ts';

/** Renders messages for webhooks of Google Chat: one card, whose texts are a little HTML. */

/** Google Chat refuses more than 32,000 bytes. */
const MAX_MESSAGE_BYTES = 31_000;

const renderField = ({ name, before, after }: DescribedField): string => {
  const values =
    before === undefined && after === undefined
      ? ''
      : `: ${escapeHtml(before ?? 'nothing')} → ${escapeHtml(after ?? 'nothing')}`;
  return `• <b>${escapeHtml(name)}</b>${values}`;
};

const paragraph = (text: string) => ({ textParagraph: { text } });

const renderEntry = ({ assetName, assetType, url, actor, summary, fields }: ChangeEntry) => {
  const name = escapeHtml(assetName);
  const linked = url === undefined ? `<b>${name}</b>` : `<a href="${escapeHtml(url)}">${name}</a>`;
  const head = `${linked} (${escapeHtml(assetType)}) – ${escapeHtml(summary)} by <b>${escapeHtml(actor)}</b>`;
  return paragraph([head, ...fields.map(renderField)].join('<br>'));
};

/** Renders a message as the body that Google Chat takes. */
export const renderGChatMessage = (whole: ChangeMessage): string =>
  fitMessage(whole, MAX_MESSAGE_BYTES, (message) => {
    const omitted = describeOmitted(message);
    const widgets = [
      ...message.entries.map(renderEntry),
      ...(omitted === undefined ? [] : [paragraph(omitted)]),
      paragraph(escapeHtml(message.footer)),
    ];
    const card = { header: { title: message.title }, sections: [{ widgets }] };
    return JSON.stringify({ cardsV2: [{ cardId: 'changes', card }] });
  });
