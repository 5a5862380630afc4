import type * as v from 'valibot';
import { isObject, type Json, type JsonObject, type MutableJsonObject, member, setMember } from '../../model/json.ts';
import type { Kind } from '../../model/kind.ts';
import { fqnPart, normaliseFqn } from '../../model/name.ts';
import { check } from '../../model/validate.ts';
import { Duration, Markdown, Text, Url } from '../../model/values.ts';
import type { RowReader } from '../row.ts';
import type { CellDesk } from './desk.ts';
import { type Properties, readExtension, writeExtension } from './extension.ts';
import { CellFault } from './fault.ts';
import { NAMES, readItems, writeItems } from './items.ts';
import { LABEL_CELLS, type LabelCell, readLabels, sourceOfCell, spreadLabels, writeLabels } from './labels.ts';
import { ownRefs, readOwners, writeOwners } from './owners.ts';

/** Cells by the names of their columns. */
export type Cells = Readonly<Record<string, string>>;

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

/** The name of the tag that certifies a record. */
const certifiedBy = (document: JsonObject): string | undefined => {
  const certification = member(document, 'certification');
  const label = isObject(certification) ? member(certification, 'tagLabel') : undefined;
  return isObject(label) ? textOf(member(label, 'tagFQN')) : undefined;
};

/** Members of a record that are texts, with what they must be. */
const TEXTS: Readonly<Record<string, v.GenericSchema>> = {
  displayName: Text,
  description: Markdown,
  retentionPeriod: Duration,
  sourceUrl: Url,
};

/** The cells of labels, by what they show. */
export const labelCells = (document: JsonObject): Readonly<Record<LabelCell, string>> => {
  const spread = spreadLabels(member(document, 'tags'), certifiedBy(document));
  return {
    tags: writeLabels(spread.tags),
    glossaryTerms: writeLabels(spread.glossaryTerms),
    tiers: writeLabels(spread.tiers),
  };
};

/**
 * The cells `name` to `extension` of a record by its document, as `render` makes it with owners, tags, domains,
 * certification and extension.
 */
export const recordCells = (document: JsonObject, properties: Properties): Cells => ({
  ...Object.fromEntries(Object.keys(TEXTS).map((name) => [name, textOf(member(document, name))])),
  ...labelCells(document),
  name: fqnPart(textOf(member(document, 'name'))),
  owner: writeOwners(member(document, 'owners')),
  certification: certifiedBy(document) ?? '',
  domains: writeItems(
    ownRefs(member(document, 'domains')).map(({ fullyQualifiedName }) => fullyQualifiedName),
    NAMES,
  ),
  extension: writeExtension(member(document, 'extension'), properties),
});

/** Makes, member by member, the document that a row wants. */
export type Draft = {
  readonly row: RowReader;
  readonly present: JsonObject;
  /** What the row would have said of the present document. */
  readonly shown: Cells;
  readonly wanted: MutableJsonObject;
};

export const newDraft = (row: RowReader, present: JsonObject, shown: Cells): Draft => ({
  row,
  present,
  shown,
  wanted: { ...present },
});

/** Whether a cell is there and says anything else than before. */
export const isChanged = ({ row, shown }: Draft, name: string): boolean =>
  row.has(name) && row.cell(name) !== (shown[name] ?? '');

/** Sets a member to what its cell means, and clears it when the cell is empty. An unchanged cell leaves it alone. */
export const take = async (
  draft: Draft,
  name: string,
  memberName: string,
  decode: (cell: string) => Json | undefined | Promise<Json | undefined>,
): Promise<void> => {
  if (!isChanged(draft, name)) return;
  const { row, wanted } = draft;
  const value = row.cell(name) === '' ? undefined : await row.read(name, decode);
  if (value === undefined) delete wanted[memberName];
  else setMember(wanted, memberName, value);
};

/** A text that must be what a schema says. */
export const textAs =
  (schema: v.GenericSchema, name: string) =>
  (cell: string): Json =>
    check(schema, cell, name);

const labelKey = (label: JsonObject): string => `${member(label, 'source')} ${member(label, 'tagFQN')}`;

/** The labels that one cell wants: those that are there stay as they are, the others must exist. */
const wantedLabels = async (
  desk: CellDesk,
  { row, present }: Draft,
  column: string,
  cell: LabelCell,
): Promise<readonly JsonObject[]> => {
  const known = new Map(((member(present, 'tags') ?? []) as readonly JsonObject[]).map((one) => [labelKey(one), one]));
  const source = sourceOfCell(cell);
  const labels = await row.read(column, async (text) => {
    const names = readLabels(text);
    if (cell === 'tiers' && names.length > 1) throw new CellFault(`a record has one tier, not ${names.join(' and ')}`);
    const stranger = cell === 'tiers' ? names.find((name) => !name.startsWith('Tier.')) : undefined;
    if (stranger !== undefined) throw new CellFault(`${stranger} is no tier`);
    const wishes = names.map((tagFQN) => known.get(`${source} ${tagFQN}`) ?? { tagFQN, source });
    await Promise.all(names.map((name) => (known.has(`${source} ${name}`) ? undefined : desk.label(source, name))));
    return wishes;
  });
  return labels ?? [];
};

const distinct = (labels: readonly JsonObject[]): JsonObject[] => [
  ...new Map(labels.map((label) => [labelKey(label), label])).values(),
];

/** Takes the labels of all cells that show some; `columnOf` says how the layout calls them. */
export const takeLabels = async (
  desk: CellDesk,
  draft: Draft,
  columnOf: (cell: LabelCell) => string = (cell) => cell,
): Promise<void> => {
  const columns = LABEL_CELLS.map((cell) => [cell, columnOf(cell)] as const);
  const changed = columns.filter(([, column]) => isChanged(draft, column));
  if (changed.length === 0) return;
  const spread = spreadLabels(member(draft.present, 'tags'), certifiedBy(draft.present));
  const labels: JsonObject[] = [...spread.hidden];
  for (const [cell, column] of columns) {
    const isAsked = changed.some(([one]) => one === cell);
    labels.push(...(isAsked ? await wantedLabels(desk, draft, column, cell) : spread[cell]));
  }
  const wanted = distinct(labels);
  if (draft.row.faults.length === 0) await draft.row.read(changed[0]?.[1] ?? '', () => desk.fitTogether(wanted));
  draft.wanted['tags'] = wanted;
};

/** Certifying lasts so long, unless somebody certifies anew. */
const CERTIFIED_MS = 30 * 24 * 60 * 60 * 1000;

const certificationFrom = async (desk: CellDesk, cell: string, now: number): Promise<Json> => {
  const names = readLabels(cell);
  const [tagFQN = ''] = names;
  if (names.length !== 1) throw new CellFault('a record is certified by one tag');
  await desk.label('Classification', tagFQN);
  return {
    tagLabel: { tagFQN, source: 'Classification', labelType: 'Manual', state: 'Confirmed' },
    appliedDate: now,
    expiryDate: now + CERTIFIED_MS,
  };
};

const takeOwn = async (
  draft: Draft,
  column: string,
  name: string,
  find: (cell: string) => Promise<readonly JsonObject[]>,
): Promise<void> => {
  if (!isChanged(draft, column)) return;
  const { row, wanted } = draft;
  wanted[name] = (row.cell(column) === '' ? undefined : await row.read(column, find)) ?? [];
};

const extensionFrom = async (desk: CellDesk, kind: Kind, cell: string, present: Json | undefined): Promise<Json> => {
  const values = readExtension(cell, await desk.properties(kind), present) ?? {};
  const entries = Object.entries(values).map(async ([name, value]) => {
    const isKept = isObject(present) && member(present, name) === value;
    return [name, isKept ? value : await desk.withReferences(value)] as const;
  });
  const found: MutableJsonObject = {};
  for (const [name, value] of await Promise.all(entries)) if (value !== undefined) setMember(found, name, value);
  return found;
};

/** The columns of a layout that records of this kind have no member for. */
const strangeColumns = (kind: Kind): readonly string[] =>
  [
    ['retentionPeriod', 'retentionPeriod'],
    ['sourceUrl', 'sourceUrl'],
    ['owner', 'owners'],
    ['tags', 'tags'],
    ['glossaryTerms', 'tags'],
    ['tiers', 'tags'],
    ['certification', 'certification'],
    ['domains', 'domains'],
    ['extension', 'extension'],
  ].flatMap(([column = '', name = '']) =>
    Object.hasOwn(kind.members, name) || (kind.gated as readonly string[]).includes(name) ? [] : [column],
  );

/**
 * The document that a row wants of a record that has this one; `{}` is that of a new one. A cell that says what it would
 * say of the present document leaves its member alone. Faults are added to the row. The name is left alone.
 */
export const wantedRecord = async (
  desk: CellDesk,
  kind: Kind,
  row: RowReader,
  present: JsonObject,
): Promise<JsonObject> => {
  const properties = await desk.properties(kind);
  const draft = newDraft(row, present, 'name' in present ? recordCells(present, properties) : {});
  for (const column of strangeColumns(kind)) {
    if (row.cell(column) !== '') row.fail(column, `a ${kind.entityType} has no ${column}`);
  }
  const now = desk.now();
  await Promise.all([
    ...Object.entries(TEXTS).map(([name, schema]) => take(draft, name, name, textAs(schema, name))),
    takeOwn(draft, 'owner', 'owners', (cell) => desk.owners(readOwners(cell))),
    takeOwn(draft, 'domains', 'domains', (cell) => desk.domains(readItems(cell, NAMES).map(normaliseFqn))),
    takeLabels(desk, draft),
    take(draft, 'certification', 'certification', (cell) => certificationFrom(desk, cell, now)),
    take(draft, 'extension', 'extension', (cell) => extensionFrom(desk, kind, cell, member(present, 'extension'))),
  ]);
  return draft.wanted;
};
