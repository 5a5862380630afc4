import { IMPACT_HEAD, readImpactRows } from './impact-rows.ts';
import { formatColumns } from './output.ts';

/** Formats the result of a contract check for people and programs. */

export type ReportedRef = { readonly id: string; readonly name: string; readonly fullyQualifiedName: string };

type ReportedChange = {
  readonly column: string;
  /** The asset of the column, where several change. */
  readonly entity?: ReportedRef;
  readonly change: string;
  readonly before?: string;
  readonly after?: string;
};

export type ReportedBreak = {
  readonly contract: ReportedRef;
  readonly entity: ReportedRef;
  readonly depth: number;
  readonly clause: string;
  readonly reason: string;
};

/** An asset downstream, as an impact of lineage names it. */
export type ReportedAsset = {
  readonly owners: readonly ReportedRef[];
  readonly tests: readonly ReportedRef[];
  readonly contracts: readonly { readonly broken: readonly string[] }[];
};

/** What the service says of a document that is to become the contract of an asset. */
export type DocumentJudgement = {
  readonly valid: boolean;
  readonly entityErrors?: readonly string[];
  readonly constraintErrors?: readonly string[];
  readonly schemaValidation?: { readonly typeMismatchFields?: readonly string[] };
  readonly odcsImportReport?: {
    readonly issues?: readonly { readonly severity: string; readonly field?: string; readonly message: string }[];
  };
};

/** The response of the service to a proposed change; the judgement of a stored contract has the same form. */
export type CheckReport = {
  readonly verdict: 'ok' | 'breaks';
  /** The contract that was judged, and its result. */
  readonly contract?: ReportedRef;
  readonly result?: unknown;
  readonly changes: readonly ReportedChange[];
  readonly breaks: readonly ReportedBreak[];
  readonly document?: DocumentJudgement;
  readonly affected: {
    readonly entities: number;
    readonly owners: readonly ReportedRef[];
    readonly tests: readonly ReportedRef[];
    readonly assets: readonly ReportedAsset[];
  };
};

/** What a check found, and how much of the truth it knows. */
export type ContractReport = {
  /** The full name of the asset. */
  readonly subject: string;
  readonly found: CheckReport;
  /** Sentences about what could not be looked at. */
  readonly gaps: readonly string[];
  /** What a reader may want to know although it breaks nothing. */
  readonly remarks: readonly string[];
};

/** The result of a check. `unknown` means that nothing broke in what could be looked at. */
export type CheckVerdict = 'ok' | 'breaks' | 'unknown';

export const verdictOf = ({ found, gaps }: ContractReport): CheckVerdict =>
  found.verdict === 'ok' && gaps.length > 0 ? 'unknown' : found.verdict;

/**
 * Removes control and bidirectional characters from names, because other people choose them and a terminal would obey
 * them.
 */
const toPrintable = (text: string): string => text.replace(/\s+/g, ' ').replace(/[\p{Cc}\p{Cf}]/gu, '');

const countText = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

const faultsOf = ({ document }: CheckReport): readonly string[] => [
  ...(document?.entityErrors ?? []),
  ...(document?.constraintErrors ?? []),
];

const breaksText = ({ contract, breaks }: CheckReport): string => {
  const count = countText(breaks.length, 'clause', 'clauses');
  if (contract === undefined) return breaks.length === 0 ? 'breaks no contract' : `breaks ${count} of contracts`;
  return breaks.length === 0 ? 'keeps its contract' : `fails ${count} of its contract`;
};

const verdictText = ({ found, gaps }: ContractReport): string => {
  const faults = faultsOf(found);
  return [
    found.breaks.length === 0 && gaps.length > 0 ? `${breaksText(found)} as far as was looked` : breaksText(found),
    ...(faults.length > 0 ? [`and the document has ${countText(faults.length, 'fault', 'faults')}`] : []),
  ].join(', ');
};

const columnText = ({ column, entity }: ReportedChange): string =>
  entity === undefined ? column : `${entity.fullyQualifiedName}.${column}`;

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
  countText(entities, 'asset downstream', 'assets downstream'),
  withNames(
    countText(owners.length, 'owner to ask', 'owners to ask'),
    nameList(owners, ({ name }) => name),
  ),
  withNames(
    countText(tests.length, 'test', 'tests'),
    nameList(tests, ({ fullyQualifiedName }) => fullyQualifiedName),
  ),
];

/** The maximum number of changes in a report: a comment on a pull request has no room for all of a large branch. */
const MOST_CHANGES = 200;

const listedChanges = ({ changes }: CheckReport): readonly ReportedChange[] => changes.slice(0, MOST_CHANGES);

const moreChanges = ({ changes }: CheckReport): readonly string[] =>
  changes.length > MOST_CHANGES ? [`… ${changes.length - MOST_CHANGES} more changes; --json names them`] : [];

/** The maximum number of assets in a table. */
const MOST_ASSETS = 50;

const moreAssets = ({ affected: { assets } }: CheckReport): readonly string[] =>
  assets.length > MOST_ASSETS ? [`… ${assets.length - MOST_ASSETS} more; --json names them`] : [];

const section = (title: string, lines: readonly string[]): readonly string[] =>
  lines.length > 0 ? [title, ...lines.map((line) => `  ${line}`)] : [];

const formatText = (report: ContractReport, width: number): string => {
  const { subject, found, gaps, remarks } = report;
  const changes = formatColumns(
    listedChanges(found).map((one) => [one.change, columnText(one), changeText(one)]),
    width,
  );
  const breaks = found.breaks.flatMap((one) => [
    `${distanceText(one)}: ${toPrintable(one.entity.fullyQualifiedName)}`,
    `  ${toPrintable(one.contract.name)}, ${toPrintable(one.clause)}: ${toPrintable(one.reason)}`,
  ]);
  const assets = readImpactRows(found.affected.assets.slice(0, MOST_ASSETS));
  const isJudgement = found.contract !== undefined;
  return [
    `${toPrintable(subject)}: ${verdictText(report)}`,
    ...(found.changes.length > 0 ? section('changes', changes) : isJudgement ? [] : ['no changes']),
    ...moreChanges(found),
    ...section(isJudgement ? 'fails' : 'breaks', breaks),
    ...section('faults of the document', faultsOf(found).map(toPrintable)),
    ...section('remarks', remarks.slice(0, MOST_NAMES).map(toPrintable)),
    ...(isJudgement && found.verdict === 'ok' ? [] : section('affected', affectedText(found))),
    ...(assets.length > 0 ? formatColumns([IMPACT_HEAD, ...assets], width) : []),
    ...moreAssets(found),
    ...gaps,
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

const markdownList = (lines: readonly string[]): readonly string[] =>
  lines.length > 0 ? [lines.map((line) => `- ${escapeMarkdown(line)}`).join('\n')] : [];

const markdownTable = (head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] =>
  rows.length > 0 ? [formatTable(head, rows)] : [];

const formatMarkdown = (report: ContractReport): string => {
  const { subject, found, gaps, remarks } = report;
  const isJudgement = found.contract !== undefined;
  const changes = listedChanges(found).map((one) => [columnText(one), one.change, one.before ?? '', one.after ?? '']);
  const breaks = found.breaks.map((one) => [
    distanceText(one),
    one.entity.fullyQualifiedName,
    one.contract.name,
    one.clause,
    one.reason,
  ]);
  return [
    `## ${escapeMarkdown(subject)} ${verdictText(report)}`,
    ...gaps.map((gap) => `**${gap}**`),
    ...markdownTable(['Column', 'Change', 'Before', 'After'], changes),
    ...moreChanges(found),
    ...(changes.length === 0 && !isJudgement ? ['No column changes.'] : []),
    ...markdownTable(['Where', 'Record', 'Contract', 'Clause', 'Why'], breaks),
    ...markdownList([...faultsOf(found), ...remarks.slice(0, MOST_NAMES)]),
    ...(isJudgement && found.verdict === 'ok' ? [] : markdownList(affectedText(found))),
    ...markdownTable(IMPACT_HEAD, readImpactRows(found.affected.assets.slice(0, MOST_ASSETS))),
    ...moreAssets(found),
  ].join('\n\n');
};

const formatJson = ({ found, gaps }: ContractReport): string =>
  JSON.stringify(gaps.length > 0 ? { ...found, isPartial: true } : found, null, 2);

/** The report formatters by format name. */
export const REPORT_FORMATTERS = { text: formatText, json: formatJson, markdown: formatMarkdown } as const;

export type ReportFormat = keyof typeof REPORT_FORMATTERS;
