import type { CatalogChange } from './changes-choice.ts';

/** Says in words what a row of the list of changes is about. */

const VERBS: Readonly<Record<CatalogChange['change'], string>> = {
  created: 'created',
  deleted: 'deleted',
  restored: 'restored',
  renamed: 'renamed',
  moved: 'moved',
  columnAdded: 'column added',
  columnRemoved: 'column removed',
  columnRetyped: 'column got another type',
  columnRenamed: 'column renamed',
  constraintChanged: 'constraint changed',
  edgeAdded: 'lineage added',
  edgeRemoved: 'lineage removed',
  edgeChanged: 'lineage changed',
  ownerAdded: 'owner added',
  ownerRemoved: 'owner removed',
  tagAdded: 'tag added',
  tagRemoved: 'tag removed',
  described: 'described',
  contractChanged: 'contract changed',
  contractFailed: 'contract failed',
  contractPassed: 'contract holds',
  testFailed: 'test failed',
  testPassed: 'test passes',
};

export const nameChange = ({ change }: Pick<CatalogChange, 'change'>): string => VERBS[change];

const MOST = 120;

const shorten = (text: string): string => (text.length > MOST ? `${text.slice(0, MOST)}…` : text);

type Members = Readonly<Record<string, unknown>>;

const textMember = (value: Members, name: string): string | undefined => {
  const text = value[name];
  return typeof text === 'string' && text !== '' ? text : undefined;
};

const SIZES = ['dataLength', 'precision', 'scale'] as const;

/** The type of a column, as far as the change tells it: its name, or what else differs. */
const describeType = (value: Members): string | undefined => {
  const name =
    textMember(value, 'dataTypeDisplay') ?? textMember(value, 'dataType') ?? textMember(value, 'arrayDataType');
  if (name !== undefined) return name;
  const sizes = SIZES.flatMap((size) => (value[size] === undefined ? [] : [`${size} ${String(value[size])}`]));
  return sizes.length === 0 ? undefined : sizes.join(', ');
};

const describeEdge = (value: Members): string | undefined => {
  const [from, to] = ['fromEntity', 'toEntity'].map((end) => value[end] as Members | undefined);
  return from && to ? `${String(from['name'])} → ${String(to['name'])}` : undefined;
};

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** One side of a change in few words; undefined when there was or is nothing. */
export const describeSide = (value: unknown): string | undefined => {
  if (value === null || value === undefined) return undefined;
  if (!isMembers(value)) return shorten(typeof value === 'string' ? value : JSON.stringify(value));
  const known =
    describeEdge(value) ??
    textMember(value, 'tagFQN') ??
    textMember(value, 'displayName') ??
    textMember(value, 'name') ??
    describeType(value);
  return shorten(known ?? Object.keys(value).join(', '));
};

/** Changes by the day on which they happened, in their order. */
export const groupByDay = (
  rows: readonly CatalogChange[],
  dayOf: (at: number) => string,
): readonly (readonly [day: string, rows: readonly CatalogChange[]])[] => {
  const days = new Map<string, CatalogChange[]>();
  for (const row of rows) {
    const day = dayOf(row.at);
    const known = days.get(day);
    if (known) known.push(row);
    else days.set(day, [row]);
  }
  return [...days];
};
