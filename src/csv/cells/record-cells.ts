import type * as v from 'valibot';
import { isObject, type Json, type JsonObject, type MutableJsonObject, member, setMember } from '../../model/json.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { fqnPart, normaliseFqn } from '../../model/name.ts';
import { validate } from '../../model/validate.ts';
import { Duration, Markdown, Text, Url } from '../../model/values.ts';
import type { CsvRowReader } from '../row-reader.ts';
import type { CellContext } from './cell-context.ts';
import { CellError } from './cell-error.ts';
import { type CustomProperties, readExtension, writeExtension } from './extension.ts';
import { NAME_STYLE, readItems, writeItems } from './item-list.ts';
import {
  groupLabelsByCell,
  LABEL_CELLS,
  type LabelCell,
  labelSourceOfCell,
  readLabelCell,
  writeLabelCell,
} from './labels.ts';
import { listOwnReferences, readOwnerCell, writeOwnerCell } from './owners.ts';

/** Cell texts by field name. */
export type CellValues = Readonly<Record<string, string>>;

const stringOrEmpty = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

/** The fully qualified name of the tag that certifies a record. */
const certificationTagFqn = (document: JsonObject): string | undefined => {
  const certification = member(document, 'certification');
  const label = isObject(certification) ? member(certification, 'tagLabel') : undefined;
  return isObject(label) ? stringOrEmpty(member(label, 'tagFQN')) : undefined;
};

/** Text members of a record, with their schemas. */
const TEXT_MEMBERS: Readonly<Record<string, v.GenericSchema>> = {
  displayName: Text,
  description: Markdown,
  retentionPeriod: Duration,
  sourceUrl: Url,
};

/** Writes the labels of a record by the fields that show them. */
export const writeLabelCells = (document: JsonObject): Readonly<Record<LabelCell, string>> => {
  const spread = groupLabelsByCell(member(document, 'tags'), certificationTagFqn(document));
  return {
    tags: writeLabelCell(spread.tags),
    glossaryTerms: writeLabelCell(spread.glossaryTerms),
    tiers: writeLabelCell(spread.tiers),
  };
};

/**
 * Writes the cells `name` to `extension` of a record from its document, which `render` must have built with owners,
 * tags, domains, certification and extension.
 */
export const writeRecordCells = (document: JsonObject, properties: CustomProperties): CellValues => ({
  ...Object.fromEntries(Object.keys(TEXT_MEMBERS).map((name) => [name, stringOrEmpty(member(document, name))])),
  ...writeLabelCells(document),
  name: fqnPart(stringOrEmpty(member(document, 'name'))),
  owner: writeOwnerCell(member(document, 'owners')),
  certification: certificationTagFqn(document) ?? '',
  domains: writeItems(
    listOwnReferences(member(document, 'domains')).map(({ fullyQualifiedName }) => fullyQualifiedName),
    NAME_STYLE,
  ),
  extension: writeExtension(member(document, 'extension'), properties),
});

/** A draft that collects, member by member, the document that a row describes. */
export type RowDraft = {
  readonly row: CsvRowReader;
  readonly present: JsonObject;
  /** The cells of the present document. */
  readonly presentCells: CellValues;
  readonly target: MutableJsonObject;
};

export const createRowDraft = (row: CsvRowReader, present: JsonObject, presentCells: CellValues): RowDraft => ({
  row,
  present,
  presentCells,
  target: { ...present },
});

/** Whether a cell exists and differs from the present document. */
export const isCellChanged = ({ row, presentCells }: RowDraft, name: string): boolean =>
  row.has(name) && row.cell(name) !== (presentCells[name] ?? '');

/**
 * Sets a member to the value of its cell, or clears it when the cell is empty. An unchanged cell leaves the member
 * alone.
 */
export const applyCell = async (
  draft: RowDraft,
  name: string,
  memberName: string,
  decode: (cell: string) => Json | undefined | Promise<Json | undefined>,
): Promise<void> => {
  if (!isCellChanged(draft, name)) return;
  const { row, target } = draft;
  const value = row.cell(name) === '' ? undefined : await row.read(name, decode);
  if (value === undefined) delete target[memberName];
  else setMember(target, memberName, value);
};

/** Creates a reader of text cells that validates them by a schema. */
export const createTextReader =
  (schema: v.GenericSchema, name: string) =>
  (cell: string): Json =>
    validate(schema, cell, name);

const labelIdentity = (label: JsonObject): string => `${member(label, 'source')} ${member(label, 'tagFQN')}`;

/** Resolves the labels of one cell: present labels are kept, others must exist. */
const readTargetLabels = async (
  context: CellContext,
  { row, present }: RowDraft,
  column: string,
  cell: LabelCell,
): Promise<readonly JsonObject[]> => {
  const known = new Map(
    ((member(present, 'tags') ?? []) as readonly JsonObject[]).map((one) => [labelIdentity(one), one]),
  );
  const source = labelSourceOfCell(cell);
  const labels = await row.read(column, async (text) => {
    const names = readLabelCell(text);
    if (cell === 'tiers' && names.length > 1)
      throw new CellError(`an asset has at most one tier, not ${names.join(' and ')}`);
    const unknownTier = cell === 'tiers' ? names.find((name) => !name.startsWith('Tier.')) : undefined;
    if (unknownTier !== undefined) throw new CellError(`${unknownTier} is not a tier`);
    const targets = names.map((tagFQN) => known.get(`${source} ${tagFQN}`) ?? { tagFQN, source });
    await Promise.all(
      names.map((name) => (known.has(`${source} ${name}`) ? undefined : context.checkLabel(source, name))),
    );
    return targets;
  });
  return labels ?? [];
};

const distinctLabels = (labels: readonly JsonObject[]): JsonObject[] => [
  ...new Map(labels.map((label) => [labelIdentity(label), label])).values(),
];

/** Applies the cells of all label fields; `columnOf` maps them to the names in the layout. */
export const applyLabelCells = async (
  context: CellContext,
  draft: RowDraft,
  columnOf: (cell: LabelCell) => string = (cell) => cell,
): Promise<void> => {
  const columns = LABEL_CELLS.map((cell) => [cell, columnOf(cell)] as const);
  const changed = columns.filter(([, column]) => isCellChanged(draft, column));
  if (changed.length === 0) return;
  const spread = groupLabelsByCell(member(draft.present, 'tags'), certificationTagFqn(draft.present));
  const labels: JsonObject[] = [...spread.hidden];
  for (const [cell, column] of columns) {
    const isAsked = changed.some(([one]) => one === cell);
    labels.push(...(isAsked ? await readTargetLabels(context, draft, column, cell) : spread[cell]));
  }
  const wanted = distinctLabels(labels);
  if (draft.row.faults.length === 0)
    await draft.row.read(changed[0]?.[1] ?? '', () => context.checkLabelsTogether(wanted));
  draft.target['tags'] = wanted;
};

/** The duration of a certification unless it is renewed. */
const CERTIFICATION_MS = 30 * 24 * 60 * 60 * 1000;

const readCertification = async (context: CellContext, cell: string, now: number): Promise<Json> => {
  const names = readLabelCell(cell);
  const [tagFQN = ''] = names;
  if (names.length !== 1) throw new CellError('an asset has exactly one certification');
  await context.checkLabel('Classification', tagFQN);
  return {
    tagLabel: { tagFQN, source: 'Classification', labelType: 'Manual', state: 'Confirmed' },
    appliedDate: now,
    expiryDate: now + CERTIFICATION_MS,
  };
};

const applyReferenceCell = async (
  draft: RowDraft,
  column: string,
  name: string,
  find: (cell: string) => Promise<readonly JsonObject[]>,
): Promise<void> => {
  if (!isCellChanged(draft, column)) return;
  const { row, target } = draft;
  target[name] = (row.cell(column) === '' ? undefined : await row.read(column, find)) ?? [];
};

const readExtensionCell = async (
  context: CellContext,
  kind: Kind,
  cell: string,
  present: Json | undefined,
): Promise<Json> => {
  const values = readExtension(cell, await context.properties(kind), present) ?? {};
  const entries = Object.entries(values).map(async ([name, value]) => {
    const isKept = isObject(present) && member(present, name) === value;
    return [name, isKept ? value : await context.resolveReferences(value)] as const;
  });
  const found: MutableJsonObject = {};
  for (const [name, value] of await Promise.all(entries)) if (value !== undefined) setMember(found, name, value);
  return found;
};

/** The fields of a layout for which records of this kind have no member. */
const unsupportedColumns = (kind: Kind): readonly string[] =>
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
 * Builds the document that a row describes, from the present document, or `{}` for a new record. A cell that equals
 * the present document's leaves its member unchanged. Faults are added to the row; the name is not changed.
 */
export const buildTargetRecord = async (
  context: CellContext,
  kind: Kind,
  row: CsvRowReader,
  present: JsonObject,
): Promise<JsonObject> => {
  const properties = await context.properties(kind);
  const draft = createRowDraft(row, present, 'name' in present ? writeRecordCells(present, properties) : {});
  for (const column of unsupportedColumns(kind)) {
    if (row.cell(column) !== '') row.fail(column, `a ${kind.entityType} has no ${column}`);
  }
  const now = context.now();
  await Promise.all([
    ...Object.entries(TEXT_MEMBERS).map(([name, schema]) =>
      applyCell(draft, name, name, createTextReader(schema, name)),
    ),
    applyReferenceCell(draft, 'owner', 'owners', (cell) => context.owners(readOwnerCell(cell))),
    applyReferenceCell(draft, 'domains', 'domains', (cell) =>
      context.domains(readItems(cell, NAME_STYLE).map(normaliseFqn)),
    ),
    applyLabelCells(context, draft),
    applyCell(draft, 'certification', 'certification', (cell) => readCertification(context, cell, now)),
    applyCell(draft, 'extension', 'extension', (cell) =>
      readExtensionCell(context, kind, cell, member(present, 'extension')),
    ),
  ]);
  return draft.target;
};
