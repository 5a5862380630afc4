import type { CsvRow } from '../http/csv-writer.ts';
import type { JsonObject } from '../model/json.ts';

/** The layouts of files (csv.md 3): names, requirement and description of their fields. */

/** One field of a layout, which is one column of a file. */
export type LayoutField = {
  readonly name: string;
  readonly isRequired: boolean;
  readonly description: string;
  readonly examples: readonly string[];
  /** Other names that imported files may use for the field. */
  readonly also?: readonly string[];
};

export type CsvLayoutName = 'table' | 'databases' | 'children' | 'recursive';

export type CsvLayout = {
  readonly name: CsvLayoutName;
  readonly summary: string;
  readonly fields: readonly LayoutField[];
  /** Whether rows may be short; missing cells are empty. */
  readonly allowsShortRows: boolean;
};

type FieldDescription = Omit<LayoutField, 'name' | 'isRequired'>;

const COMMON_FIELDS: Readonly<Record<string, FieldDescription>> = {
  name: {
    description: 'Name of the asset. A name with a dot is put in double quotes, as in a fully qualified name.',
    examples: ['orders', '"orders.2026"'],
  },
  displayName: { description: 'Display name.', examples: ['Orders'] },
  description: { description: 'Description in Markdown.', examples: ['Orders of the **web shop**'] },
  owner: {
    description: 'Users, or one team, each as type and name, separated by semicolons. Inherited owners are left out.',
    examples: ['user:alice;user:bob', 'team:data eng'],
    also: ['owners'],
  },
  tags: {
    description: 'Fully qualified names of tags, separated by semicolons, without tiers and the certification.',
    examples: ['PII.Sensitive', 'PII.Sensitive;PersonalData.Personal'],
  },
  glossaryTerms: {
    description: 'Fully qualified names of glossary terms, separated by semicolons.',
    examples: ['Sales.Revenue', 'Sales.Revenue;Sales.Customer'],
  },
  tiers: { description: 'Fully qualified name of the tier.', examples: ['Tier.Tier1'] },
  certification: { description: 'Fully qualified name of the certification tag.', examples: ['Certification.Gold'] },
  retentionPeriod: {
    description: 'Retention period of the data, as an ISO 8601 duration.',
    examples: ['P23DT23H', 'P1Y'],
  },
  sourceUrl: { description: 'URL of the asset in its source system.', examples: ['https://example.org/orders'] },
  domains: {
    description: 'Fully qualified names of domains, separated by semicolons. Inherited domains are left out.',
    examples: ['Marketing', 'Marketing;Sales'],
    also: ['domain'],
  },
  extension: {
    description:
      'Custom properties as name and value, separated by semicolons. A pair that contains a semicolon is put in quotes.',
    examples: ['costCentre:4711', 'costCentre:4711;reviewers:user:alice|team:data eng'],
  },
};

const COLUMN_FIELDS: Readonly<Record<string, FieldDescription>> = {
  'column.name': {
    description: 'Path of the column in its table: its name after the names of its parent columns, separated by dots.',
    examples: ['id', 'address.zip', '"a.b".c'],
  },
  'column.displayName': { description: 'Display name of the column.', examples: ['Customer'] },
  'column.description': { description: 'Description of the column in Markdown.', examples: ['Key of the customer'] },
  'column.dataTypeDisplay': { description: 'Data type as written in the source system.', examples: ['array<int>'] },
  'column.dataType': { description: 'Data type of the column.', examples: ['VARCHAR', 'BIGINT'] },
  'column.arrayDataType': {
    description: 'Data type of the items. Required when the data type is ARRAY.',
    examples: ['INT'],
  },
  'column.dataLength': {
    description: 'Length of the data type. Required, and greater than 0, when the data type is VARCHAR.',
    examples: ['36'],
  },
  'column.tags': {
    description: 'Fully qualified names of tags, separated by semicolons.',
    examples: ['PII.Sensitive', 'PII.Sensitive;PersonalData.Personal'],
  },
  'column.glossaryTerms': {
    description: 'Fully qualified names of glossary terms, separated by semicolons.',
    examples: ['Sales.Customer'],
  },
};

const RECURSIVE_FIELDS: Readonly<Record<string, FieldDescription>> = {
  entityType: {
    description: 'Entity type of the row: database, databaseSchema, table, storedProcedure or column.',
    examples: ['table', 'column'],
  },
  fullyQualifiedName: {
    description: 'Fully qualified name of the asset in the row, which also determines its parent.',
    examples: ['shop.pg.public.orders'],
  },
  'storedProcedure.code': { description: 'Code of the stored procedure.', examples: ['SELECT 1'] },
  'storedProcedure.language': {
    description: 'Language of the stored procedure: SQL, Java, JavaScript, Python or External.',
    examples: ['SQL'],
  },
};

const FIELD_DESCRIPTIONS: Readonly<Record<string, FieldDescription>> = {
  ...COMMON_FIELDS,
  ...COLUMN_FIELDS,
  ...RECURSIVE_FIELDS,
};

const REQUIRED_MARK = '*';

/** Creates a field from its header, in which a star marks a required field. */
const createField = (header: string): LayoutField => {
  const isRequired = header.endsWith(REQUIRED_MARK);
  const name = isRequired ? header.slice(0, -1) : header;
  const words = FIELD_DESCRIPTIONS[name];
  if (!words) throw new Error(`the CSV column ${name} has no description`);
  return { name, isRequired, ...words };
};

const createLayout = (name: CsvLayoutName, summary: string, headers: readonly string[]): CsvLayout => ({
  name,
  summary,
  fields: headers.map(createField),
  allowsShortRows: name === 'recursive',
});

const CHILD_HEADERS = [
  'name*',
  'displayName',
  'description',
  'owner',
  'tags',
  'glossaryTerms',
  'tiers',
  'certification',
  'retentionPeriod',
  'sourceUrl',
  'domains',
  'extension',
];

export const CSV_LAYOUTS = {
  table: createLayout('table', 'The columns of a table, one per row.', [
    'column.name*',
    'column.displayName',
    'column.description',
    'column.dataTypeDisplay',
    'column.dataType*',
    'column.arrayDataType',
    'column.dataLength',
    'column.tags',
    'column.glossaryTerms',
  ]),
  databases: createLayout(
    'databases',
    'The databases of a service, one per row.',
    CHILD_HEADERS.filter((name) => name !== 'retentionPeriod' && name !== 'sourceUrl'),
  ),
  children: createLayout(
    'children',
    'The schemas of a database or the tables of a schema, one per row.',
    CHILD_HEADERS,
  ),
  recursive: createLayout(
    'recursive',
    'All descendants of a service, a database or a schema, parents before children.',
    [
      ...CHILD_HEADERS,
      'entityType*',
      'fullyQualifiedName',
      'column.dataTypeDisplay',
      'column.dataType',
      'column.arrayDataType',
      'column.dataLength',
      'storedProcedure.code',
      'storedProcedure.language',
    ],
  ),
} satisfies Readonly<Record<CsvLayoutName, CsvLayout>>;

/** The entity types that can be exported and imported, with their layouts. */
const LAYOUTS_BY_TYPE: Readonly<Record<string, { readonly plain: CsvLayout; readonly recursive?: CsvLayout }>> = {
  table: { plain: CSV_LAYOUTS.table },
  databaseService: { plain: CSV_LAYOUTS.databases, recursive: CSV_LAYOUTS.recursive },
  database: { plain: CSV_LAYOUTS.children, recursive: CSV_LAYOUTS.recursive },
  databaseSchema: { plain: CSV_LAYOUTS.children, recursive: CSV_LAYOUTS.recursive },
};

/** The entity types that have files. */
export const CSV_ENTITY_TYPES: readonly string[] = Object.keys(LAYOUTS_BY_TYPE);

const layoutsOfType = (entityType: string) => {
  const offered = Object.hasOwn(LAYOUTS_BY_TYPE, entityType) ? LAYOUTS_BY_TYPE[entityType] : undefined;
  if (!offered) throw new Error(`the entity type ${entityType} has no CSV layout`);
  return offered;
};

/** The layouts that a file for this type may have. */
export const layoutsFor = (entityType: string): readonly CsvLayout[] => {
  const { plain, recursive } = layoutsOfType(entityType);
  return recursive ? [plain, recursive] : [plain];
};

/** The layout of an export. */
export const exportLayoutOf = (entityType: string, isRecursive: boolean): CsvLayout => {
  const { plain, recursive } = layoutsOfType(entityType);
  return isRecursive && recursive ? recursive : plain;
};

/** The header row of a layout. */
export const layoutHeader = ({ fields }: CsvLayout): CsvRow =>
  fields.map(({ name, isRequired }) => (isRequired ? `${name}${REQUIRED_MARK}` : name));

const BOM = '\ufeff';

const matchesField = ({ name, also = [] }: LayoutField, cell: string): boolean => {
  const bare = cell.endsWith(REQUIRED_MARK) ? cell.slice(0, -1) : cell;
  return bare === name || also.includes(bare);
};

/** Finds the layout with this header; undefined when there is none. */
export const recogniseLayout = (header: CsvRow, among: readonly CsvLayout[]): CsvLayout | undefined => {
  const [first = '', ...others] = header;
  const cells = [first.startsWith(BOM) ? first.slice(1) : first, ...others];
  return among.find(
    ({ fields }) => fields.length === cells.length && fields.every((field, at) => matchesField(field, cells[at] ?? '')),
  );
};

/** The zero-based index of a field; undefined when the layout lacks it. */
export const fieldIndex = ({ fields }: CsvLayout, name: string): number | undefined => {
  const at = fields.findIndex((field) => field.name === name);
  return at < 0 ? undefined : at;
};

/** Orders cells by their layout; fields without a cell are empty. */
export const createLayoutRow = ({ fields }: CsvLayout, cells: Readonly<Record<string, string>>): CsvRow =>
  fields.map(({ name }) => cells[name] ?? '');

/** Describes a layout for people who write such files. */
export const describeLayout = ({ summary, fields }: CsvLayout): JsonObject => ({
  summary,
  headers: fields.map(({ name, isRequired, description, examples }) => ({
    name,
    required: isRequired,
    description,
    examples,
  })),
});
