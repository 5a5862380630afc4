import { escapeHtml } from '../model/html.ts';
import { type ChangeEntry, type ChangeMessage, type DescribedField, describeOmitted } from './change-message.ts';
import { shortenText, toOneLine } from './message-text.ts';

/** Renders messages as mail: a subject, a text and the same as HTML. */

export type EmailContent = { readonly subject: string; readonly text: string; readonly html: string };

const MAX_SUBJECT_LENGTH = 200;

const describeField = ({ name, before, after }: DescribedField): string =>
  before === undefined && after === undefined ? name : `${name}: ${before ?? 'nothing'} → ${after ?? 'nothing'}`;

const renderTextEntry = ({ assetName, assetType, url, actor, summary, fields }: ChangeEntry): string =>
  [
    `${assetName} (${assetType}): ${summary} by ${actor}`,
    ...fields.map((field) => `  - ${describeField(field)}`),
    ...(url === undefined ? [] : [`  ${url}`]),
  ].join('\n');

const renderHtmlEntry = ({ assetName, assetType, url, actor, summary, fields }: ChangeEntry): string => {
  const name = escapeHtml(assetName);
  const linked = url === undefined ? `<strong>${name}</strong>` : `<a href="${escapeHtml(url)}">${name}</a>`;
  const items = fields.map((field) => `<li>${escapeHtml(describeField(field))}</li>`).join('');
  const list = items === '' ? '' : `<ul>${items}</ul>`;
  return `<p>${linked} (${escapeHtml(assetType)}): ${escapeHtml(summary)} by ${escapeHtml(actor)}</p>${list}`;
};

/** Renders a message as mail. */
export const renderEmail = (message: ChangeMessage): EmailContent => {
  const omitted = describeOmitted(message);
  const last = omitted === undefined ? [] : [omitted];
  const { footer, endUrl } = message;
  const end = endUrl === undefined ? '' : ` <a href="${escapeHtml(endUrl)}">End these mails</a>`;
  const html = [
    ...message.entries.map(renderHtmlEntry),
    ...last.map((line) => `<p>${escapeHtml(line)}</p>`),
    `<p><small>${escapeHtml(footer)}${end}</small></p>`,
  ].join('\n');
  const textFooter = endUrl === undefined ? footer : `${footer}\nEnd these mails: ${endUrl}`;
  return {
    subject: shortenText(toOneLine(message.title), MAX_SUBJECT_LENGTH),
    text: [...message.entries.map(renderTextEntry), ...last, `-- \n${textFooter}`].join('\n\n'),
    html: `<!doctype html><html><body>\n${html}\n</body></html>`,
  };
};
