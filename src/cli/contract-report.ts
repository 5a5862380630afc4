/** Formats the result of a contract check for people and programs. */

type ReportedRef = { readonly name: string; readonly fullyQualifiedName: string };

type ReportedChange = {
  readonly column: string;
  readonly change: string;
  readonly before?: string;
  readonly after?: string;
};

type ReportedBreak = {
  readonly contract: ReportedRef;
  readonly entity: ReportedRef;
  readonly depth: number;
  readonly clause: string;
  readonly reason: string;
};

/** The response of the service. */
export type CheckReport = {
  readonly verdict: 'ok' | 'breaks';
  readonly changes: readonly ReportedChange[];
  readonly breaks: readonly ReportedBreak[];
  readonly affected: {
    readonly entities: number;
    readonly owners: readonly ReportedRef[];
    readonly tests: readonly ReportedRef[];
  };
};

/** Whether the whole downstream graph was checked or only part of it. */
export type CheckExtent = 'whole' | 'part';

const TRUNCATED_NOTE = 'Not everything downstream could be looked at: there is more of it than one check walks.';

/**
 * Removes control and bidirectional characters from names, because other people choose them and a terminal would obey
 * them.
 */
const toPrintable = (text: string): string => text.replace(/\s+/g, ' ').replace(/[\p{Cc}\p{Cf}]/gu, '');

const countText = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

const verdictText = ({ verdict, breaks }: CheckReport, extent: CheckExtent): string =>
  verdict === 'ok'
    ? `breaks no contract${extent === 'part' ? ' as far as was looked' : ''}`
    : `breaks ${countText(breaks.length, 'clause', 'clauses')} of contracts`;

const changeText = ({ before, after }: ReportedChange): string => {
  if (before === undefined) return after ?? '';
  return after === undefined ? before : `${before} -> ${after}`;
};

const distanceText = ({ depth }: ReportedBreak): string =>
  depth === 0 ? 'here' : `${countText(depth, 'step', 'steps')} downstream`;

/** The maximum number of names listed; further ones are only counted. */
const MOST_NAMES = 20;

const nameList = (refs: readonly ReportedRef[], nameOf: (ref: ReportedRef) => string): string => {
  const names = refs.slice(0, MOST_NAMES).map((ref) => toPrintable(nameOf(ref)));
  return [...names, ...(refs.length > MOST_NAMES ? [`${refs.length - MOST_NAMES} more`] : [])].join(', ');
};

const withNames = (count: string, names: string): string => (names === '' ? count : `${count} (${names})`);

const affectedText = ({ affected: { entities, owners, tests } }: CheckReport): readonly string[] => [
  countText(entities, 'record downstream', 'records downstream'),
  withNames(
    countText(owners.length, 'owner', 'owners'),
    nameList(owners, ({ name }) => name),
  ),
  withNames(
    countText(tests.length, 'test', 'tests'),
    nameList(tests, ({ fullyQualifiedName }) => fullyQualifiedName),
  ),
];

const formatText = (entity: string, found: CheckReport, extent: CheckExtent): string => {
  const changes = found.changes.map((one) =>
    `  ${one.change.padEnd(11)} ${toPrintable(one.column)}  ${toPrintable(changeText(one))}`.trimEnd(),
  );
  const breaks = found.breaks.map(
    (one) =>
      `  ${distanceText(one)}: ${toPrintable(one.entity.fullyQualifiedName)}\n` +
      `    ${toPrintable(one.contract.name)}, ${toPrintable(one.clause)}: ${toPrintable(one.reason)}`,
  );
  return [
    `${toPrintable(entity)}: ${verdictText(found, extent)}`,
    changes.length > 0 ? `changes\n${changes.join('\n')}` : 'no changes',
    ...(breaks.length > 0 ? [`breaks\n${breaks.join('\n')}`] : []),
    `affected\n${affectedText(found)
      .map((line) => `  ${line}`)
      .join('\n')}`,
    ...(extent === 'part' ? [TRUNCATED_NOTE] : []),
  ].join('\n');
};

/** Escapes a text so that Markdown shows it unchanged. */
const escapeMarkdown = (text: string): string =>
  toPrintable(text)
    .replace(/[\\`*_[\]|~#@]/g, '\\$&')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;');

const formatTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows.map((row) => row.map(escapeMarkdown))]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');

const formatMarkdown = (entity: string, found: CheckReport, extent: CheckExtent): string =>
  [
    `## ${escapeMarkdown(entity)} ${verdictText(found, extent)}`,
    ...(extent === 'part' ? [`**${TRUNCATED_NOTE}**`] : []),
    ...(found.changes.length > 0
      ? [
          formatTable(
            ['Column', 'Change', 'Before', 'After'],
            found.changes.map(({ column, change, before = '', after = '' }) => [column, change, before, after]),
          ),
        ]
      : ['No column changes.']),
    ...(found.breaks.length > 0
      ? [
          formatTable(
            ['Where', 'Record', 'Contract', 'Clause', 'Why'],
            found.breaks.map((one) => [
              distanceText(one),
              one.entity.fullyQualifiedName,
              one.contract.name,
              one.clause,
              one.reason,
            ]),
          ),
        ]
      : []),
    affectedText(found)
      .map((line) => `- ${escapeMarkdown(line)}`)
      .join('\n'),
  ].join('\n\n');

const formatJson = (_entity: string, found: CheckReport, extent: CheckExtent): string =>
  JSON.stringify(extent === 'part' ? { ...found, isPartial: true } : found, null, 2);

/** The report formatters by format name. */
export const REPORT_FORMATTERS = { text: formatText, json: formatJson, markdown: formatMarkdown } as const;

export type ReportFormat = keyof typeof REPORT_FORMATTERS;
