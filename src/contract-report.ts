/** How the change check is reported to people and programs. */

type Ref = { readonly name: string; readonly fullyQualifiedName: string };

type Change = {
  readonly column: string;
  readonly change: string;
  readonly before?: string;
  readonly after?: string;
};

type Break = {
  readonly contract: Ref;
  readonly entity: Ref;
  readonly depth: number;
  readonly clause: string;
  readonly reason: string;
};

/** What the service answers. */
export type CheckReport = {
  readonly verdict: 'ok' | 'breaks';
  readonly changes: readonly Change[];
  readonly breaks: readonly Break[];
  readonly affected: { readonly entities: number; readonly owners: readonly Ref[]; readonly tests: readonly Ref[] };
};

/** How much of what lies downstream was looked at. */
export type Extent = 'whole' | 'part';

const CUT = 'Not everything downstream could be looked at: there is more of it than one check walks.';

/** Names are other people's: what steers a terminal, or turns the direction of writing, is left out of them. */
const plain = (text: string): string => text.replace(/\s+/g, ' ').replace(/[\p{Cc}\p{Cf}]/gu, '');

const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

const verdictOf = ({ verdict, breaks }: CheckReport, extent: Extent): string =>
  verdict === 'ok'
    ? `breaks no contract${extent === 'part' ? ' as far as was looked' : ''}`
    : `breaks ${counted(breaks.length, 'clause', 'clauses')} of contracts`;

const changeText = ({ before, after }: Change): string => {
  if (before === undefined) return after ?? '';
  return after === undefined ? before : `${before} -> ${after}`;
};

const placeOf = ({ depth }: Break): string => (depth === 0 ? 'here' : `${counted(depth, 'step', 'steps')} downstream`);

/** More names than that are only counted. */
const MOST_NAMES = 20;

const namesOf = (refs: readonly Ref[], nameOf: (ref: Ref) => string): string => {
  const names = refs.slice(0, MOST_NAMES).map((ref) => plain(nameOf(ref)));
  return [...names, ...(refs.length > MOST_NAMES ? [`${refs.length - MOST_NAMES} more`] : [])].join(', ');
};

const withNames = (count: string, names: string): string => (names === '' ? count : `${count} (${names})`);

const affectedText = ({ affected: { entities, owners, tests } }: CheckReport): readonly string[] => [
  counted(entities, 'record downstream', 'records downstream'),
  withNames(
    counted(owners.length, 'owner', 'owners'),
    namesOf(owners, ({ name }) => name),
  ),
  withNames(
    counted(tests.length, 'test', 'tests'),
    namesOf(tests, ({ fullyQualifiedName }) => fullyQualifiedName),
  ),
];

const asText = (entity: string, found: CheckReport, extent: Extent): string => {
  const changes = found.changes.map((one) =>
    `  ${one.change.padEnd(11)} ${plain(one.column)}  ${plain(changeText(one))}`.trimEnd(),
  );
  const breaks = found.breaks.map(
    (one) =>
      `  ${placeOf(one)}: ${plain(one.entity.fullyQualifiedName)}\n` +
      `    ${plain(one.contract.name)}, ${plain(one.clause)}: ${plain(one.reason)}`,
  );
  return [
    `${plain(entity)}: ${verdictOf(found, extent)}`,
    changes.length > 0 ? `changes\n${changes.join('\n')}` : 'no changes',
    ...(breaks.length > 0 ? [`breaks\n${breaks.join('\n')}`] : []),
    `affected\n${affectedText(found)
      .map((line) => `  ${line}`)
      .join('\n')}`,
    ...(extent === 'part' ? [CUT] : []),
  ].join('\n');
};

/** A text as it is, wherever in a document it stands. */
const cell = (text: string): string =>
  plain(text)
    .replace(/[\\`*_[\]|~#@]/g, '\\$&')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;');

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows.map((row) => row.map(cell))].map((row) => `| ${row.join(' | ')} |`).join('\n');

const asMarkdown = (entity: string, found: CheckReport, extent: Extent): string =>
  [
    `## ${cell(entity)} ${verdictOf(found, extent)}`,
    ...(extent === 'part' ? [`**${CUT}**`] : []),
    ...(found.changes.length > 0
      ? [
          table(
            ['Column', 'Change', 'Before', 'After'],
            found.changes.map(({ column, change, before = '', after = '' }) => [column, change, before, after]),
          ),
        ]
      : ['No column changes.']),
    ...(found.breaks.length > 0
      ? [
          table(
            ['Where', 'Record', 'Contract', 'Clause', 'Why'],
            found.breaks.map((one) => [
              placeOf(one),
              one.entity.fullyQualifiedName,
              one.contract.name,
              one.clause,
              one.reason,
            ]),
          ),
        ]
      : []),
    affectedText(found)
      .map((line) => `- ${cell(line)}`)
      .join('\n'),
  ].join('\n\n');

const asJson = (_entity: string, found: CheckReport, extent: Extent): string =>
  JSON.stringify(extent === 'part' ? { ...found, isPartial: true } : found, null, 2);

/** The reports there are, by the names of their formats. */
export const REPORTS = { text: asText, json: asJson, markdown: asMarkdown } as const;

export type ReportFormat = keyof typeof REPORTS;
