import {
  type ChangeEntry,
  type ChangeMessage,
  type DescribedField,
  describeOmitted,
  fitMessage,
} from './change-message.ts';

/**
 * Renders messages for webhooks of Microsoft Teams: a message with one Adaptive Card. All texts are runs of rich text,
 * which Teams shows as they are, while text blocks would read Markdown in them.
 */

/** Teams refuses more than 28 KB. */
const MAX_MESSAGE_BYTES = 27_000;

type TextStyle = { readonly weight?: 'Bolder'; readonly size?: 'Large'; readonly isSubtle?: true };

const runOf = (text: string, style: TextStyle = {}, url?: string) => ({
  type: 'TextRun',
  text,
  ...style,
  ...(url === undefined ? {} : { selectAction: { type: 'Action.OpenUrl', url } }),
});

const lineOf = (inlines: readonly object[], spacing?: 'Small') => ({
  type: 'RichTextBlock',
  inlines,
  ...(spacing ? { spacing } : {}),
});

const renderField = ({ name, before, after }: DescribedField) => {
  const values = before === undefined && after === undefined ? '' : `: ${before ?? 'nothing'} → ${after ?? 'nothing'}`;
  return lineOf([runOf(`• ${name}`, { weight: 'Bolder' }), ...(values === '' ? [] : [runOf(values)])], 'Small');
};

const renderEntry = ({ assetName, assetType, url, actor, summary, fields }: ChangeEntry) => [
  lineOf([
    runOf(assetName, { weight: 'Bolder' }, url),
    runOf(` (${assetType}) – ${summary} by `),
    runOf(actor, { weight: 'Bolder' }),
  ]),
  ...fields.map(renderField),
];

const subtleLine = (text: string) => lineOf([runOf(text, { isSubtle: true })]);

const renderCard = (message: ChangeMessage) => {
  const omitted = describeOmitted(message);
  return {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      lineOf([runOf(message.title, { weight: 'Bolder', size: 'Large' })]),
      ...message.entries.flatMap(renderEntry),
      ...(omitted === undefined ? [] : [subtleLine(omitted)]),
      subtleLine(message.footer),
    ],
    msteams: { width: 'Full' },
  };
};

/** Renders a message as the body that Teams takes. */
export const renderTeamsMessage = (whole: ChangeMessage): string =>
  fitMessage(whole, MAX_MESSAGE_BYTES, (message) =>
    JSON.stringify({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          contentUrl: null,
          content: renderCard(message),
        },
      ],
    }),
  );
